import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createValueCounts } from '../../src/inventory/value-counts.ts';

describe('counts by values', () => {
  it('are those of equal values, few or many, whatever these hold', () => {
    const values = fc.tuple(fc.constantFrom('', 'a', 'a","b', '\0'), fc.string({ maxLength: 2 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(values, fc.nat())), (added) => {
        const counts = createValueCounts();
        const truth = new Map<string, number>();
        for (const [one, count] of added) {
          counts.add(one, count);
          truth.set(JSON.stringify(one), (truth.get(JSON.stringify(one)) ?? 0) + count);
        }
        expect(counts.all.map(({ values: one, count }) => [JSON.stringify(one), count])).toEqual([...truth]);
      }),
    );
  });

  it('are gone with the last who added to them, and not before, though they count nothing', () => {
    const values = fc.tuple(fc.constantFrom('a', 'b'), fc.nat({ max: 12 }).map(String));
    fc.assert(
      fc.property(fc.array(fc.tuple(values, fc.nat({ max: 2 }), fc.boolean())), (added) => {
        const counts = createValueCounts();
        for (const [one, count] of added) counts.add(one, count);
        for (const [one, count, isTakenAway] of added) if (isTakenAway) counts.add(one, -count, -1);
        const left = createValueCounts();
        for (const [one, count, isTakenAway] of added) if (!isTakenAway) left.add(one, count);
        const inOrder = ({ all }: typeof counts) => all.map((one) => JSON.stringify(one)).toSorted();
        expect(inOrder(counts)).toEqual(inOrder(left));
      }),
    );
  });

  it('of a hundred thousand different values are found, not searched for', () => {
    const counts = createValueCounts();
    for (let round = 0; round < 2; round += 1)
      for (let model = 0; model < 100_000; model += 1) counts.add(['GPU', `model ${model}`], 1);
    expect(counts.all).toHaveLength(100_000);
    expect(counts.all.every(({ count }) => count === 2)).toBe(true);
    for (let model = 0; model < 100_000; model += 1) counts.add(['GPU', `model ${model}`], -2, -2);
    expect(counts.all).toEqual([]);
  });
});
