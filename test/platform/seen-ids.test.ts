import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeenIds } from '../../src/platform/seen-ids.ts';

it('knows each id once in each reading, as a Set does, whatever the ids are', () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'a', 'b', '\0', '\ud800', '__proto__'),
  );
  fc.assert(
    fc.property(fc.array(fc.array(id, { maxLength: 100 }), { maxLength: 5 }), (lists) => {
      const seen = createSeenIds();
      for (const ids of lists) {
        const [ours, theirs] = [seen.begin(), new Set<string>()];
        for (const one of ids) {
          ours.renew(one);
          expect(ours.add(one)).toBe(!theirs.has(one));
          ours.renew(one);
          theirs.add(one);
        }
        expect(ours.size).toBe(theirs.size);
      }
    }),
  );
});

it('is not led astray by a reading that was given up and goes on for a moment', () => {
  const seen = createSeenIds();
  const [givenUp, next] = [seen.begin(), seen.begin()];
  next.add('a');
  givenUp.add('a');
  givenUp.add('b');
  expect([next.add('a'), next.add('b'), next.size]).toEqual([false, true, 2]);
});

it('still knows all of them after a long and then a short list', () => {
  const seen = createSeenIds();
  const ids = Array.from({ length: 5000 }, (_, index) => `server-${String(index).padStart(30, '0')}`);
  for (const count of [5000, 3000, 10, 5000, 5000]) {
    const reading = seen.begin();
    const list = ids.slice(0, count);
    expect(list.every((id) => reading.add(id))).toBe(true);
    expect(list.some((id) => reading.add(id))).toBe(false);
    expect(reading.size).toBe(count);
  }
});
