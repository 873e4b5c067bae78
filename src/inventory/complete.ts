import type { Server } from '../platform/server.ts';
import { canBeAskedFor } from '../platform/id-ranges.ts';
import { hostOf, learnFrom, projectOf, type Names } from './names.ts';
import type { Slices } from '../yield-to-event-loop.ts';
import { isFresh, lookedUp, type Fresh, type Kept, type LookedUp, type Rejected, type Row } from './row.ts';

/** What a record may lack although the platform must know it: each is looked up by itself, and each lookup may fail. */
export const lacks = ['host', 'project', 'disk', 'device'] as const;
export type Lack = (typeof lacks)[number];

/** What is kept against the platform's word for so long was true. */
const keptMs = 1_800_000;
const pauseMs = 1000;
const maxWitnesses = 10;

const has: Readonly<Record<LookedUp, (server: Server) => boolean>> = {
  disk: ({ disk, disks }) => disk > 0 || disks > 0,
  device: ({ devices }) => devices.length > 0,
  label: ({ extra, info, ips, brand }) =>
    ips !== '' || brand !== '' || [...extra, ...info].some((value) => value !== ''),
};

/** What a server has from another telling of the same one. */
const filled: Readonly<Record<LookedUp, (server: Server, other: Server) => Server>> = {
  disk: (server, { disk, disks }) => ({ ...server, disk, disks }),
  device: (server, { devices, isGpu }) => ({ ...server, devices, isGpu }),
  label: (server, { extra, info, ips, eip, nics, brand }) => ({
    ...server,
    ips: server.ips || ips,
    eip: server.eip || eip,
    nics: server.nics.length > 0 ? server.nics : nics,
    brand: server.brand || brand,
    extra: server.extra.map((value, index) => value || (extra[index] ?? '')),
    info: server.info.map((value, index) => value || (info[index] ?? '')),
  }),
};

function lacksHostNames(server: Server, names: { host: string; zone: string; region: string }): boolean {
  return server.hostId !== '' && (names.host === '' || names.zone === '' || names.region === '');
}

function lacksProjectNames(server: Server, names: { project: string; projectDomain: string }): boolean {
  return server.projectId !== '' && (names.project === '' || names.projectDomain === '');
}

/** What of the platform's lookups a record lacks that its row has, at whatever version; a new server on a host has a disk. */
function lacksOf(server: Server, before: Row | undefined): LookedUp[] {
  return lookedUp.filter((what) => {
    if (what === 'label') return before !== undefined && lacksLabel(server, before.server);
    if (has[what](server)) return false;
    if (before) return has[what](before.server);
    return what === 'disk' && (server.hostId !== '' || server.host !== '');
  });
}

function lacksLabel(server: Server, before: Server): boolean {
  const lost = (word: string, earlier: string) => word === '' && earlier !== '';
  return (
    lost(server.ips, before.ips) ||
    lost(server.brand, before.brand) ||
    server.extra.some((value, index) => lost(value, before.extra[index] ?? '')) ||
    server.info.some((value, index) => lost(value, before.info[index] ?? ''))
  );
}

/** What an answer is counted for: its records as they came. */
export function lacksOfAnswer(
  records: readonly (Row | Fresh | Rejected)[],
  before: (id: string) => Row | undefined,
): ReadonlySet<Lack> {
  const found = new Set<Lack>();
  for (const record of records) {
    if (!isFresh(record)) continue;
    const { id, server } = record;
    if (lacksHostNames(server, server)) found.add('host');
    if (lacksProjectNames(server, server)) found.add('project');
    for (const what of lacksOf(server, before(id))) if (what !== 'label') found.add(what);
  }
  return found;
}

/**
 * Makes rows of records that were read with details. What a record lacks although it must be known is kept from its row,
 * or asked for once more; what neither helps is told as it is. The names have been learned before.
 */
