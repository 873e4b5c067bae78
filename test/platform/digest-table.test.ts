import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDigestTable } from '../../src/platform/digest-table.ts';
import { digestOf, readDigest } from '../../src/platform/digest.ts';
import { wordsOfKey } from '../../src/platform/key-table.ts';

function digest(number: number): string {
  const bytes = new DataView(new TextEncoder().encode(String(number)).buffer);
  return digestOf(bytes, 0, bytes.byteLength);
}

function key(number: number): Int32Array {
  const words = new Int32Array(wordsOfKey);
  readDigest(digest(number), words);
  return words;
}

describe('a table of digests', () => {
  it('finds what was added and not dropped, at the place that it was given', () => {
    const step = fc.record({ shown: fc.uniqueArray(fc.nat({ max: 3000 }), { maxLength: 2500 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const table = createDigestTable<string>();
        const places = new Map<number, number>();
        for (const [index, { shown }] of steps.entries()) {
          const generation = index + 1;
          for (const number of shown) {
            const place = table.placeOf(digest(number));
            expect(place).toBe(places.get(number));
            if (place === undefined) places.set(number, table.add(key(number), `item ${number}`, generation));
            else table.see(place, generation);
          }
          table.dropBefore(generation);
          const kept = new Set(shown);
          for (const number of places.keys()) if (!kept.has(number)) places.delete(number);
          expect(new Set(places.values()).size).toBe(places.size);
          for (let number = 0; number <= 3000; number += 1)
            expect(table.placeOf(digest(number))).toBe(places.get(number));
          for (const [number, place] of places) expect(table.itemAt(place)).toBe(`item ${number}`);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('takes no more room than for the most that it held at once', () => {
    const table = createDigestTable<number>();
    let highest = 0;
    for (let generation = 1; generation <= 20; generation += 1) {
      for (let index = 0; index < 1000; index += 1) {
        const number = generation * 1000 + index;
        highest = Math.max(highest, table.add(key(number), number, generation));
      }
      table.dropBefore(generation);
    }
    expect(highest).toBeLessThan(2000);
  });

  it('has one item for a digest that is added twice', () => {
    const table = createDigestTable<string>();
    const place = table.add(key(1), 'first', 1);
    expect(table.add(key(1), 'second', 2)).toBe(place);
    expect(table.itemAt(place)).toBe('second');
    table.dropBefore(2);
    expect(table.placeOf(digest(1))).toBe(place);
  });
});
