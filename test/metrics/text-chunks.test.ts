import { describe, expect, it } from 'vitest';
import { createChunkPool } from '../../src/metrics/text-chunks.ts';

const usual = 16_384;
const table = {};

describe('a chunk of text', () => {
  it('serves again once nobody reads it and the next text has copied from it', () => {
    const pool = createChunkPool();
    const first = pool.lend();
    const chunk = first.take(10, 0);
    first.keepTable(table, { rows: [], columns: [[chunk]] });
    const second = pool.lend();
    expect(second.takeTable(table)?.columns).toEqual([[chunk]]);
    expect(second.takeTable(table)).toBeUndefined();
    second.isCopied(chunk);
    expect(second.take(10, 0)).not.toBe(chunk);
    first.giveBack();
    first.giveBack();
    expect(second.take(10, 7)).toBe(chunk);
    expect(chunk).toMatchObject({ used: 0, rows: 0, firstRow: 7 });
    expect(second.take(10, 0)).not.toBe(chunk);
  });

  it('that nobody will copy from serves again once nobody reads it', () => {
    const pool = createChunkPool();
    const [first, second] = [pool.lend(), pool.lend()];
    const chunk = first.take(10, 0);
    first.keepTable(table, { rows: [], columns: [[chunk]] });
    second.keepTable(table, { rows: [], columns: [[second.take(10, 0)]] });
    first.giveBack();
    expect(second.take(10, 0)).toBe(chunk);
  });

  it('has the room that is asked for, and only one of the usual size serves again', () => {
    const pool = createChunkPool();
    const memory = pool.lend();
    expect(memory.take(usual, 0).bytes).toHaveLength(usual);
    const large = memory.take(usual + 1, 0);
    expect(large.bytes).toHaveLength(usual + 1);
    memory.isCopied(large);
    memory.giveBack();
    expect(pool.lend().take(10, 0)).not.toBe(large);
  });

  it('is not kept for good where the texts have become short', () => {
    const pool = createChunkPool();
    const first = pool.lend();
    const chunks = Array.from({ length: 200 }, () => first.take(10, 0));
    chunks.forEach(first.isCopied);
    first.giveBack();
    const second = pool.lend();
    const again = chunks.filter(() => chunks.includes(second.take(10, 0)));
    expect(again.length).toBeGreaterThan(0);
    expect(again.length).toBeLessThanOrEqual(64);
  });
});
