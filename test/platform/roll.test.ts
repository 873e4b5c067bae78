import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRoll, type Marked } from '../../src/platform/roll.ts';

const fresh = (id: string): Marked => ({ id, mark: 0 });
const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'b', 'c', 'd', '__proto__') },
  fc.string(),
);
/** Which records a list shows: of which id, and whether one that has been shown before, if there is one, or a new one. */
const shown = fc.tuple(id, fc.boolean());
const list = fc.record({ records: fc.array(shown, { maxLength: 30 }), isWhole: fc.boolean() });

it('counts each id once in each reading, as a Set does, whatever was read and failed before', () => {
  fc.assert(
    fc.property(fc.array(list, { maxLength: 8 }), (lists) => {
      const roll = createRoll();
      const everShown = new Map<string, Marked[]>();
      for (const { records, isWhole } of lists) {
        const [ours, theirs] = [roll.begin(), new Set<string>()];
        for (const [index, [name, isKnown]] of records.entries()) {
          const before = everShown.get(name) ?? [];
          const item = (isKnown ? before[index % before.length] : undefined) ?? fresh(name);
          everShown.set(name, [...before, item]);
          expect(ours.isFirst(item)).toBe(!theirs.has(name));
          theirs.add(name);
        }
        expect(ours.size).toBe(theirs.size);
        if (isWhole) ours.keep();
      }
    }),
    { numRuns: 1000 },
  );
});

it('is not led astray by a reading that was given up and goes on for a moment', () => {
  const roll = createRoll();
  const [a, b] = [fresh('a'), fresh('b')];
  const first = roll.begin();
  for (const one of [a, b]) first.isFirst(one);
  first.keep();
  const [givenUp, next] = [roll.begin(), roll.begin()];
  next.isFirst(a);
  givenUp.isFirst(a);
  givenUp.isFirst(fresh('a'));
  givenUp.isFirst(b);
  expect([next.isFirst(a), next.isFirst(b), next.size]).toEqual([false, true, 2]);
});
