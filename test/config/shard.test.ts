import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfShard, shardFrom, shardOf } from '../../src/config/shard.ts';
import { parseFlags } from '../../src/flags.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 50 });
const totals = fc.integer({ min: 1, max: 200 });

describe('the shard of a cloud', () => {
  it('is exactly one, and stays or is the new one when there is one shard more', () => {
    fc.assert(
      fc.property(names, totals, (clouds, total) => {
        for (const cloud of clouds) {
          const shard = shardOf(cloud, total);
          const takers = Array.from({ length: total }, (_, ordinal) => ordinal).filter((ordinal) =>
            isOfShard(cloud, { ordinal, total }),
          );
          expect(takers).toEqual([shard]);
          expect([shard, total]).toContain(shardOf(cloud, total + 1));
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([2, 7, 16])('is one of %i even parts', (total) => {
    const counts = Array.from({ length: total }, () => 0);
    for (let index = 0; index < 2000 * total; index += 1) counts[shardOf(`cloud-${index}`, total)]! += 1;
    expect(counts.filter((count) => count < 1800 || count > 2200)).toEqual([]);
  });

  it('never changes from one release to the next', () => {
    const clouds = ['production', 'lab', 'a', 'ü', 'cloud-999'];
    expect(clouds.map((cloud) => [3, 4, 100].map((total) => shardOf(cloud, total)))).toEqual([
      [2, 2, 30],
      [0, 0, 65],
      [1, 1, 50],
      [1, 1, 96],
      [0, 3, 92],
    ]);
  });
});

describe('the flags of a shard', () => {
  const read = (shard: string | undefined, totalShards: string | undefined, hostName = 'exporter-2') =>
    shardFrom({ shard, totalShards, hostName });

  it.each([
    ['0', '1', { ordinal: 0, total: 1 }],
    ['2', '3', { ordinal: 2, total: 3 }],
    ['auto', '3', { ordinal: 2, total: 3 }],
    [undefined, undefined, undefined],
  ])('are read: %s of %s', (shard, total, expected) => {
    expect(read(shard, total)).toEqual({ shard: expected });
  });

  const mustBe = '--shard: must be auto or a number from 0 to 2, since --total-shards is 3';

  it.each([
    ['1', undefined, '--total-shards: is missing: --shard needs it'],
    [undefined, '3', '--shard: is missing: say which of the shards this is, from 0, or auto'],
    ['3', '3', '--shard: must be a number from 0 to 2, since --total-shards is 3'],
    ['-1', '3', mustBe],
    ['1.5', '3', mustBe],
    ['0', '0', '--total-shards: must be a whole number, 1 or more'],
    ['0', 'many', '--total-shards: must be a whole number, 1 or more'],
    ['auto', '2', /^--shard=auto: the host name exporter-2 has the number 2; it must be from 0 to 1, since/],
  ])('are refused with words: %s of %s', (shard, total, problem) => {
    expect(read(shard, total)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('take no number from a host name that has none', () => {
    expect(read('auto', '3', 'laptop')).toEqual({
      problem: '--shard=auto: the host name laptop does not end in -0, -1 and so on, as in a StatefulSet',
    });
    expect(parseFlags(['--shard=auto', '--total-shards', '4'], 'x-3')).toMatchObject({
      arguments: { shard: { ordinal: 3, total: 4 } },
    });
  });
});
