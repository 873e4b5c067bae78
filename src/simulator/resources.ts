import type { Rights } from './accounts.ts';
import type { Release } from './answer.ts';
import type { Fleet } from './fleet/fleet.ts';
import { boundsOf, type HostRecord } from './fleet/host.ts';
import type { RegionRecord, ZoneRecord } from './fleet/places.ts';
import type { ServerRecord } from './fleet/record.ts';
import { countConnected, usedOf, type DeviceRecord, type StorageRecord } from './fleet/room.ts';
import { createLists, isTrue, type ListParts, type Lists, type Resource } from './lists.ts';
import { newWordOf, serverTelling } from './servers.ts';
import { columnsOf, type Readers } from './text.ts';
import type { IssuedToken } from './tokens.ts';

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
      pending_delete: ({ pending_deleted }, asked) => asked !== 'all' && pending_deleted !== isTrue(asked),
      system: ({ is_system }, asked) => is_system && !isTrue(asked),
      ...hidesEmulated,
    },
    conditions: 'status hypervisor os_type billing_type zone host region project tenant brand name'.split(
      ' ',
    ),
    deleted: () => fleet.tombstones,
    totals: sumUp,
  };
  const hosts: Resource<HostRecord> = {
    ...ofDomain('hosts', 'host'),
    table: tables.hosts,
    columns: columnsOf(
      'access_ip billing_type domain_id external_id host_status host_type manager_id public_scope ' +
        'resource_type sn storage_type zone_id',
      'auto_renew cpu_cmtbound cpu_count cpu_reserved cpu_usage_percent enable_numa_allocate enable_pxe_boot ' +
        'enabled is_baremetal is_import is_maintenance is_public kvm_cap_max_vcpu mem_cmtbound mem_reserved mem_size ' +
        'memory_used_mb node_count page_size_kb root_partition_used_capacity_mb storage_size',
    ),
    readers: hostReaders,
    sums: () => hostSums(fleet),
    hides: hidesEmulated,
  };
  const storages: Resource<StorageRecord> = {
    ...ofDomain('storages', 'storage'),
    table: tables.storages,
    columns: columnsOf(
      'domain_id external_id manager_id medium_type public_scope storage_type zone_id',
      'actual_capacity_used capacity cmtbound enabled is_public is_sys_disk_store reserved',
    ),
    readers: { ...sharedReaders, ...placeReaders, is_sys_disk_store: () => true },
    sums: () => storageSums(fleet),
    hides: hidesEmulated,
  };
  const hostOf = ({ host_id }: DeviceRecord) => tables.hosts.find(host_id);
  const devices: Resource<DeviceRecord> = {
    ...ofDomain('isolated_devices', 'isolated_device'),
    table: tables.isolated_devices,
    columns: columnsOf(
      'addr dev_type guest_id host_id model vendor_device_id',
      'disk_index is_infiniband_nic network_index numa_node nvme_size_mb reserved_cpu reserved_memory reserved_storage',
    ),
    readers: deviceReaders(parts.release),
    sums: () => ({ host: (row) => hostOf(row)?.name, zone: (row) => hostOf(row)?.zone }),
    hides: {
      unused: ({ guest_id }, asked) => isTrue(asked) && guest_id !== '',
      show_baremetal_isolated_devices: (row, asked) =>
        !isTrue(asked) && hostOf(row)?.host_type !== 'hypervisor',
    },
  };
  const zones: Resource<ZoneRecord> = {
    ...ofAnyone('zones', 'zone'),
    table: tables.zones,
    columns: columnsOf('cloudregion_id external_id', ''),
    readers: rowReaders,
    isOwn: ({ cloudregion_id }, _token, scope) => scope === 'system' || cloudregion_id === 'default',
  };
  const regions: Resource<RegionRecord> = {
    ...ofAnyone('cloudregions', 'cloudregion'),
    table: tables.cloudregions,
    columns: columnsOf(
      'description environment external_id provider source imported_at',
      'enabled latitude longitude',
    ),
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

const hidesEmulated = {
  show_emulated: ({ is_emulated }: { readonly is_emulated: boolean }, asked: string) =>
    is_emulated && !isTrue(asked),
};

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

/** All of it is of the first domain, and shared with the others. */
function ofDomain(key: string, singular: string) {
  const isOwn = (_row: unknown, _token: IssuedToken, scope: Rights) =>
    scope === 'system' || scope === 'domain';
  const conditions = ['name', 'status', 'zone', 'enabled'];
  return { key, singular, owner: 'domain', isOwn, conditions } as const;
}

function ofAnyone(key: string, singular: string) {
  return { key, singular, owner: 'anyone', hides: {}, conditions: ['name'], always: '"_i18n":{}' } as const;
}

/** What is the same in every row. */
function same(values: Readonly<Record<string, unknown>>): Readers<object> {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, () => value]));
}

