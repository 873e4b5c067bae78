import type { Rights } from './accounts.ts';
import type { Release } from './answer.ts';
import * as columns from './fleet/columns.ts';
import type { Fleet } from './fleet/fleet.ts';
import { boundsOf, type HostRecord } from './fleet/host.ts';
import type { RegionRecord, ZoneRecord } from './fleet/landscape.ts';
import type { ServerRecord } from './fleet/record.ts';
import { countConnected, usedOf, type DeviceRecord, type StorageRecord } from './fleet/room.ts';
import type { IssuedToken } from './identity/tokens.ts';
import { createLists, type ListParts, type Lists, type Resource } from './lists/resource.ts';
import type { Readers } from './lists/text.ts';
import { newWordOf, serverTelling } from './server-fields.ts';

/** Everything that is listed, by its path. */
export function createResources(fleet: Fleet, parts: ListParts): ReadonlyMap<string, Lists> {
  const { tables } = fleet;
  const servers: Resource<ServerRecord> = {
    ...serverTelling(parts.release),
    key: 'servers',
    singular: 'server',
    table: tables.servers,
    owner: 'project',
    isOwn: isOwnServer,
    hides: {
      pending_delete: ({ pending_deleted }, asked) => asked !== 'all' && pending_deleted !== isYes(asked),
      system: ({ is_system }, asked) => is_system && !isYes(asked),
      show_emulated: hidesEmulated,
    },
    conditions: 'status hypervisor os_type billing_type zone host region project tenant brand name'.split(
      ' ',
    ),
    deleted: () => fleet.tombstones,
    totals: sumUp,
  };
  const hosts: Resource<HostRecord> = {
    ...inDomain('hosts', 'host'),
    table: tables.hosts,
    columns: columns.hostColumns,
    readers: hostReaders,
    sums: () => hostSums(fleet),
    hides: { show_emulated: hidesEmulated },
  };
  const storages: Resource<StorageRecord> = {
    ...inDomain('storages', 'storage'),
    table: tables.storages,
    columns: columns.storageColumns,
    readers: storageReaders,
    sums: () => storageSums(fleet),
    hides: { show_emulated: hidesEmulated },
  };
  const hostOf = ({ host_id }: DeviceRecord) => tables.hosts.find(host_id);
  const devices: Resource<DeviceRecord> = {
    ...inDomain('isolated_devices', 'isolated_device'),
    table: tables.isolated_devices,
    columns: columns.deviceColumns,
    readers: deviceReaders(parts.release),
    sums: () => ({ host: (row) => hostOf(row)?.name, zone: (row) => hostOf(row)?.zone }),
    hides: {
      unused: ({ guest_id }, asked) => isYes(asked) && guest_id !== '',
      show_baremetal_isolated_devices: (row, asked) =>
        !isYes(asked) && hostOf(row)?.host_type !== 'hypervisor',
    },
  };
  const zones: Resource<ZoneRecord> = {
    ...anyones('zones', 'zone'),
    table: tables.zones,
    columns: columns.zoneColumns,
    readers: { ...rowReaders },
    isOwn: ({ cloudregion_id }, _token, scope) => scope === 'system' || cloudregion_id === 'default',
  };
  const regions: Resource<RegionRecord> = {
    ...anyones('cloudregions', 'cloudregion'),
    table: tables.cloudregions,
    columns: columns.regionColumns,
    readers: { ...rowReaders, enabled: () => true, latitude: () => 0, longitude: () => 0 },
    isOwn: ({ id }, _token, scope) => scope === 'system' || id === 'default',
  };
  return new Map([
    ['servers', createLists(servers, parts)],
    ['hosts', createLists(hosts, parts)],
    ['storages', createLists(storages, parts)],
    ['isolated_devices', createLists(devices, parts)],
    ['zones', createLists(zones, parts)],
    ['cloudregions', createLists(regions, parts)],
  ]);
}

function isYes(asked: string): boolean {
  return asked === 'true' || asked === '1';
}

function hidesEmulated({ is_emulated }: { readonly is_emulated: boolean }, asked: string): boolean {
  return is_emulated && !isYes(asked);
}

function isOwnServer(
  server: ServerRecord,
  { account, scope: { project, domain } }: IssuedToken,
  scope: Rights,
) {
  if (scope === 'system') return true;
  if (scope === 'domain') return server.domain_id === (domain ?? project?.domain ?? account.domain).id;
  if (project === undefined) return server.domain_id === domain?.id;
  return scope === 'project' && server.tenant_id === project.id;
}

function inDomain(key: string, singular: string) {
  return {
    key,
    singular,
    owner: 'domain',
    /** All of it is of the first domain, and shared with the others. */
    isOwn: (_row: unknown, _token: IssuedToken, scope: Rights) => scope === 'system' || scope === 'domain',
    conditions: ['name', 'status', 'zone', 'enabled'],
  } as const;
}

