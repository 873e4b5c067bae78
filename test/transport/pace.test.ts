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
  it.each<[words: string, most: number, course: string, expected: number[]]>([
    ['is the whole of it while all goes well', 4, '...', [4, 4, 4]],
    ['halves once for all that were under way together', 8, 'xxxxxxxx', [4, 4, 4, 4, 4, 4, 4, 4]],
    ['halves again when the new pace is in trouble too', 4, 'xxxxx', [2, 2, 2, 2, 1]],
    ['is never less than one', 2, 'xxxxx', [1, 1, 1, 1, 1]],
    ['is one where less was asked for', 0, '.', [1]],
    ['halves to the smaller half', 5, 'x', [2]],
    ['recovers by one after a whole round', 4, 'x.....', [2, 2, 2, 2, 2, 3]],
    ['goes on so, and not beyond where it was', 2, 'x....', [1, 1, 2, 2, 2]],
    ['begins the round anew after trouble', 2, 'x.x.', [1, 1, 1, 2]],
    // 4 → 2 (3 under way pass) → 1 of 2 goes well → trouble → 1.
    ['counts from the beginning of a round', 4, 'x....x...', [2, 2, 2, 2, 2, 1, 1, 2, 2]],
  ])('%s', (_words, most, course, expected) => {
    expect(limits(most, course)).toEqual(expected);
  });
});
