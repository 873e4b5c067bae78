import type { Rights } from './accounts.ts';
import type { Fleet } from './fleet/fleet.ts';
import { boundsOf, type HostRecord } from './fleet/host.ts';
import type { ServerRecord } from './fleet/record.ts';
import { addressesUsed, type NetworkRecord } from './fleet/network.ts';
import { usedOf, type DeviceRecord, type StorageRecord } from './fleet/room.ts';
import type { Row, Table } from './fleet/rows.ts';
import { isTrue } from './filters.ts';
import type { SyncRecord } from './fleet/sync.ts';
import { createLists, type ListParts, type Lists, type Resource } from './lists.ts';
import { serverTelling, typeOf } from './servers.ts';
import { columnsOf, fixed, ofManaged, same, type Readers } from './text.ts';
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
    }),
    offer('hosts', tables.hosts, {
      ...ofDomain,
      columns: hostColumns,
      readers: hostReaders,
      sums: () => machineHolders(fleet),
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
      readers: { ...deviceReaders, dev_type: (row) => typeOf(row, parts.release) },
      sums: () => ({ host: (row) => hostOf(row)?.name, zone: (row) => hostOf(row)?.zone }),
      hides: {
        unused: ({ guest_id }, asked) => isTrue(asked) && guest_id !== '',
        show_baremetal_isolated_devices: (row, asked) =>
          !isTrue(asked) && hostOf(row)?.host_type !== 'hypervisor',
      },
    }),
    offer('networks', tables.networks, {
      owner: 'project',
      isOwn: () => true,
      columns: networkColumns,
      readers: networkReaders,
      sums: () => networkSums(fleet),
      hides: {},
    }),
    offer('cloudproviderregions', tables.cloudproviderregions, {
      ...ofDomain,
      // It has neither an id nor a name.
      columns: syncColumns,
      readers: syncReaders,
      hides: {},
    }),
    offer('zones', tables.zones, {
      ...ofAnyone,
      columns: columnsOf('cloudregion_id external_id'),
      readers: rowReaders,
      isOwn: ({ cloudregion_id }, scope) => scope === 'system' || cloudregion_id === 'default',
    }),
    offer('cloudregions', tables.cloudregions, {
      ...ofAnyone,
      columns: columnsOf(
        'description environment external_id provider source imported_at enabled latitude longitude',
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

function isOwnServer(server: ServerRecord, scope: Rights, token: IssuedToken): boolean {
  const { project, domain } = token.scope;
  if (scope === 'system') return true;
  if (scope === 'domain') return server.domain_id === (domain ?? project?.domain ?? token.account.domain).id;
  if (project === undefined) return server.domain_id === domain?.id;
  return scope === 'project' && server.tenant_id === project.id;
}

/** All of it is of the first domain, and shared with the others. */
const ofDomain = {
  owner: 'domain',
  isOwn: (_row: unknown, scope: Rights) => scope === 'system' || scope === 'domain',
} as const;
const ofAnyone = { owner: 'anyone', hides: {}, always: '"_i18n":{}' } as const;

const hostColumns = columnsOf(
  'access_ip billing_type domain_id external_id host_status host_type manager_id public_scope resource_type sn ' +
    'storage_type zone_id ' +
    'auto_renew cpu_cmtbound cpu_count cpu_reserved cpu_usage_percent enable_numa_allocate enable_pxe_boot enabled ' +
    'is_baremetal is_import is_maintenance is_public kvm_cap_max_vcpu mem_cmtbound mem_reserved mem_size ' +
    'memory_used_mb node_count page_size_kb root_partition_used_capacity_mb storage_size',
);
const storageColumns = columnsOf(
  'domain_id external_id manager_id medium_type public_scope storage_type zone_id ' +
    'actual_capacity_used capacity cmtbound enabled is_public is_sys_disk_store reserved',
);
const deviceColumns = columnsOf(
  'addr dev_type guest_id host_id model vendor_device_id ' +
    'disk_index is_infiniband_nic network_index numa_node nvme_size_mb reserved_cpu reserved_memory reserved_storage',
);
const networkColumns = columnsOf(
  'domain_id external_id guest_ip6_mask guest_ip_mask is_auto_alloc is_public is_system pending_deleted ' +
    'public_scope server_type vlan_id wire_id',
);
const syncColumns: ReadonlySet<string> = new Set(
  (
    'row_id cloudprovider_id cloudregion_id created_at deleted enabled last_sync last_sync_end_at sync_status ' +
    'update_version updated_at'
  ).split(' '),
);

const rowReaders = fixed({ deleted: false, is_emulated: false, progress: 100, update_version: 0 });
const sharedReaders: Readers<Pick<HostRecord, 'account' | 'region' | 'region_id'>> = {
  ...ofManaged,
  ...same(false, 'account_read_only can_delete deleted'),
  ...same(true, 'can_update is_public'),
  ...fixed({ progress: 100, project_domain: 'Default', public_scope: 'system' }),
  cloudregion: ({ region }) => region,
  cloudregion_id: ({ region_id }) => region_id,
};
const hostReaders: Readers<HostRecord> = {
  ...sharedReaders,
  ...same(0, 'cpu_usage_percent kvm_cap_max_vcpu memory_used_mb root_partition_used_capacity_mb'),
  ...same(false, 'auto_renew enable_numa_allocate is_import'),
  ...same(true, 'enable_pxe_boot'),
  ...fixed({ billing_type: 'postpaid', resource_type: 'shared' }),
  cpu_commit_bound: (host) => boundsOf(host).cpu,
  mem_commit_bound: (host) => boundsOf(host).memory,
  node_count: ({ host_type }) => (host_type === 'hypervisor' || host_type === 'baremetal' ? 2 : 0),
  storage_type: ({ host_type }) => (host_type === 'hypervisor' ? 'hybrid' : ''),
};

const deviceReaders: Readers<DeviceRecord> = {
  ...same(-1, 'disk_index network_index numa_node'),
  ...same(0, 'nvme_size_mb'),
  ...same(false, 'deleted is_emulated is_infiniband_nic'),
};
const networkReaders: Readers<NetworkRecord> = {
  ...sharedReaders,
  ...same(0, 'guest_ip6_mask total6 update_version'),
  ...same(1, 'vlan_id'),
  ...fixed({ domain_id: 'default', guest_ip_mask: 24 }),
  ...same(false, 'is_emulated is_system pending_deleted'),
  ...same(true, 'is_auto_alloc'),
};
const syncReaders: Readers<SyncRecord> = {
  ...same(undefined, 'id name'),
  ...same(false, 'deleted'),
  ...same(true, 'can_delete can_update'),
  region: ({ cloudregion }) => cloudregion,
  region_id: ({ cloudregion_id }) => cloudregion_id,
};

/** The server that has a whole machine. */
function machineHolders({ servers }: Fleet): Readers<HostRecord> {
  const holders = new Map(servers.map((server) => [server.host_id, server]));
  const holderOf = ({ id, is_baremetal }: HostRecord) => (is_baremetal ? holders.get(id) : undefined);
  return { server: (host) => holderOf(host)?.name, server_id: (host) => holderOf(host)?.id };
}

function storageSums({ servers }: Fleet): Readers<StorageRecord> {
  const all = usedOf(servers);
  /** Disks that no server can use: those of servers that never came to be. */
  const waste = usedOf(servers.filter(({ status }) => /^(create|deploy|disk|net)_fail$/.test(status)));
  const wasted = ({ id }: StorageRecord) => waste.get(id) ?? 0;
  const taken = ({ id }: StorageRecord) => all.get(id) ?? 0;
  const virtual = ({ capacity, reserved, cmtbound }: StorageRecord) =>
    Math.floor((capacity - reserved) * (cmtbound || 1));
  return {
    free_capacity: (storage) => virtual(storage) - taken(storage),
    used_capacity: (storage) => taken(storage) - wasted(storage),
    virtual_capacity: virtual,
    waste_capacity: wasted,
  };
}

function networkSums({ servers }: Fleet): Readers<NetworkRecord> {
  const all = addressesUsed(servers);
  const used = ({ id, server_type, lb_vnics, reserve_vnics4 }: NetworkRecord) =>
    (all.get(server_type === 'eip' ? server_type : id) ?? 0) + 2 * lb_vnics + reserve_vnics4;
  return { ports_used: used, total: used };
}