export async function completeRecords(
  fresh: readonly Fresh[],
  input: {
    readonly names: Names;
    readonly before: (id: string) => Row | undefined;
    /** Rows among these are told by this list to be as they were. */
    readonly told: Iterable<Row | Fresh>;
    /** On the monotonic clock. */
    readonly readAt: number;
    readonly slices: Slices;
    /** So many at most are asked for again. */
    readonly maxAsked: number;
    readonly wait: (ms: number) => Promise<void>;
    /** Undefined where they cannot be asked for, or the answer did not come. */
    readonly askAgain: (ids: readonly string[]) => Promise<ReadonlyMap<string, Fresh> | undefined>;
  },
): Promise<Map<string, Row>> {
  const { names, before, readAt, slices } = input;
  const rows = new Map<string, Row>();
  const incomplete = new Map<string, Fresh>();
  /** What some servers lack that are as they were when they had it: the lookup fails. */
  const failing = new Set<LookedUp>();

  for (const record of fresh) {
    if (slices.isOver()) await slices.next();
    const row = asItWas(record);
    rows.set(record.id, row);
    if (isIncomplete(row)) incomplete.set(record.id, record);
    else incomplete.delete(record.id);
  }
  if (incomplete.size === 0) return rows;

  const asked = [...incomplete.keys()]
    .filter(canBeAskedFor)
    .toSorted((a, b) => Number(before(a) === undefined) - Number(before(b) === undefined))
    .slice(0, input.maxAsked);
  const witnesses = witnessesFor([...incomplete.values()]);
  await input.wait(pauseMs);
  const answers = await input.askAgain([...asked, ...witnesses.keys()]);
  for (const { server } of answers?.values() ?? []) learnFrom(names, server);
  for (const [id, record] of incomplete) rows.set(id, decide(record, answers?.get(id)));
  return rows;

  /** With what its row has, as long as the server has not changed since, and for half an hour. */
  function asItWas(record: Fresh): Row {
    const known = before(record.id);
    let { server } = record;
    const kept: Record<string, number> = {};
    for (const what of lacksOf(server, known)) {
      if (!known || !isSameVersion(server, known.server)) continue;
      const since = known.kept?.[what] ?? readAt;
      if (readAt - since >= keptMs) continue;
      server = filled[what](server, known.server);
      kept[what] = since;
      failing.add(what);
    }
    return toRow(record, server, Object.keys(kept).length > 0 ? kept : undefined);
  }

  /** After names, and after what was kept. What its row has had for half an hour against the platform's word is not asked for. */
  function lacksStill({ id, server }: Row): LookedUp[] {
    const known = before(id);
    return lacksOf(server, known).filter((what) => {
      const since = known?.kept?.[what];
      return since === undefined || readAt - since < keptMs;
    });
  }

  function isIncomplete(row: Row): boolean {
    const { server } = row;
    return (
      lacksHostNames(server, hostOf(names, server)) ||
      lacksProjectNames(server, projectOf(names, server)) ||
      lacksStill(row).length > 0
    );
  }

  /** Servers that are known to have what is missing, and live on nothing kept: if they lack it too, the lookup failed. */
  function witnessesFor(records: readonly Fresh[]): ReadonlyMap<string, Row> {
    const missing = new Set(records.flatMap(({ id, server }) => lacksOf(server, before(id))));
    const chosen = new Map<string, Row>();
    const counts = new Map<LookedUp, number>();
    for (const row of input.told) {
      if (missing.size === 0) break;
      if (!('readAt' in row) || row.kept || incomplete.has(row.id) || !canBeAskedFor(row.id)) continue;
      for (const what of missing) {
        if (!has[what](row.server)) continue;
        chosen.set(row.id, row);
        counts.set(what, (counts.get(what) ?? 0) + 1);
        if (counts.get(what)! >= maxWitnesses) missing.delete(what);
      }
    }
    return chosen;
  }

  /** What one of the two answers has, counts. What both lack is true if the lookup works, or nobody can witness it. */
  function decide(record: Fresh, answer: Fresh | undefined): Row {
    const known = before(record.id);
    const first = asItWas(record);
    let { server } = answer ?? first;
    const kept: Record<string, number> = answer ? {} : { ...first.kept };
    let isInDoubt = false;
    if (answer)
      for (const what of lookedUp) if (!has[what](server)) server = filled[what](server, record.server);
    for (const what of lacksOf(server, known)) {
      const since = known?.kept?.[what] ?? readAt;
      if (readAt - since >= keptMs) continue;
      const isSame = known !== undefined && isSameVersion(server, known.server);
      if (!isSame && isLackTrue(what)) continue;
      if (known && has[what](known.server)) {
        server = filled[what](server, known.server);
        kept[what] = since;
      }
      // Nothing is known of it; with light lists it is asked for again at the next one.
      else isInDoubt = true;
    }
    return toRow(record, server, isInDoubt || Object.keys(kept).length > 0 ? kept : undefined);
  }

  function isLackTrue(what: LookedUp): boolean {
    if (failing.has(what)) return false;
    const heard = [...witnesses].filter(([, row]) => has[what](row.server));
    return (
      answers !== undefined && heard.every(([id]) => answers.has(id) && has[what](answers.get(id)!.server))
    );
  }

  function toRow({ id, print }: Fresh, server: Server, kept: Kept | undefined): Row {
    return { id, server, print: kept ? undefined : print, readAt, kept, at: undefined };
  }
}

function isSameVersion(one: Server, other: Server): boolean {
  return one.version === other.version && one.updatedAt === other.updatedAt;
}
