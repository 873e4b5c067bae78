import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfShard, shardOf } from '../src/shard.ts';
import { parseFlags } from '../src/flags.ts';

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
    const shards = { production: 30, lab: 65, a: 50, ü: 96, 'cloud-999': 92 };
    for (const [cloud, shard] of Object.entries(shards)) expect(shardOf(cloud, 100), cloud).toBe(shard);
  });
});

describe('the flags of a shard', () => {
  /** What flags such as `2 of 3` mean on this host. */
  function read(flags: string, hostName = 'exporter-2') {
    const [shard, total] = flags.split(' of ');
    const words = [shard && `--shard=${shard}`, total && `--total-shards=${total}`];
    const parsed = parseFlags(words.filter(Boolean) as string[], hostName);
    return 'problems' in parsed ? parsed.problems.join() : parsed.arguments.shard;
  }

  it.each([
    ['0 of 1', { ordinal: 0, total: 1 }],
    ['2 of 3', { ordinal: 2, total: 3 }],
    ['auto of 3', { ordinal: 2, total: 3 }],
    ['', undefined],
    ['1', '--total-shards: is missing: --shard needs it'],
    [' of 3', '--shard: is missing: say which of the shards this is, from 0, or auto'],
    ['3 of 3', '--shard: must be a number from 0 to 2, since --total-shards is 3'],
    ['-1 of 3', '--shard: must be auto or a number from 0 to 2, since --total-shards is 3'],
    ['1.5 of 3', '--shard: must be auto or a number from 0 to 2, since --total-shards is 3'],
    ['0 of 0', '--total-shards: must be a whole number, 1 or more'],
    ['0 of many', '--total-shards: must be a whole number, 1 or more'],
  ])('are read, or refused with words: %j', (flags, expected) => {
    expect(read(flags)).toEqual(expected);
  });

  it('take no number from a host name that has none, or too high a one', () => {
    expect(read('auto of 3', 'laptop')).toBe(
      '--shard=auto: the host name laptop does not end in -0, -1 and so on, as in a StatefulSet',
    );
    expect(read('auto of 2')).toMatch(
      /^--shard=auto: the host name exporter-2 has the number 2; it must be from 0 to 1, since/,
    );
  });
});
