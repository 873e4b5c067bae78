import type { Rights } from './accounts.ts';
import type { Release } from './answer.ts';
import type { Fleet } from './fleet/fleet.ts';
import { boundsOf, type HostRecord } from './fleet/host.ts';
import type { ServerRecord } from './fleet/record.ts';
import { countConnected, usedOf, type DeviceRecord, type StorageRecord } from './fleet/room.ts';
import type { Row, Table } from './fleet/rows.ts';
import { createLists, isTrue, type ListParts, type Lists, type Resource } from './lists.ts';
import { newWordOf, serverTelling } from './servers.ts';
import { columnsOf, same, type Readers } from './text.ts';
import type { IssuedToken } from './tokens.ts';

/** Everything that is listed, by its path. */
export function createResources(fleet: Fleet, parts: ListParts): ReadonlyMap<string, Lists> {
  const { tables } = fleet;
  const hostOf = ({ host_id }: DeviceRecord) => tables.hosts.find(host_id);
  const offer = <R extends Row>(key: string, table: Table<R>, how: Omit<Resource<R>, 'key' | 'table'>) =>
    [key, createLists({ ...how, key, table }, parts)] as const;
  return new Map([
    offer('servers', tables.servers, {
      ...serverTelling(parts.release),
      owner: 'project',
      isOwn: isOwnServer,
      hides: {
        pending_delete: ({ pending_deleted }, asked) => asked !== 'all' && pending_deleted !== isTrue(asked),
        system: ({ is_system }, asked) => is_system && !isTrue(asked),
        ...hidesEmulated,
      },
      conditions: 'status hypervisor os_type billing_type zone host region project tenant brand name',
      deleted: () => fleet.tombstones,
      totals: sumUp,
    }),
    offer('hosts', tables.hosts, {
      ...ofDomain,
      columns: hostColumns,
      readers: hostReaders,
      sums: () => hostSums(fleet),
      hides: hidesEmulated,
    }),
    offer('storages', tables.storages, {
      ...ofDomain,
      columns: storageColumns,
      readers: { ...sharedReaders, ...same(true, 'is_sys_disk_store') },
      sums: () => storageSums(fleet),
      hides: hidesEmulated,
    }),
    offer('isolated_devices', tables.isolated_devices, {
      ...ofDomain,
      columns: deviceColumns,
      readers: deviceReaders(parts.release),
      sums: () => ({ host: (row) => hostOf(row)?.name, zone: (row) => hostOf(row)?.zone }),
      hides: {
        unused: ({ guest_id }, asked) => isTrue(asked) && guest_id !== '',
        show_baremetal_isolated_devices: (row, asked) =>
          !isTrue(asked) && hostOf(row)?.host_type !== 'hypervisor',
      },
    }),
    offer('zones', tables.zones, {
      ...ofAnyone,
      columns: columnsOf('cloudregion_id external_id', ''),
      readers: rowReaders,
      isOwn: ({ cloudregion_id }, scope) => scope === 'system' || cloudregion_id === 'default',
    }),
    offer('cloudregions', tables.cloudregions, {
      ...ofAnyone,
      columns: columnsOf(
        'description environment external_id provider source imported_at',
        'enabled latitude longitude',
      ),
      readers: { ...rowReaders, ...same(true, 'enabled'), ...same(0, 'latitude longitude') },
      isOwn: ({ id }, scope) => scope === 'system' || id === 'default',
    }),
  ]);
}

const hidesEmulated = {
  show_emulated: ({ is_emulated }: { readonly is_emulated: boolean }, asked: string) =>
    is_emulated && !isTrue(asked),
};

function isOwnServer(
  server: ServerRecord,
  scope: Rights,
  { account, scope: { project, domain } }: IssuedToken,
): boolean {
  if (scope === 'system') return true;
  if (scope === 'domain') return server.domain_id === (domain ?? project?.domain ?? account.domain).id;
  if (project === undefined) return server.domain_id === domain?.id;
  return scope === 'project' && server.tenant_id === project.id;
}

/** All of it is of the first domain, and shared with the others. */
const ofDomain = {
  owner: 'domain',
  isOwn: (_row: unknown, scope: Rights) => scope === 'system' || scope === 'domain',
  conditions: 'name status zone enabled',
} as const;
const ofAnyone = { owner: 'anyone', hides: {}, conditions: 'name', always: '"_i18n":{}' } as const;

const hostColumns = columnsOf(
  'access_ip billing_type domain_id external_id host_status host_type manager_id public_scope resource_type sn ' +
    'storage_type zone_id',
  'auto_renew cpu_cmtbound cpu_count cpu_reserved cpu_usage_percent enable_numa_allocate enable_pxe_boot enabled ' +
    'is_baremetal is_import is_maintenance is_public kvm_cap_max_vcpu mem_cmtbound mem_reserved mem_size ' +
    'memory_used_mb node_count page_size_kb root_partition_used_capacity_mb storage_size',
);
const storageColumns = columnsOf(
  'domain_id external_id manager_id medium_type public_scope storage_type zone_id',
  'actual_capacity_used capacity cmtbound enabled is_public is_sys_disk_store reserved',
);
const deviceColumns = columnsOf(
  'addr dev_type guest_id host_id model vendor_device_id',
  'disk_index is_infiniband_nic network_index numa_node nvme_size_mb reserved_cpu reserved_memory reserved_storage',
);

const rowReaders: Readers<object> = {
  ...same(false, 'deleted is_emulated'),
  ...same(0, 'update_version'),
  ...same(100, 'progress'),
};
const sharedReaders: Readers<{ readonly region: string; readonly region_id: string }> = {
  ...same(false, 'account_read_only deleted'),
  ...same(true, 'can_update is_public'),
  ...same(100, 'progress'),
  ...same('Default', 'project_domain'),
  ...same('system', 'public_scope'),
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
};
const hostReaders: Readers<HostRecord> = {
  ...sharedReaders,
  ...same(0, 'cpu_usage_percent kvm_cap_max_vcpu memory_used_mb root_partition_used_capacity_mb'),
  ...same(false, 'auto_renew enable_numa_allocate is_import'),
  ...same(true, 'enable_pxe_boot'),
  ...same('postpaid', 'billing_type'),
  ...same('shared', 'resource_type'),
  node_count: ({ host_type }) => (host_type === 'hypervisor' || host_type === 'baremetal' ? 2 : 0),
  storage_type: ({ host_type }) => (host_type === 'hypervisor' ? 'hybrid' : ''),
};

function deviceReaders(release: Release): Readers<DeviceRecord> {
  return {
    ...same(-1, 'disk_index network_index numa_node'),
    ...same(0, 'nvme_size_mb'),
    ...same(false, 'deleted is_emulated is_infiniband_nic'),
    dev_type: (row) => (release === '4.0' ? newWordOf(row) : row.dev_type),
  };
}

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
