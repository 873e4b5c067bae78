import { createHostChanges, type HostChanges } from './changes.ts';
import { serverColumns } from './columns.ts';
import { createLife } from './life.ts';
import { createPopulation } from './population.ts';
import { deviceRow } from './room.ts';
import { createTable } from './rows.ts';
import type { Moment, Population, Removal, Tables } from './tables.ts';
import type { ServerRecord } from './record.ts';
import { stamp } from '../answer.ts';

export interface FleetPlan {
  readonly servers: number;
  readonly seed?: number;
  readonly now?: () => number;
  /** With cases that are rare: failed tasks, ends in the year 1, every status in the recycle bin. */
  readonly rareCases?: boolean;
}

export interface Fleet extends Population, HostChanges {
  /** Lets the time until then pass: the same seed and moments give the same life. */
  live(nowMs: number): void;
}

const fewestTombstones = 1000;

export function createFleet(plan: FleetPlan): Fleet {
  const { servers: size, seed = 1, now = Date.now } = plan;
  const born = createPopulation({ size, seed, now, rareCases: plan.rareCases ?? false });
  const tables: Tables = {
    servers: createTable(born.servers),
    hosts: createTable(born.hosts),
    storages: createTable(born.storages),
    isolated_devices: createTable(born.devices),
    zones: createTable(born.zones),
    cloudregions: createTable(born.regions),
  };
  const { servers, isolated_devices: devices } = tables;
  let projects = born.projects;
  let tombstones: readonly ServerRecord[] = [];

  function create(count: number, patch: Partial<ServerRecord> = {}): readonly ServerRecord[] {
    const there = { servers: servers.rows, hosts: tables.hosts.rows };
    const created = born.next(count, there).map((server) => ({ ...server, ...patch }));
    servers.add(created);
    for (const server of created) settle(undefined, server, stamp(now()));
    return created;
  }

  /** A device is of the server that says so; one that no server has any more is free. */
  function settle(before: ServerRecord | undefined, after: ServerRecord | undefined, at: string): void {
    if (before?.isolated_devices === after?.isolated_devices) return;
    const [had, has] = [before?.isolated_devices ?? [], after?.isolated_devices ?? []];
    const kept = new Set(has.map(({ id }) => id));
    devices.replace(
      had.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
      (row) => (row.guest_id === before?.id ? { ...row, guest_id: '' } : row),
    );
    const fresh = new Map(has.map((device) => [device.id, deviceRow(device, at)]));
    devices.remove(kept);
    devices.add([...fresh.values()]);
  }

  function changeAll(
    ids: Iterable<string>,
    patchOf: (server: ServerRecord) => Partial<ServerRecord>,
    { at = now() }: Moment = {},
  ): void {
    const unsettled: (readonly [before: ServerRecord, after: ServerRecord])[] = [];
    servers.replace(ids, (before) => {
      const patch = patchOf(before);
      const after = { ...before, ...(changesColumn(before, patch) && nextVersion(before, at)), ...patch };
      if (after.isolated_devices !== before.isolated_devices) unsettled.push([before, after]);
      return after;
    });
    for (const [before, after] of unsettled) settle(before, after, stamp(at));
  }

  function change(id: string, patch: Partial<ServerRecord>, moment?: Moment): ServerRecord {
    if (servers.find(id) === undefined) throw new RangeError(`no server ${id}`);
    changeAll([id], () => patch, moment);
    return servers.find(patch.id ?? id)!;
  }

  function remove(ids: Iterable<string>, { at = now(), withHost = false }: Removal = {}): void {
    const removed = servers.remove(ids);
    for (const server of removed) settle(server, undefined, stamp(at));
    const deleted = removed.map((server) =>
      tombstoneOf(withHost ? server : { ...server, ...nextVersion(server, at) }, at),
    );
    tombstones = [...tombstones, ...deleted].slice(-Math.max(fewestTombstones, size / 10));
  }

  const changes = createHostChanges({
    tables,
    changeAll,
    remove,
    now,
    seed,
    renameProject: (id, name) => {
      projects = projects.map((project) => (project.id === id ? { ...project, name } : project));
    },
  });
  const fleet: Omit<Fleet, 'live'> = {
    ...changes,
    tables,
    bornAtMs: born.bornAtMs,
    get servers() {
      return servers.rows;
    },
    get hosts() {
      return tables.hosts.rows;
    },
    get projects() {
      return projects;
    },
    get tombstones() {
      return tombstones;
    },
    create,
    remove,
    change,
    changeAll,
    setStatus: (id, status) => change(id, { status }),
    find: servers.find,
  };
  const life = createLife(fleet, seed);
  return Object.assign(fleet, { live: (nowMs: number) => life.live(nowMs) });
}

function changesColumn(before: ServerRecord, patch: Partial<ServerRecord>): boolean {
  return Object.entries(patch).some(
    ([field, value]) => serverColumns.has(field) && value !== before[field as keyof ServerRecord],
  );
}

function nextVersion({ update_version }: ServerRecord, at: number) {
  return { update_version: update_version + 1, updated_at: stamp(at) };
}

/** The row that is left of a deleted server: its disks, devices and addresses are gone. */
function tombstoneOf(server: ServerRecord, at: number): ServerRecord {
  const gone = {
    disks_info: [],
    isolated_devices: [],
    nics: [],
    metadata: {},
    eip: '',
    eip_mode: '',
    ips: '',
  };
  return { ...server, ...gone, deleted: true, deleted_at: stamp(at), disk: 0, disk_count: 0, is_gpu: false };
}
