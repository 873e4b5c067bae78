import { describe, expect, it } from 'vitest';
import { liveThrough } from './sums-history.ts';

describe('whatever happens between any two requests, and whatever the platform tells of it', () => {
  it.each(Array.from({ length: 14 }, (_, seed) => seed))(
    'no sum is wrong that could be known, seed %i',
    async (seed) => {
      expect(await liveThrough(seed)).toEqual([]);
    },
  );
});
