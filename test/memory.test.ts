import { describe, expect, it } from 'vitest';
import { processMemory, type Memory } from '../src/memory.ts';

const megabyte = 1_048_576;

function usedWhileHolding(memory: Memory, objects: number): number {
  const held = Array.from({ length: objects }, (_, index) => ({ index }));
  const used = memory.used();
  expect(held).toHaveLength(objects);
  return used;
}

describe('the memory of the process', () => {
  it('tells what is in use, and gives back what nobody holds any more', () => {
    const memory = processMemory()!;
    memory.collectGarbage();
    const before = memory.used();
    const during = usedWhileHolding(memory, 1_000_000);
    expect(during - before).toBeGreaterThan(20 * megabyte);
    memory.collectGarbage();
    expect(memory.used()).toBeLessThan(during - 20 * megabyte);
  });
});
