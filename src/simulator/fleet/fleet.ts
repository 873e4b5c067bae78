import { createHostChanges, type HostChanges } from './changes.ts';
import { serverColumns } from './columns.ts';
import type { HostRecord } from './host.ts';
import type { Project, RegionRecord, ZoneRecord } from './landscape.ts';
import { createLife } from './life.ts';
import { createPopulation } from './population.ts';
import { deviceRow, type DeviceRecord, type StorageRecord } from './room.ts';
import { createTable, type Table } from './rows.ts';
import type { ServerRecord } from './record.ts';
import { stamp } from '../timestamp.ts';

export interface FleetPlan {
  readonly servers: number;
  readonly seed?: number;
  readonly now?: () => number;
  /** With cases that are rare: failed tasks, ends in the year 1, every status in the recycle bin. */
  readonly rareCases?: boolean;
}

export interface Tables {
  readonly servers: Table<ServerRecord>;
  readonly hosts: Table<HostRecord>;
  readonly storages: Table<StorageRecord>;
  readonly isolated_devices: Table<DeviceRecord>;
  readonly zones: Table<ZoneRecord>;
  readonly cloudregions: Table<RegionRecord>;
}

export interface Fleet extends HostChanges {
  readonly tables: Tables;
  readonly bornAtMs: number;
  /** In the platform's list order. Replaced at every change, never changed itself: a page cut from it stays true. */
  readonly servers: readonly ServerRecord[];
  readonly hosts: readonly HostRecord[];
  /** Every project that identity knows. */
  readonly projects: readonly Project[];
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
  /** Lets the time until then pass: the same seed and moments give the same life. */
  live(nowMs: number): void;
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
