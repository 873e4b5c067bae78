import { isColumn } from './columns.ts';
import type { Landscape } from './landscape.ts';
import { addRareCase } from './rare-cases.ts';
import { createRecord, type ServerRecord } from './record.ts';
import { createTombstone } from './tombstone.ts';
import { stamp } from '../timestamp.ts';

export interface Population {
  readonly bornAtMs: number;
  /** In the platform's list order. Replaced at every change, never changed itself: a page cut from it stays true. */
  readonly servers: readonly ServerRecord[];
  /** Rows of servers that were deleted, the latest last; the oldest are cleaned away in time. */
  readonly tombstones: readonly ServerRecord[];
  create(count: number, patch?: Partial<ServerRecord>): readonly ServerRecord[];
  remove(ids: Iterable<string>, removal?: Removal): void;
  /** A column that changes moves `updated_at` and `update_version`, unless the patch says these itself. */
  change(id: string, patch: Partial<ServerRecord>, moment?: Moment): ServerRecord;
  /** Many at once, for the price of one. */
  changeAll(
    ids: Iterable<string>,
    patchOf: (server: ServerRecord) => Partial<ServerRecord>,
    moment?: Moment,
  ): void;
  setStatus(id: string, status: string): ServerRecord;
  find(id: string): ServerRecord | undefined;
}

export interface Moment {
  /**
   * The time that a change is stamped with, by default now. An earlier one is a change that waited behind a lock and
   * shows after its own time; a later one is a row from the future.
   */
  readonly at?: number;
}

export interface Removal extends Moment {
  /** Deleted with its host or its cloud account: `deleted_at` is the only trace. */
  readonly withHost?: boolean;
}

const fewestTombstones = 1000;

export interface PopulationPlan {
  readonly landscape: Landscape;
  readonly size: number;
  readonly seed: number;
  readonly rareCases: boolean;
  readonly now: () => number;
  /** Chooses the host of a new server, among the servers that are there. */
  readonly placeNew: (server: ServerRecord, servers: readonly ServerRecord[]) => ServerRecord;
}

export function createPopulation(plan: PopulationPlan): Population {
  const { landscape, size, seed, rareCases, now, placeNew } = plan;
  const bornAtMs = now();
  const born = Array.from({ length: size }, (_, sequence) => {
    const server = createRecord(landscape, { sequence, seed, nowMs: bornAtMs, isNew: false });
    return rareCases ? addRareCase(server, sequence, bornAtMs) : server;
  });
  const known = new Map<string, ServerRecord>(born.map((server) => [server.id, server]));
  let servers: readonly ServerRecord[] = born.toSorted(newestFirst);
  let tombstones: readonly ServerRecord[] = [];
  let sequence = size;

  function create(count: number, patch: Partial<ServerRecord> = {}): readonly ServerRecord[] {
    const next = () => ({ sequence: sequence++, seed, nowMs: now(), isNew: true });
    const created = Array.from({ length: count }, () => ({
      ...placeNew(createRecord(landscape, next()), servers),
      ...patch,
    }));
    for (const server of created) known.set(server.id, server);
    servers = [...created, ...servers].toSorted(newestFirst);
    return created;
  }

  function change(id: string, patch: Partial<ServerRecord>, moment?: Moment): ServerRecord {
    if (!known.has(id)) throw new RangeError(`no server ${id}`);
    changeAll([id], () => patch, moment);
    return known.get(patch.id ?? id)!;
  }

  function changeAll(
    ids: Iterable<string>,
    patchOf: (server: ServerRecord) => Partial<ServerRecord>,
    { at = now() }: Moment = {},
  ): void {
    const changed = [...servers];
    let isInOrder = true;
    for (const id of ids) {
      const before = known.get(id);
      if (before === undefined) continue;
      const patch = patchOf(before);
      const after = { ...before, ...(changesColumn(before, patch) && nextVersion(before, at)), ...patch };
      known.delete(id);
      known.set(after.id, after);
      changed[positionOf(before)] = after;
      isInOrder &&= newestFirst(before, after) === 0;
    }
    servers = isInOrder ? changed : changed.toSorted(newestFirst);
  }

  function positionOf(server: ServerRecord): number {
    let [from, to] = [0, servers.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (newestFirst(servers[middle]!, server) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return {
    bornAtMs,
    get servers() {
      return servers;
    },
    get tombstones() {
      return tombstones;
    },
    create,
    remove(ids, { at = now(), withHost = false } = {}) {
      const leaves = new Uint8Array(servers.length);
      const deleted: ServerRecord[] = [];
      for (const id of ids) {
        const server = known.get(id);
        if (server === undefined) continue;
        leaves[positionOf(server)] = 1;
        known.delete(id);
        deleted.push(createTombstone(withHost ? server : { ...server, ...nextVersion(server, at) }, at));
      }
      servers = servers.filter((_, position) => leaves[position] === 0);
      tombstones = [...tombstones, ...deleted].slice(-Math.max(fewestTombstones, size / 10));
    },
    change,
    changeAll,
    setStatus: (id, status) => change(id, { status }),
    find: (id) => known.get(id),
  };
}

function changesColumn(before: ServerRecord, patch: Partial<ServerRecord>): boolean {
  return Object.entries(patch).some(
    ([field, value]) => isColumn(field) && value !== before[field as keyof ServerRecord],
  );
}

function nextVersion({ update_version }: ServerRecord, at: number) {
  return { update_version: update_version + 1, updated_at: stamp(at) };
}

/** The platform's order: created_at, name, id, all descending. */
export function newestFirst(one: ServerRecord, other: ServerRecord): number {
  return (
    descending(one.created_at, other.created_at) ||
    descending(one.name, other.name) ||
    descending(one.id, other.id)
  );
}

function descending(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? 1 : -1;
}
