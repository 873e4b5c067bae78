import { noLoad, boundsOf, hostFields, type HostRecord, type Load } from './host.ts';
import { isOfHost, spareModel, storageId, type Device } from './hardware.ts';
import { siteOf } from './places.ts';
import { createNamed, createRandom } from './random.ts';
import type { ServerRecord } from './record.ts';

/** A storage, as `GET /storages` has it, but for what is used of it. Sizes are mebibytes. */
export type StorageRecord = Readonly<ReturnType<typeof createStorage>>;
export type DeviceRecord = Readonly<ReturnType<typeof deviceRow>>;

/** By host, the servers in the recycle bin too: these still hold their place until they are gone. */
export function loadsOf(servers: readonly ServerRecord[]): Map<string, Load> {
  const loads = new Map<string, Load>();
  for (const server of servers) addLoad(loads, server);
  return loads;
}

export function addLoad(loads: Map<string, Load>, server: ServerRecord): void {
  const { vcpus, memory, disk } = loads.get(server.host_id) ?? noLoad;
  const { host_id, vcpu_count, vmem_size } = server;
  const [moreVcpus, moreMemory, moreDisk] = [vcpus + vcpu_count, memory + vmem_size, disk + ownDisk(server)];
  loads.set(host_id, { vcpus: moreVcpus, memory: moreMemory, disk: moreDisk });
}

/** On the storage of its host itself. */
function ownDisk({ disks_info }: ServerRecord): number {
  return disks_info.reduce((sum, disk) => sum + (isOfHost(disk.storage_type) ? disk.size : 0), 0);
}

export function hasRoom(host: HostRecord, load: Load, server: ServerRecord): boolean {
  if (host.is_emulated) return true;
  const bounds = boundsOf(host);
  const vcpus = host.cpu_count * bounds.cpu - host.cpu_reserved - load.vcpus;
  const memory = (host.mem_size - host.mem_reserved) * bounds.memory - load.memory;
  const disk = host.storage_size * 0.9 - load.disk;
  return vcpus >= server.vcpu_count && memory >= server.vmem_size && disk >= ownDisk(server);
}

/** What a server says that is moved: its own disks and devices go with it. */
export function movedTo(host: HostRecord, server: ServerRecord): Partial<ServerRecord> {
  const { disks_info, isolated_devices } = server;
  return {
    ...hostFields(host),
    disks_info: disks_info.map((disk) => ({ ...disk, storage_id: storageId(host, disk.storage_type) })),
    isolated_devices: isolated_devices.map((device) => ({ ...device, host_id: host.id })),
  };
}

/** Each host has its own; those of virtual machines share one more in their zone. */
export function createStorages(hosts: readonly HostRecord[], servers: readonly ServerRecord[]) {
  const used = usedOf(servers);
  const storages = new Map<string, StorageRecord>();
  for (const host of hosts) {
    for (const type of storageTypes(host)) {
      const id = storageId(host, type);
      if (!storages.has(id)) storages.set(id, createStorage(type, host, used.get(id) ?? 0, storages.size));
    }
  }
  return [...storages.values()];
}

function storageTypes(host: HostRecord): readonly string[] {
  return host.host_type === 'hypervisor' ? ['local', 'rbd'] : [siteOf(host).storage];
}

/** By storage, the disks of servers in the recycle bin too. */
export function usedOf(servers: readonly ServerRecord[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { disks_info } of servers)
    for (const { storage_id, size } of disks_info) sums.set(storage_id, (sums.get(storage_id) ?? 0) + size);
  return sums;
}

const million = 1_000_000;
/** How much more may be promised than there is: set or not, beside what is kept. */
const kinds = [
  { cmtbound: 0, reserved: 0 },
  { cmtbound: 1.5, reserved: 0 },
  { cmtbound: 0, reserved: 5_000 },
  { cmtbound: 1.2, reserved: 0 },
];

function createStorage(type: string, host: HostRecord, used: number, position: number) {
  const { account, brand, cloud_env, created_at, is_emulated, manager, manager_id, provider } = host;
  const { region, region_id, zone, zone_id } = host;
  const owner = { account, brand, cloud_env, created_at, is_emulated, manager, manager_id, provider };
  const place = { region, region_id, zone, zone_id };
  const isOwn = isOfHost(type);
  /** Some 60 % of it are promised. */
  const shared = Math.max(10, Math.ceil(used / 0.6 / million)) * million;
  const capacity = isOwn ? host.storage_size : shared;
  return {
    ...(type === 'local' || type === 'rbd' ? kinds[position % kinds.length]! : kinds[0]!),
    ...owner,
    ...place,
    /** Only what is shared tells how much is really written on it. */
    actual_capacity_used: !isOwn && !is_emulated ? Math.round(used * 0.6) : 0,
    capacity: is_emulated ? 0 : capacity,
    domain_id: 'default',
    enabled: position % 32 !== 21,
    external_id: is_emulated ? '' : account && `ds-${position}`,
    id: storageId(host, type),
    medium_type: type === 'baremetal' ? 'rotate' : 'ssd',
    name: isOwn ? `host_${host.name}_${type}_storage` : `${type}-${zone}`,
    status: isOwn && host.status === 'unknown' ? 'offline' : 'online',
    storage_type: type,
    update_version: 0,
    updated_at: created_at,
  };
}

/** Nothing is kept for what is no GPU. */
export function deviceRow(device: Device, at: string) {
  const isGpu = device.dev_type.startsWith('GPU');
  return {
    ...device,
    created_at: at,
    name: `${device.dev_type.toLowerCase()}-${device.id.slice(0, 8)}`,
    reserved_cpu: isGpu ? 8 : 0,
    reserved_memory: isGpu ? 8192 : 0,
    reserved_storage: isGpu ? 102_400 : 0,
    update_version: 0,
    updated_at: at,
  };
}

/** Beside those that servers have some are free, all of them on the host named `idle`. */
export function createFreeDevices(
  hosts: readonly HostRecord[],
  servers: readonly ServerRecord[],
  idle: string,
): Device[] {
  const held = new Map(
    servers.flatMap(({ isolated_devices: [first] }) => (first ? [[first.host_id, first] as const] : [])),
  );
  return hosts.flatMap((host) => {
    const random = createNamed(0xdec1ce, host.id);
    const like = held.get(host.id);
    const isMachine = host.is_baremetal && random.chance(0.1);
    const isIdle = host.id === idle;
    if (like === undefined && !isMachine && !isIdle) return [];
    const { dev_type, model, vendor_device_id } = like ?? spareModel;
    return Array.from({ length: isIdle ? 8 : random.below(3) + Number(isMachine) }, (_, slot) => {
      const id = createRandom(0xf4ee, slot, ...Buffer.from(host.id)).uuid();
      const addr = `${(0x60 + slot).toString(16)}:00.0`;
      return { dev_type, model, vendor_device_id, addr, guest_id: '', host_id: host.id, id };
    });
  });
}
