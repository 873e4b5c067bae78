import { createHash } from 'node:crypto';

/** The part of the clouds that this exporter takes: `ordinal` counts from 0. */
export interface Shard {
  readonly ordinal: number;
  readonly total: number;
}

/** The flags as a shard, nothing if neither is given, or what is wrong with them. */
export function shardFrom(given: {
  readonly shard: string | undefined;
  readonly totalShards: string | undefined;
  readonly hostName: string;
}): { readonly shard: Shard | undefined } | { readonly problem: string } {
  const { shard, totalShards, hostName } = given;
  if (shard === undefined && totalShards === undefined) return { shard: undefined };
  if (totalShards === undefined) return { problem: '--total-shards: is missing: --shard needs it' };
  if (!/^[1-9]\d{0,5}$/.test(totalShards))
    return { problem: '--total-shards: must be a whole number, 1 or more' };
  if (shard === undefined)
    return { problem: '--shard: is missing: say which of the shards this is, from 0, or auto' };
  const total = Number(totalShards);
  const range = `from 0 to ${total - 1}, since --total-shards is ${total}`;
  const isAuto = shard === 'auto';
  const digits = (isAuto ? /-(\d{1,9})$/.exec(hostName) : /^(\d{1,9})$/.exec(shard))?.[1];
  const ordinal = Number(digits);
  if (ordinal < total) return { shard: { ordinal, total } };
  const isNumber = digits !== undefined;
  if (!isAuto) return { problem: `--shard: must be ${isNumber ? '' : 'auto or '}a number ${range}` };
  const what = isNumber
    ? `has the number ${ordinal}; it must be ${range}`
    : 'does not end in -0, -1 and so on, as in a StatefulSet';
  return { problem: `--shard=auto: the host name ${hostName} ${what}` };
}

export function isOfShard(cloud: string, { ordinal, total }: Shard): boolean {
  return shardOf(cloud, total) === ordinal;
}

/**
 * The shard of a cloud, by its name alone: no other cloud matters. Jump consistent hash (Lamping and Veach, 2014): one
 * shard more takes its even part from all the others, and no cloud moves between these.
 */
export function shardOf(cloud: string, total: number): number {
  let key = createHash('sha256').update(cloud).digest().readBigUInt64BE();
  let chosen = 0;
  for (let next = 0; next < total;) {
    chosen = next;
    key = BigInt.asUintN(64, key * 2_862_933_555_777_941_757n + 1n);
    next = Math.floor((chosen + 1) * (2 ** 31 / (Number(key >> 33n) + 1)));
  }
  return chosen;
}
