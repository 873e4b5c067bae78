import { describe, expect, it } from 'vitest';
import { createBufferPool } from '../../src/transport/buffers.ts';

describe('a pool of buffers', () => {
  it('gives a buffer again, with some room, even if only a part of it came back', () => {
    const pool = createBufferPool(2);
    const first = pool.take(1000);
    pool.giveBack(first.subarray(0, 10));
    const second = pool.take(1100);
    expect(second.buffer).toBe(first.buffer);
    expect(second.length).toBeGreaterThanOrEqual(1100);
  });

  it('gives a new one where the old one is too small, or was not given back', () => {
    const pool = createBufferPool(2);
    const kept = pool.take(100);
    const small = pool.take(100);
    pool.giveBack(small);
    const large = pool.take(1000);
    expect(new Set([kept.buffer, small.buffer, large.buffer]).size).toBe(3);
    expect(large.length).toBeGreaterThanOrEqual(1000);
  });

  it('keeps no more than it may', () => {
    const pool = createBufferPool(2);
    const three = [1, 2, 3].map(() => pool.take(10));
    for (const buffer of three) pool.giveBack(buffer);
    const again = new Set([1, 2, 3].map(() => pool.take(10).buffer));
    expect(three.filter(({ buffer }) => again.has(buffer))).toHaveLength(2);
  });

  it('gives the smallest that is large enough, and keeps the others', () => {
    const pool = createBufferPool(3);
    const [large, small, middle] = [1000, 10, 100].map((length) => pool.take(length)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const buffer of [large, small, middle]) pool.giveBack(buffer);
    expect(pool.take(50).buffer).toBe(middle.buffer);
    expect(pool.take(50).buffer).toBe(large.buffer);
    expect(pool.take(5).buffer).toBe(small.buffer);
  });

  it('drops the smallest where it has too many', () => {
    const pool = createBufferPool(2);
    const [large, small, middle] = [1000, 10, 100].map((length) => pool.take(length)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const buffer of [large, small, middle]) pool.giveBack(buffer);
    const again = [pool.take(5), pool.take(5), pool.take(5)].map(({ buffer }) => buffer);
    expect(again.slice(0, 2)).toEqual([middle.buffer, large.buffer]);
    expect(again[2]).not.toBe(small.buffer);
  });

  it('gives the same buffer to nobody else while it is in use', () => {
    const pool = createBufferPool(2);
    const first = pool.take(10);
    pool.giveBack(first);
    expect(pool.take(10).buffer).toBe(first.buffer);
    expect(pool.take(10).buffer).not.toBe(first.buffer);
  });

  it('never takes memory that it did not allocate', () => {
    const pool = createBufferPool(2);
    // Node hands out small buffers as parts of one that others use too.
    const foreign = Buffer.from('somebody else uses this memory');
    pool.giveBack(foreign);
    expect(pool.take(1).buffer).not.toBe(foreign.buffer);
  });
});
