import type { Landscape } from './landscape.ts';
import { createRecord, type ServerRecord } from './record.ts';
import { timestamp } from '../timestamp.ts';

export interface Population {
  readonly bornAtMs: number;
  /** In the platform's list order. Replaced at every change, never changed itself: a page cut from it stays true. */
  readonly servers: readonly ServerRecord[];
  create(count: number, patch?: Partial<ServerRecord>): readonly ServerRecord[];
  remove(ids: Iterable<string>): void;
  change(id: string, patch: Partial<ServerRecord>): ServerRecord;
  setStatus(id: string, status: string): ServerRecord;
  find(id: string): ServerRecord | undefined;
}

export interface PopulationPlan {
  readonly landscape: Landscape;
  readonly size: number;
  readonly seed: number;
  readonly now: () => number;
}

export function createPopulation({ landscape, size, seed, now }: PopulationPlan): Population {
  const bornAtMs = now();
  const born = Array.from({ length: size }, (_, sequence) =>
    createRecord(landscape, { sequence, seed, nowMs: bornAtMs, newborn: false }),
  );
  const known = new Map<string, ServerRecord>(born.map((server) => [server.id, server]));
  let servers: readonly ServerRecord[] = born.toSorted(newestFirst);
  let sequence = size;

  function create(count: number, patch: Partial<ServerRecord> = {}): readonly ServerRecord[] {
    const created = Array.from({ length: count }, () => ({
      ...createRecord(landscape, { sequence: sequence++, seed, nowMs: now(), newborn: true }),
      ...patch,
    }));
    for (const server of created) known.set(server.id, server);
    servers = [...created, ...servers].toSorted(newestFirst);
    return created;
  }

  function change(id: string, patch: Partial<ServerRecord>): ServerRecord {
    const before = known.get(id);
    if (before === undefined) throw new RangeError(`no server ${id}`);
    const after = { ...before, ...patch };
    known.delete(id);
    known.set(after.id, after);
    const replaced = servers.with(positionOf(before), after);
    servers = newestFirst(before, after) === 0 ? replaced : replaced.toSorted(newestFirst);
    return after;
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
    create,
    remove(ids) {
      const leaves = new Uint8Array(servers.length);
      for (const id of ids) {
        const server = known.get(id);
        if (server !== undefined) leaves[positionOf(server)] = 1;
        known.delete(id);
      }
      servers = servers.filter((_, position) => leaves[position] === 0);
    },
    change,
    setStatus(id, status) {
      const version = (known.get(id)?.update_version ?? 0) + 1;
      return change(id, { status, updated_at: timestamp(now()), update_version: version });
    },
    find: (id) => known.get(id),
  };
}

/** The platform's order: created_at, name, id, all descending. */
function newestFirst(one: ServerRecord, other: ServerRecord): number {
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
