import { describe, expect, it } from 'vitest';
import { createMemoryPool, createTextMemory } from '../../src/metrics/text-memory.ts';

const block = 262_144;

describe('memory for text', () => {
  it('holds each text whole, the ones beside each other and those that are larger than a block', () => {
    const { write } = createTextMemory();
    const texts = ['a', 'é€😀', 'x'.repeat(200_000), '€'.repeat(block), '', 'z'];
    const written = texts.map(write);
    expect(written.map(String)).toEqual(texts);
  });

  it('that is given back serves the next text, but for what it does not need', () => {
    const pool = createMemoryPool();
    const first = pool.lend();
    const large = 'x'.repeat(80_000);
    const before = new Set([first.write(large).buffer, first.write(large).buffer]);
    first.write('€'.repeat(block));
    first.giveBack();
    const second = pool.lend();
    const again = new Set([second.write(large).buffer, second.write(large).buffer]);
    expect(again).toEqual(before);
    second.giveBack();
    const third = pool.lend();
    expect(before).toContain(third.write('short').buffer);
    third.giveBack();
    const fourth = pool.lend();
    const blocks = [fourth.write(large).buffer, fourth.write(large).buffer];
    expect(blocks.filter((one) => before.has(one))).toHaveLength(1);
  });

  it('is given back once, and not lent twice', () => {
    const pool = createMemoryPool();
    const first = pool.lend();
    first.write('text');
    first.giveBack();
    first.giveBack();
    const [second, third] = [pool.lend(), pool.lend()];
    expect(second.write('text').buffer).not.toBe(third.write('text').buffer);
  });
});
