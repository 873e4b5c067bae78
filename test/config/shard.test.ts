import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfShard, shardFrom, shardOf } from '../../src/config/shard.ts';
import { parseFlags } from '../../src/flags.ts';

const names = fc.uniqueArray(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 1, maxLength: 200 });
const totals = fc.integer({ min: 1, max: 200 });

describe('the shard of a cloud', () => {
  it('is exactly one, whatever the clouds are called and however many shards there are', () => {
    fc.assert(
      fc.property(names, totals, (clouds, total) => {
        for (const cloud of clouds) {
          const takers = Array.from({ length: total }, (_, ordinal) => ordinal).filter((ordinal) =>
            isOfShard(cloud, { ordinal, total }),
          );
          expect(takers).toEqual([shardOf(cloud, total)]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('stays, or is the new one, when there is one shard more', () => {
    fc.assert(
      fc.property(names, totals, (clouds, total) => {
        for (const cloud of clouds)
          expect([shardOf(cloud, total), total]).toContain(shardOf(cloud, total + 1));
      }),
    );
  });

  it.each([2, 3, 7, 16])('is one of %i even parts', (total) => {
    const counts = Array.from({ length: total }, () => 0);
    const clouds = 2000 * total;
    for (let index = 0; index < clouds; index += 1) counts[shardOf(`cloud-${index}`, total)]! += 1;
    for (const count of counts) {
      expect(count).toBeGreaterThan(1800);
      expect(count).toBeLessThan(2200);
    }
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
  ])('%s of %s', (shard, total, expected) => {
    expect(read(shard, total)).toEqual({ shard: expected });
  });

  it.each([
    ['1', undefined, '--total-shards: is missing: --shard needs it'],
    [undefined, '3', '--shard: is missing: say which of the shards this is, from 0, or auto'],
    ['3', '3', '--shard: must be a number from 0 to 2, since --total-shards is 3'],
    ['-1', '3', '--shard: must be auto or a number from 0 to 2, since --total-shards is 3'],
    ['1.5', '3', '--shard: must be auto or a number from 0 to 2, since --total-shards is 3'],
    ['one', '3', '--shard: must be auto or a number from 0 to 2, since --total-shards is 3'],
    ['0', '0', '--total-shards: must be a whole number, 1 or more'],
    ['0', 'many', '--total-shards: must be a whole number, 1 or more'],
    [
      'auto',
      '2',
      '--shard=auto: the host name exporter-2 has the number 2; it must be from 0 to 1, since --total-shards is 2',
    ],
  ])('%s of %s are refused with words', (shard, total, problem) => {
    expect(read(shard, total)).toEqual({ problem });
  });

  it('take no number from a host name that has none', () => {
    expect(read('auto', '3', 'laptop')).toEqual({
      problem: '--shard=auto: the host name laptop does not end in -0, -1 and so on, as in a StatefulSet',
    });
  });

  it('are read from the command line, with the others', () => {
    expect(parseFlags(['--shard=auto', '--total-shards', '4'], 'x-3')).toMatchObject({
      arguments: { shard: { ordinal: 3, total: 4 } },
    });
    expect(parseFlags(['--shard=7', '--total-shards=4', '--web.telemetry-path=/probe'])).toEqual({
      problems: [
        '--web.telemetry-path: is /probe, which the exporter has for something else; choose another',
        '--shard: must be a number from 0 to 3, since --total-shards is 4',
      ],
    });
  });
});
