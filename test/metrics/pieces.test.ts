import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPieces } from '../../src/metrics/pieces.ts';

it('pieces are what was added, in few of them, whatever becomes of the bytes afterwards', () => {
  const lengths = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { maxLength: 30 });
  fc.assert(
    fc.property(lengths, (list) => {
      const pieces = createPieces();
      const given: Buffer[] = [];
      const taken: Buffer[] = [];
      for (const [index, length] of list.entries()) {
        const bytes = Buffer.alloc(length, index + 1);
        given.push(Buffer.from(bytes));
        const piece = pieces.add(bytes);
        if (piece) taken.push(Buffer.from(piece));
        bytes.fill(0);
      }
      taken.push(pieces.finish());
      const whole = Buffer.concat(given);
      expect(Buffer.concat(taken).equals(whole)).toBe(true);
      // Two pieces in a row are never small enough for one.
      expect(taken.length).toBeLessThanOrEqual(2 + (2 * whole.length) / 65_536);
    }),
  );
});
