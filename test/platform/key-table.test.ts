import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyTable, wordsOfKey } from '../../src/platform/key-table.ts';

/** Keys that differ in one word only, as those of ids that count upwards. */
function key(number: number): Int32Array {
  const words = new Int32Array(wordsOfKey);
  words[number % wordsOfKey] = number;
  return words;
}

describe('a table of keys', () => {
  it('has places for keys, as a Map has, in whichever order they come and go', () => {
    const step = fc.tuple(
      fc.constantFrom('add', 'remove', 'reserve', 'link', 'linkUnlessFound'),
      fc.nat({ max: 40 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = createKeyTable();
        const found = new Map<number, number>();
        /** Every place that is not free, with its key. */
        const taken = new Map<number, number>();
        for (const [what, number] of steps) {
          const places = [...taken.keys()].filter((place) => taken.get(place) === number);
          const place = places.at(-1);
          if (what === 'add') {
            const added = table.add(key(number));
            expect(added).toBe(found.get(number) ?? added);
            if (!found.has(number)) expect(taken.has(added)).toBe(false);
            found.set(number, added);
            taken.set(added, number);
          } else if (what === 'reserve') {
            const reserved = table.reserve(key(number));
            expect(taken.has(reserved)).toBe(false);
            taken.set(reserved, number);
          } else if (place !== undefined && what === 'remove') {
            table.remove(place);
            taken.delete(place);
            if (found.get(number) === place) found.delete(number);
          } else if (place !== undefined && what === 'link') {
            table.link(place);
            found.set(number, place);
          } else if (place !== undefined) {
            if (!found.has(number)) found.set(number, place);
            expect(table.linkUnlessFound(place)).toBe(found.get(number));
          }
        }
        expect(table.size).toBe(found.size);
        for (let number = 0; number <= 40; number += 1)
          expect(table.placeOf(key(number))).toBe(found.get(number));
        const read = new Int32Array(wordsOfKey);
        for (const [place, number] of taken) {
          table.readKey(place, read);
          expect(read).toEqual(key(number));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds keys quickly of which one word says all', () => {
    const table = createKeyTable();
    const many = 40_000;
    for (let number = 0; number < many; number += 1)
      expect(table.add(new Int32Array([7, 7, 7, number]))).toBe(number);
    for (let number = 0; number < many; number += 1)
      expect(table.placeOf(new Int32Array([7, 7, 7, number]))).toBe(number);
    expect(table.size).toBe(many);
  });
});
