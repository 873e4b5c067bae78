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

  /** A text of so many chunks, written anew while the one before it is still there. Says in which memory it is. */
  function writeText(pool: ReturnType<typeof createChunkPool>, count: number) {
    const memory = pool.lend();
    const before = memory.takeTable(table);
    const chunks = Array.from({ length: count }, () => memory.take(10, 0));
    before?.columns[0]!.forEach(memory.isCopied);
    memory.keepTable(table, { rows: [], columns: [chunks] });
    return { giveBack: memory.giveBack, places: chunks.map(({ bytes }) => bytes.buffer) };
  }

  it('serves again and again where texts stay as long', () => {
    const pool = createChunkPool();
    const places = new Set<object>();
    for (let text = 0; text < 20; text += 1) {
      const one = writeText(pool, 300);
      one.giveBack();
      one.places.forEach((place) => places.add(place));
    }
    // Two texts of 300, sixteen in a row.
    expect(places.size).toBeLessThan(2 * (300 / 16) + 8);
  });

  it('serves no more, with all others of its time, where texts have become short', () => {
    const pool = createChunkPool();
    const long = [writeText(pool, 300), writeText(pool, 300)];
    long.forEach(({ giveBack }) => giveBack());
    const short = Array.from({ length: 4 }, () => {
      const one = writeText(pool, 5);
      one.giveBack();
      return one;
    });
    const [first, ...later] = short.map(({ places }) => new Set(places));
    const ofLong = new Set(long.flatMap(({ places }) => places));
    expect([...first!].every((place) => ofLong.has(place))).toBe(true);
    for (const places of later) expect([...places].some((place) => ofLong.has(place))).toBe(false);
    expect(new Set(later.flatMap((places) => [...places])).size).toBeLessThan(5);
  });
});
