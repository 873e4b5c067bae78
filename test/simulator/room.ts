import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

export type HostTruth = Readonly<ReturnType<typeof hostTruth>>;
export type StorageTruth = ReturnType<typeof storagesOf>[number];

/** As `GET /hosts` lists them: without the emulated ones of public clouds. */
export function hostsOf(fleet: Fleet): HostTruth[] {
  return fleet.hosts.filter(({ is_emulated }) => !is_emulated).map((host) => hostTruth(host, fleet));
}

/** A host as the platform's scheduler sees it. Sizes are mebibytes. */
function hostTruth(host: HostRecord, fleet: Fleet) {
  const { id, name, region, zone, host_type, status, enabled, is_baremetal } = host;
  const named = { id, region, zone, host: name, enabled };
  const isOff = /fail|unknown/.test(status);
  return {
    ...named,
    /** The word that servers carry. */
    hypervisor: host_type === 'hypervisor' ? 'kvm' : host_type,
    up: is_baremetal ? !isOff : host.host_status !== 'offline',
    maintenance: host.is_maintenance || /^(start_maintain|maintaining|maintain_fail)$/.test(status),
    schedulable: status === 'running' && host.host_status !== 'offline' && enabled && !is_baremetal,
    /** Without what the platform keeps for itself, and before overcommitment. */
    cpus: host.cpu_count - host.cpu_reserved,
    memory: host.mem_size - host.mem_reserved,
    storage: host.storage_size,
    promises: is_baremetal ? undefined : promisesOf(host, fleet),
  };
}

const counted = new Set(
  (
    'running start_start starting stop_fail block_stream unknown backup_starting schedule network disk start_deploy ' +
    'deploying backup_creating deploying_backup container_exited crash_loop_back_off starting_container ' +
    'stop_container_failed stopping_container creating_container'
  ).split(' '),
);

/** The ratios in force, and what may be promised and is: 46 of 46 hosts of the real platform were as it says. */
function promisesOf(host: HostRecord, { servers, tables }: Fleet) {
  const on = servers.filter(({ host_id }) => host_id === host.id);
  const standbys = servers.filter(({ backup_host_id }) => backup_host_id === host.id);
  const alive = [...on, ...standbys].filter(
    ({ status, pending_deleted }) => !pending_deleted && counted.has(status),
  );
  const gpus = tables.isolated_devices.rows.filter(
    ({ host_id, dev_type }) => host_id === host.id && dev_type.startsWith('GPU'),
  );
  const reserved = sum(gpus, ({ reserved_cpu }) => reserved_cpu);
  const holders = on.filter(({ is_gpu, status }) => is_gpu && status !== 'ready');
  const kept = reserved - Math.min(reserved, sum(holders, vcpusOf));
  const cpuOvercommit = host.cpu_cmtbound || 8;
  const memoryOvercommit = host.page_size_kb > 4 ? 1 : host.mem_cmtbound || 1;
  return {
    cpuOvercommit,
    memoryOvercommit,
    vcpusAllocatable: Math.floor(host.cpu_count * cpuOvercommit) - host.cpu_reserved - kept,
    memoryAllocatable: Math.floor((host.mem_size - host.mem_reserved) * memoryOvercommit),
    vcpusAllocated: sum(alive, vcpusOf),
    memoryAllocated: sum(alive, ({ vmem_size }) => vmem_size),
  };
}

export function storagesOf({ tables, servers }: Fleet) {
  const disks = servers.flatMap(({ disks_info }) => disks_info);
  const listed = tables.storages.rows.filter(({ is_emulated }) => !is_emulated);
  return listed.map((storage) => {
    const { id, name, region, zone, storage_type, medium_type, capacity, reserved, cmtbound } = storage;
    const named = { region, zone, storage: name, storage_type, medium_type, capacity };
    const own = disks.filter(({ storage_id }) => storage_id === id);
    return {
      ...named,
      up: storage.status === 'online' && storage.enabled,
      allocatable: Math.floor((capacity - reserved) * (cmtbound || 1)),
      allocated: sum(own, ({ size }) => size),
      /** What is really written; undefined where the platform does not know. */
      used: storage.actual_capacity_used || undefined,
    };
  });
}

/** Addresses of each network; what stands for public clouds too. */
export function networksOf({ tables, servers }: Fleet) {
  const cards = servers.flatMap(({ nics }) => nics.map(({ network_id }) => network_id));
  const eips = servers.filter(({ eip }) => eip !== '').length;
  return tables.networks.rows.map((network) => {
    const { id, name, server_type, region, zone, vpc, ports, lb_vnics, reserve_vnics4 } = network;
    const own = server_type === 'eip' ? eips : cards.filter((card) => card === id).length;
    const used = Math.min(ports, own + 2 * lb_vnics + reserve_vnics4);
    return { region, zone, vpc, network: name, server_type, ports, used, up: network.status === 'available' };
  });
}

/** When each subscription was synchronised in each region, in seconds; undefined where it never was. */
export function syncsOf({ tables }: Fleet) {
  return tables.cloudproviderregions.rows.map((row) => {
    const { cloudaccount: account, cloudprovider: subscription, cloudregion: region, enabled } = row;
    const at = Date.parse(row.last_sync_end_at || row.last_sync) / 1000;
    return { account, subscription, region, enabled, at: Number.isNaN(at) ? undefined : at };
  });
}

/** On hosts of virtual machines that are still there, as they are listed unasked; a row for each. */
export function devicesOf({ tables }: Fleet) {
  return tables.isolated_devices.rows.flatMap(({ host_id, dev_type, model, guest_id }) => {
    const host = tables.hosts.find(host_id);
    if (host?.host_type !== 'hypervisor') return [];
    const { region, zone, name } = host;
    return [{ region, zone, host: name, dev_type, model, count: 1, free: Number(guest_id === '') }];
  });
}

function vcpusOf({ vcpu_count }: ServerRecord): number {
  return vcpu_count;
}

export function sum<Value>(values: readonly Value[], of: (value: Value) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
