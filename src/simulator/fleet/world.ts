import { serverColumns } from '../servers.ts';
import { stamp } from '../answer.ts';
import { equip, heard, hostFields, spareLoad, standbyFields, type HostRecord } from './host.ts';
import { createPopulation, type FleetPlan } from './population.ts';
import { createNamed } from './random.ts';
import type { ServerRecord } from './record.ts';
import { deviceRow, movedTo } from './room.ts';
import { createTable } from './rows.ts';

/** When, by default now. Earlier is a change that waited behind a lock, later a row from the future. */
export type Moment = { readonly at?: number };
type Patch = Partial<ServerRecord>;
export type World = ReturnType<typeof createWorld>;

/** Everything that there is, and what may become of it. No version of a server moves where only its host or a name does. */
export function createWorld(plan: FleetPlan) {
  const { seed = 1, now = Date.now } = plan;
  const born = createPopulation(plan);
  const tables = {
    servers: createTable(born.servers),
    hosts: createTable(born.hosts),
    storages: createTable(born.storages),
    isolated_devices: createTable(born.devices),
    networks: createTable(born.networks),
    cloudproviderregions: createTable(born.syncs(born.bornAtMs)),
    zones: createTable(born.zones),
    cloudregions: createTable(born.regions),
  };
  const { servers, hosts, storages, isolated_devices: devices, networks, zones, cloudregions } = tables;
  let { projects } = born;
  let added = 0;

  function create(count: number, patch: Patch = {}): readonly ServerRecord[] {
    const there = { servers: servers.rows, hosts: hosts.rows };
    const nameOf = (id: string) => projects.find((project) => project.id === id)!.name;
    const created = born
      .next(count, there)
      .map((server) => ({ ...server, project: nameOf(server.tenant_id), ...patch }));
    servers.add(created);
    for (const server of created) settle(undefined, server, stamp(now()));
    return created;
  }

  /** A device is of the server that says so; one that no server has any more is free. */
  function settle(before: ServerRecord | undefined, after: ServerRecord | undefined, at: string): void {
    if (before?.isolated_devices === after?.isolated_devices) return;
    const held = new Set(after?.isolated_devices.map(idOf));
    const lost = before?.isolated_devices.map(idOf).filter((id) => !held.has(id)) ?? [];
    devices.replace(lost, (row) => (row.guest_id === before?.id ? { ...row, guest_id: '' } : row));
    devices.remove(held);
    devices.add(after?.isolated_devices.map((device) => deviceRow(device, at)) ?? []);
  }

  /** A column that changes moves `updated_at` and `update_version`, unless the patch says these itself. */
  function changeAll(
    ids: Iterable<string>,
    patchOf: (server: ServerRecord) => Patch,
    { at = now() }: Moment = {},
  ): void {
    servers.replace(ids, (before) => {
      const patch = patchOf(before);
      const after = { ...before, ...(changesColumn(before, patch) && nextVersion(before, at)), ...patch };
      settle(before, after, stamp(at));
      return after;
    });
  }

  function change(id: string, patch: Patch, moment?: Moment): ServerRecord {
    if (servers.find(id) === undefined) throw new RangeError(`no server ${id}`);
    changeAll([id], () => patch, moment);
    return servers.find(patch.id ?? id)!;
  }

  function remove(ids: Iterable<string>, { at = now() }: Moment = {}): void {
    for (const server of servers.remove(ids)) settle(server, undefined, stamp(at));
  }

  function findHost(id: string): HostRecord {
    const found = hosts.find(id);
    if (found === undefined) throw new RangeError(`no host ${id}`);
    return found;
  }

  function tellServers(isMeant: (server: ServerRecord) => boolean, patch: Patch): void {
    changeAll(servers.rows.filter(isMeant).map(idOf), () => patch);
  }

  function changeHost(id: string, patch: Partial<HostRecord>): HostRecord {
    const before = findHost(id);
    const version = { update_version: before.update_version + 1, updated_at: stamp(now()) };
    const after = { ...before, ...version, ...patch };
    hosts.replace([id], () => after);
    const [old, told] = [hostFields(before), hostFields(after)];
    const changed = Object.entries(told).filter(([field, value]) => old[field as keyof typeof old] !== value);
    if (changed.length === 0) return after;
    tellServers(({ host_id }) => host_id === id, Object.fromEntries(changed));
    tellServers(({ backup_host_id }) => backup_host_id === id, standbyFields(after));
    return after;
  }

  /** Like the host of that id, or the first one. A zone that it names is there from then on. */
  function addHost(patch: Partial<HostRecord> = {}, like?: string): HostRecord {
    const model = like === undefined ? hosts.rows[0]! : findHost(like);
    const random = createNamed(seed, `added ${(added += 1)}`);
    const at = { created_at: stamp(now()), updated_at: stamp(now()) };
    const own = { ...at, id: random.uuid(), name: `${model.host_type}-host-added-${added}` };
    const zone_id = patch.zone && createNamed(seed, (patch.region ?? model.region) + patch.zone).uuid();
    const fresh = { ...equip(model, spareLoad), ...own, ...(zone_id && { zone_id }), ...patch };
    const { zone: name, region: cloudregion, region_id: cloudregion_id } = fresh;
    const zone = { ...zones.rows[0]!, ...at, name, external_id: '', cloudregion, cloudregion_id };
    if (zones.find(fresh.zone_id) === undefined) zones.add([{ ...zone, id: fresh.zone_id }]);
    hosts.add([fresh]);
    return fresh;
  }

  /** Of a zone, a region or a project, wherever it is told. */
  function rename(kind: 'zones' | 'cloudregions' | 'projects', id: string, name: string): void {
    if (kind === 'projects') {
      projects = projects.map((project) => (project.id === id ? { ...project, name } : project));
      return tellServers(({ tenant_id }) => tenant_id === id, { project: name });
    }
    const [key, patch] =
      kind === 'zones' ? (['zone_id', { zone: name }] as const) : (['region_id', { region: name }] as const);
    const isThere = (row: Readonly<Record<typeof key, string>>) => row[key] === id;
    hosts.replace(hosts.rows.filter(isThere).map(idOf), (row) => ({ ...row, ...patch }));
    storages.replace(storages.rows.filter(isThere).map(idOf), (row) => ({ ...row, ...patch }));
    networks.replace(networks.rows.filter(isThere).map(idOf), (row) => ({ ...row, ...patch }));
    zones.replace([id], (row) => ({ ...row, name }));
    cloudregions.replace([id], (row) => ({ ...row, name }));
    tellServers(isThere, patch);
  }

  return {
    tables,
    bornAtMs: born.bornAtMs,
    /** In the platform's list order. Replaced at every change, never changed itself: a page cut from it stays true. */
    get servers() {
      return servers.rows;
    },
    get hosts() {
      return hosts.rows;
    },
    /** Every project that identity knows. */
    get projects() {
      return projects;
    },
    find: servers.find,
    create,
    remove,
    change,
    changeAll,
    setStatus: (id: string, status: string) => change(id, { status }),
    moveServer(id: string, hostId: string, moment?: Moment): ServerRecord {
      const host = findHost(hostId);
      changeAll([id], (server) => movedTo(host, server), moment);
      return servers.find(id)!;
    },
    addHost,
    /** Its servers go with it. */
    removeHost(id: string, moment: Moment = {}): void {
      const on = servers.rows.filter(({ host_id }) => host_id === id);
      remove(on.map(idOf), moment);
      hosts.remove([id]);
    },
    changeHost,
    enableHost: (id: string, enabled: boolean) => changeHost(id, { enabled }),
    /** The agent is no longer heard of, or is again. The status of its servers is another matter. */
    silenceHost: (id: string, silent = true) => changeHost(id, heard(!silent)),
    rename,
    /** Public clouds, as far as that goes on. */
    synchronise: (at: number) => tables.cloudproviderregions.add(born.syncs(at)),
  };
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

function changesColumn(before: ServerRecord, patch: Patch): boolean {
  return Object.entries(patch).some(
    ([field, value]) => serverColumns.has(field) && value !== before[field as keyof ServerRecord],
  );
}

function nextVersion({ update_version }: ServerRecord, at: number) {
  return { update_version: update_version + 1, updated_at: stamp(at) };
}