const placeReaders: Readers<{ readonly region: string; readonly region_id: string }> = {
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
};
const rowReaders = same({ deleted: false, is_emulated: false, progress: 100, update_version: 0 });
const sharedReaders = same({
  account_read_only: false,
  can_update: true,
  deleted: false,
  is_public: true,
  progress: 100,
  project_domain: 'Default',
  public_scope: 'system',
});

const hostReaders: Readers<HostRecord> = {
  ...sharedReaders,
  ...placeReaders,
  ...same({
    auto_renew: false,
    billing_type: 'postpaid',
    cpu_usage_percent: 0,
    enable_numa_allocate: false,
    enable_pxe_boot: true,
    is_import: false,
    kvm_cap_max_vcpu: 0,
    memory_used_mb: 0,
    resource_type: 'shared',
    root_partition_used_capacity_mb: 0,
  }),
  node_count: ({ host_type }) => (host_type === 'hypervisor' || host_type === 'baremetal' ? 2 : 0),
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

function storageSums({ servers, hosts }: Fleet): Readers<StorageRecord> {
  const all = usedOf(servers);
  /** Disks that no server can use: those of servers that never came to be. */
  const waste = usedOf(servers.filter(({ status }) => /^(create|deploy|disk|net)_fail$/.test(status)));
  const wasted = ({ id }: StorageRecord) => waste.get(id) ?? 0;
  const used = (storage: StorageRecord) => (all.get(storage.id) ?? 0) - wasted(storage);
  const virtual = ({ capacity, reserved, cmtbound }: StorageRecord) =>
    Math.floor((capacity - reserved) * (cmtbound || 1));
  const connected = countConnected(hosts);
  return {
    can_delete: () => false,
    commit_bound: ({ cmtbound }) => cmtbound || 1,
    commit_rate: (storage) => Math.round((used(storage) / (storage.capacity || 1)) * 100) / 100,
    free_capacity: (storage) => virtual(storage) - used(storage) - wasted(storage),
    host_count: ({ id }) => connected.get(id) ?? 0,
    used,
    used_capacity: used,
    virtual_capacity: virtual,
    waste_capacity: wasted,
    wasted,
  };
}

function deviceReaders(release: Release): Readers<DeviceRecord> {
  const none = { disk_index: -1, network_index: -1, numa_node: -1, nvme_size_mb: 0 };
  return {
    ...same({ ...none, deleted: false, is_emulated: false, is_infiniband_nic: false }),
    dev_type: (row) => (release === '4.0' ? newWordOf(row) : row.dev_type),
  };
}

/** Undocumented sums over all that match, which 3.10 adds to every page. */
function sumUp(matching: readonly ServerRecord[]): object {
  const sum = (of: (server: ServerRecord) => number) => matching.reduce((total, one) => total + of(one), 0);
  return {
    cpu_count: sum(({ vcpu_count }) => vcpu_count),
    disk_count: sum(({ disk_count }) => disk_count),
    disk_mb: sum(({ disk }) => disk),
    mem_mb: sum(({ vmem_size }) => vmem_size),
  };
}
