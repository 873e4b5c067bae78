import { describe, expect, it } from 'vitest';
import { createPace } from '../../src/transport/pace.ts';

/** The limit after each of these: `x` for trouble, `.` for a request that went well. */
function limits(most: number, course: string): number[] {
  const pace = createPace(most);
  return course.split('').map((outcome) => {
    if (outcome === 'x') pace.troubled();
    else pace.succeeded();
    return pace.limit();
  });
}

describe('the number of requests at once', () => {
  it.each<[string, number, string, number[]]>([
    ['is the whole of it while all goes well', 4, '...', [4, 4, 4]],
    ['halves with the first trouble', 8, 'x', [4]],
    ['halves once for all that were under way together', 8, 'xxxxxxxx', [4, 4, 4, 4, 4, 4, 4, 4]],
    ['halves again when the new pace is in trouble too', 4, 'xxxxx', [2, 2, 2, 2, 1]],
    ['is never less than one', 2, 'xxxxx', [1, 1, 1, 1, 1]],
    ['halves to the smaller half', 5, 'x', [2]],
    ['does not recover by what was asked for before', 4, 'x...', [2, 2, 2, 2]],
    ['recovers by one after a whole round', 4, 'x.....', [2, 2, 2, 2, 2, 3]],
    [
      'recovers slowly, and not beyond where it was',
      4,
      'x.............',
      [2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4],
    ],
    ['begins the round anew after trouble', 2, 'x.x.', [1, 1, 1, 2]],
    ['recovers from one at once', 2, 'x..', [1, 1, 2]],
    ['of one stays', 1, 'x.x.', [1, 1, 1, 1]],
  ])('%s', (_words, most, course, expected) => {
    expect(limits(most, course)).toEqual(expected);
  });

  it('counts a round from its beginning, not with what went well before the trouble', () => {
    // 8 → 4 (7 under way pass) → 3 of 4 go well → trouble → 2.
    expect(limits(8, `x${'.'.repeat(7)}...x`).at(-1)).toBe(2);
    expect(limits(8, `x${'.'.repeat(7)}...x....`).at(-1)).toBe(2);
    expect(limits(8, `x${'.'.repeat(7)}...x.....`).at(-1)).toBe(3);
  });

  it('is one where less was asked for', () => {
    expect(createPace(0).limit()).toBe(1);
  });
});
