import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

interface Place {
  readonly region: string;
  readonly zone: string;
}

/** A host as the platform's scheduler sees it. Sizes are mebibytes. */
export interface HostTruth extends Place {
  readonly id: string;
  readonly host: string;
  /** The word that servers carry. */
  readonly hypervisor: string;
  readonly up: boolean;
  readonly enabled: boolean;
  readonly maintenance: boolean;
  readonly schedulable: boolean;
  /** Without what the platform keeps for itself, and before overcommitment. */
  readonly cpus: number;
  readonly memory: number;
  readonly storage: number;
  /** The ratios in force, and what may be promised and is; none for bare metal. */
  readonly promises: Promises | undefined;
}

interface Promises {
  readonly cpuOvercommit: number;
  readonly memoryOvercommit: number;
  readonly vcpusAllocatable: number;
  readonly memoryAllocatable: number;
  readonly vcpusAllocated: number;
  readonly memoryAllocated: number;
}

export interface HostLoadRow extends Place {
  readonly host: string;
  readonly status: string;
  readonly pendingDeleted: boolean;
  servers: number;
  vcpus: number;
  memory: number;
}

export interface StorageTruth extends Place {
  readonly storage: string;
  readonly storage_type: string;
  readonly medium_type: string;
  readonly up: boolean;
  readonly capacity: number;
  readonly allocatable: number;
  readonly allocated: number;
  /** What is really written; undefined where the platform does not know. */
  readonly used: number | undefined;
}

export interface DeviceTruth extends Place {
  readonly host: string;
  readonly dev_type: string;
  readonly model: string;
  readonly count: number;
  readonly free: number;
}

/** As `GET /hosts` lists them: without the emulated ones of public clouds. */
export function hostsOf(fleet: Fleet): HostTruth[] {
  return fleet.hosts.filter(({ is_emulated }) => !is_emulated).map((host) => hostTruth(host, fleet));
}

function hostTruth(host: HostRecord, fleet: Fleet): HostTruth {
  const { id, name, region, zone, host_type, status, enabled, is_baremetal } = host;
  const isOff = /fail|unknown/.test(status);
  return {
    id,
    region,
    zone,
    host: name,
    hypervisor: host_type === 'hypervisor' ? 'kvm' : host_type,
    up: is_baremetal ? !isOff : host.host_status !== 'offline',
    enabled,
    maintenance: host.is_maintenance || /^(start_maintain|maintaining|maintain_fail)$/.test(status),
    schedulable: status === 'running' && host.host_status !== 'offline' && enabled && !is_baremetal,
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

/** 46 of 46 hosts of the real platform were what this formula says. */
function promisesOf(host: HostRecord, { servers, tables }: Fleet): Promises {
  const on = servers.filter(({ host_id }) => host_id === host.id);
  const alive = on.filter(({ status, pending_deleted }) => !pending_deleted && counted.has(status));
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

/** Of every host that a server names. */
export function loadsOf({ servers }: Fleet): HostLoadRow[] {
  const loads = new Map<string, HostLoadRow>();
  for (const { host_id, region, zone, host, status, pending_deleted, vcpu_count, vmem_size } of servers) {
    if (host_id === '') continue;
    const place = { region, zone, host, status, pendingDeleted: pending_deleted };
    const key = JSON.stringify(place);
    const row = loads.get(key) ?? { ...place, servers: 0, vcpus: 0, memory: 0 };
    row.servers += 1;
    row.vcpus += vcpu_count;
    row.memory += vmem_size;
    loads.set(key, row);
  }
  return [...loads.values()];
}

export function storagesOf({ tables, servers }: Fleet): StorageTruth[] {
  const disks = servers.flatMap(({ disks_info }) => disks_info);
  const listed = tables.storages.rows.filter(({ is_emulated }) => !is_emulated);
  return listed.map((storage) => ({
    region: storage.region,
    zone: storage.zone,
    storage: storage.name,
    storage_type: storage.storage_type,
    medium_type: storage.medium_type,
    up: storage.status === 'online' && storage.enabled,
    capacity: storage.capacity,
    allocatable: Math.floor((storage.capacity - storage.reserved) * (storage.cmtbound || 1)),
    allocated: sum(
      disks.filter(({ storage_id }) => storage_id === storage.id),
      ({ size }) => size,
    ),
    used: storage.actual_capacity_used || undefined,
  }));
}

/** On hosts of virtual machines, as they are listed unasked. */
export function devicesOf({ tables }: Fleet): DeviceTruth[] {
  const groups = new Map<string, DeviceTruth>();
  for (const { host_id, dev_type, model, guest_id } of tables.isolated_devices.rows) {
    const host = tables.hosts.find(host_id);
    if (host?.host_type !== 'hypervisor') continue;
    const place = { region: host.region, zone: host.zone, host: host.name, dev_type, model };
    const key = JSON.stringify(place);
    const { count = 0, free = 0 } = groups.get(key) ?? {};
    groups.set(key, { ...place, count: count + 1, free: free + Number(guest_id === '') });
  }
  return [...groups.values()];
}

function vcpusOf({ vcpu_count }: ServerRecord): number {
  return vcpu_count;
}

function sum<Value>(values: readonly Value[], of: (value: Value) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}
