import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/simulator/fleet/random.ts';
import { histories, quietAfter } from './quiet-hour.ts';

const names = Object.keys(histories);

describe('quiet scrapes cost what they always cost', () => {
  it.each(names)('after %s', async (name) => {
    expect(await quietAfter([name])).toEqual([]);
  });

  it.each([
    [1, 'a gap of 35 minutes'],
    [1, '40 minutes of failures'],
    [0, 'one answer in another order'],
    [0, 'three empty answers to one request'],
    [0, 'a minute of tiny pages'],
    [0, 'disks missing for ten minutes'],
  ])('after %i scrapes and %s', async (before, name) => {
    expect(await quietAfter([name], { before })).toEqual([]);
  });

  it.each([1, 2, 3])('for an hour after whatever came, seed %i', async (seed) => {
    const random = createRandom(seed);
    const some = Array.from({ length: 2 + random.below(3) }, () => random.pick(names));
    const how = { seed, before: random.below(3), minutes: 60 };
    expect(await quietAfter(some, how), some.join(', ')).toEqual([]);
  });
});