function anyones(key: string, singular: string) {
  return { key, singular, owner: 'anyone', hides: {}, conditions: ['name'], always: '"_i18n":{}' } as const;
}

const placeReaders: Readers<{ readonly region: string; readonly region_id: string }> = {
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
};
const rowReaders: Readers<object> = {
  deleted: () => false,
  is_emulated: () => false,
  progress: () => 100,
  update_version: () => 0,
};
const sharedReaders: Readers<object> = {
  account_read_only: () => false,
  can_update: () => true,
  deleted: () => false,
  is_public: () => true,
  progress: () => 100,
  project_domain: () => 'Default',
  public_scope: () => 'system',
};

const hostReaders: Readers<HostRecord> = {
  ...sharedReaders,
  ...placeReaders,
  auto_renew: () => false,
  billing_type: () => 'postpaid',
  cpu_usage_percent: () => 0,
  enable_numa_allocate: () => false,
  enable_pxe_boot: () => true,
  is_import: () => false,
  kvm_cap_max_vcpu: () => 0,
  memory_used_mb: () => 0,
  node_count: ({ host_type }) => (host_type === 'hypervisor' || host_type === 'baremetal' ? 2 : 0),
  resource_type: () => 'shared',
  root_partition_used_capacity_mb: () => 0,
  storage_type: ({ host_type }) => (host_type === 'hypervisor' ? 'hybrid' : ''),
};

/** The platform's own sums count running servers only. */
function hostSums({ servers }: Fleet): Readers<HostRecord> {
  const byHost = new Map<string, ServerRecord[]>();
  for (const server of servers) byHost.set(server.host_id, [...(byHost.get(server.host_id) ?? []), server]);
  const on = ({ id }: HostRecord) => byHost.get(id) ?? [];
  const running = (host: HostRecord) => on(host).filter(({ status }) => status === 'running');
  const sum = (host: HostRecord, column: 'vcpu_count' | 'vmem_size') =>
    running(host).reduce((total, server) => total + server[column], 0);
  const onMachine = (host: HostRecord) => (host.is_baremetal ? on(host)[0] : undefined);
  return {
    can_delete: () => false,
    cpu_commit: (host) => sum(host, 'vcpu_count'),
    cpu_commit_bound: (host) => boundsOf(host).cpu,
    guests: (host) => on(host).length,
    mem_commit: (host) => sum(host, 'vmem_size'),
    mem_commit_bound: (host) => boundsOf(host).memory,
    running_guests: (host) => running(host).length,
    server: (host) => onMachine(host)?.name,
    server_id: (host) => onMachine(host)?.id,
  };
}

const storageReaders: Readers<StorageRecord> = {
  ...sharedReaders,
  ...placeReaders,
  is_sys_disk_store: () => true,
};

function storageSums({ servers, hosts }: Fleet): Readers<StorageRecord> {
  const used = usedOf(servers);
  /** Disks that no server can use: those of servers that never came to be. */
  const waste = usedOf(servers.filter(({ status }) => /^(create|deploy|disk|net)_fail$/.test(status)));
  const usedIn = ({ id }: StorageRecord) => (used.get(id) ?? 0) - (waste.get(id) ?? 0);
  const wastedIn = ({ id }: StorageRecord) => waste.get(id) ?? 0;
  const virtual = ({ capacity, reserved, cmtbound }: StorageRecord) =>
    Math.floor((capacity - reserved) * (cmtbound || 1));
  const free = (storage: StorageRecord) => virtual(storage) - usedIn(storage) - wastedIn(storage);
  const connected = countConnected(hosts);
  return {
    can_delete: () => false,
    commit_bound: ({ cmtbound }) => cmtbound || 1,
    commit_rate: (storage) => Math.round((usedIn(storage) / (storage.capacity || 1)) * 100) / 100,
    free_capacity: free,
    host_count: ({ id }) => connected.get(id) ?? 0,
    used: usedIn,
    used_capacity: usedIn,
    virtual_capacity: virtual,
    waste_capacity: wastedIn,
    wasted: wastedIn,
  };
}

function deviceReaders(release: Release): Readers<DeviceRecord> {
  return {
    deleted: () => false,
    dev_type: (row) => (release === '4.0' ? newWordOf(row) : row.dev_type),
    disk_index: () => -1,
    is_emulated: () => false,
    is_infiniband_nic: () => false,
    network_index: () => -1,
    numa_node: () => -1,
    nvme_size_mb: () => 0,
  };
}

/** Undocumented sums over all that match, which 3.10 adds to every page. */
function sumUp(matching: readonly ServerRecord[]): object {
  const totals = { cpu_count: 0, disk_count: 0, disk_mb: 0, mem_mb: 0 };
  for (const { vcpu_count, disk_count, disk, vmem_size } of matching) {
    totals.cpu_count += vcpu_count;
    totals.disk_count += disk_count;
    totals.disk_mb += disk;
    totals.mem_mb += vmem_size;
  }
  return totals;
}
