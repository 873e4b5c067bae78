import type { HostRecord } from './host-record.ts';
import type { ServerRecord } from './record.ts';

interface Place {
  readonly region: string;
  readonly zone: string;
}

export interface HostRow extends Place {
  readonly id: string;
  readonly host: string;
  readonly up: boolean;
  readonly enabled: boolean;
  /** Without what the platform keeps for itself, and before overcommitment. */
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly storageMiB: number;
  readonly cpuOvercommit: number;
  readonly memoryOvercommit: number;
}

export interface HostLoadRow extends Place {
  readonly host: string;
  readonly status: string;
  readonly pendingDeleted: boolean;
  servers: number;
  vcpus: number;
  memoryMiB: number;
}

/** What can still be promised, on hosts that are up and enabled. */
export interface RoomRow extends Place {
  hosts: number;
  vcpus: number;
  memoryMiB: number;
}

export interface HostTruth {
  /** As `GET /hosts` lists them: without the emulated ones of public clouds. */
  readonly hosts: readonly HostRow[];
  /** Of every host that a server names. */
  readonly loads: readonly HostLoadRow[];
  readonly rooms: readonly RoomRow[];
}

export function countHosts(records: readonly HostRecord[], servers: readonly ServerRecord[]): HostTruth {
  const hosts = records.filter(({ is_emulated }) => !is_emulated).map(rowOf);
  return { hosts, loads: countLoads(servers), rooms: countRooms(hosts, servers) };
}

function rowOf(host: HostRecord): HostRow {
  const { id, region, zone, name, enabled } = host;
  return {
    id,
    region,
    zone,
    host: name,
    up: host.host_status === 'online',
    enabled,
    cpus: host.cpu_count - host.cpu_reserved,
    memoryMiB: host.mem_size - host.mem_reserved,
    storageMiB: host.storage_size,
    cpuOvercommit: host.cpu_cmtbound,
    memoryOvercommit: host.mem_cmtbound,
  };
}

function countLoads(servers: readonly ServerRecord[]): HostLoadRow[] {
  const loads = new Map<string, HostLoadRow>();
  for (const { host_id, region, zone, host, status, pending_deleted, vcpu_count, vmem_size } of servers) {
    if (host_id === '') continue;
    const place = { region, zone, host, status, pendingDeleted: pending_deleted };
    const key = JSON.stringify(place);
    const row = loads.get(key) ?? { ...place, servers: 0, vcpus: 0, memoryMiB: 0 };
    row.servers += 1;
    row.vcpus += vcpu_count;
    row.memoryMiB += vmem_size;
    loads.set(key, row);
  }
  return [...loads.values()];
}

function countRooms(hosts: readonly HostRow[], servers: readonly ServerRecord[]): RoomRow[] {
  const rooms = new Map<string, RoomRow>();
  const roomOf = ({ region, zone }: Place): RoomRow => {
    const key = JSON.stringify([region, zone]);
    const room = rooms.get(key) ?? { region, zone, hosts: 0, vcpus: 0, memoryMiB: 0 };
    rooms.set(key, room);
    return room;
  };
  const usable = new Map(hosts.filter(({ up, enabled }) => up && enabled).map((host) => [host.id, host]));
  for (const host of usable.values()) {
    const room = roomOf(host);
    room.hosts += 1;
    room.vcpus += host.cpus * host.cpuOvercommit;
    room.memoryMiB += host.memoryMiB * host.memoryOvercommit;
  }
  for (const { host_id, pending_deleted, vcpu_count, vmem_size } of servers) {
    const host = usable.get(host_id);
    if (host === undefined || pending_deleted) continue;
    const room = roomOf(host);
    room.vcpus -= vcpu_count;
    room.memoryMiB -= vmem_size;
  }
  return [...rooms.values()];
}
