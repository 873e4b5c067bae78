import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextSet } from '../../src/platform/text-set.ts';

it('knows each text once, as a Set does, whatever the texts are', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'a', 'b', '\0', '\ud800', '__proto__'),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const [ours, theirs] = [createTextSet(), new Set<string>()];
      const isNew = texts.map((one) => !theirs.has(one) && theirs.add(one).has(one));
      expect(texts.map((one) => ours.add(one))).toEqual(isNew);
      expect(ours.size).toBe(theirs.size);
    }),
  );
});

it('still knows all of them when there are many, however alike', () => {
  const set = createTextSet();
  const texts = Array.from({ length: 20_000 }, (_, index) => `server-${String(index).padStart(30, '0')}`);
  expect(texts.every((text) => set.add(text))).toBe(true);
  expect(texts.some((text) => set.add(text))).toBe(false);
  expect(set.size).toBe(texts.length);
});
