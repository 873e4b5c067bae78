import { deviceModels, siteOf } from './catalogue.ts';
import { storageId, type Device } from './hardware.ts';
import type { HostRecord } from './host.ts';
import { createNamed } from './landscape.ts';
import { createRandom } from './random.ts';
import type { ServerRecord } from './record.ts';

/** A storage, as `GET /storages` has it, but for what is used of it. Sizes are mebibytes. */
export type StorageRecord = Readonly<ReturnType<typeof createStorage>>;
export type DeviceRecord = Readonly<ReturnType<typeof deviceRow>>;

interface StoragePlan {
  readonly type: string;
  readonly host: HostRecord;
  readonly used: number;
  readonly position: number;
}

/** Each host has its own; those of virtual machines share one more in their zone. */
export function createStorages(
  hosts: readonly HostRecord[],
  servers: readonly ServerRecord[],
): StorageRecord[] {
  const used = usedOf(servers);
  const storages = new Map<string, StorageRecord>();
  for (const host of hosts) {
    for (const type of storageTypes(host)) {
      const [id, position] = [storageId(host, type), storages.size];
      if (!storages.has(id))
        storages.set(id, createStorage({ type, host, used: used.get(id) ?? 0, position }));
    }
  }
  return [...storages.values()];
}

function storageTypes(host: HostRecord): readonly string[] {
  return host.host_type === 'hypervisor' ? ['local', 'rbd'] : [siteOf(host).storage];
}

/** How many hosts are connected to each storage. */
export function countConnected(hosts: readonly HostRecord[]): Map<string, number> {
  const ids = hosts.flatMap((host) => storageTypes(host).map((type) => storageId(host, type)));
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** By storage, the disks of servers in the recycle bin too. */
export function usedOf(servers: readonly ServerRecord[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const { storage_id, size } of servers.flatMap(({ disks_info }) => disks_info))
    used.set(storage_id, (used.get(storage_id) ?? 0) + size);
  return used;
}

const [million, hundredMillion] = [1_000_000, 100_000_000];
/** How much more may be promised than there is: set or not, beside what is kept. */
const kinds = [
  { cmtbound: 0, reserved: 0 },
  { cmtbound: 1.5, reserved: 0 },
  { cmtbound: 0, reserved: 100_000 },
  { cmtbound: 2, reserved: 0 },
];

function createStorage({ type, host, used, position }: StoragePlan) {
  const isOfHost = type === 'local' || type === 'baremetal';
  const isShared = !isOfHost && !host.is_emulated;
  const large = Math.max(hundredMillion, Math.ceil((used * 1.5) / million) * million);
  const capacity = isOfHost ? host.storage_size : large;
  return {
    ...(type === 'local' || type === 'rbd' ? kinds[position % kinds.length]! : kinds[0]!),
    account: host.account,
    /** Only what is shared tells how much is really written on it. */
    actual_capacity_used: isShared ? Math.round(used * 0.6) : 0,
    brand: host.brand,
    capacity: host.is_emulated ? 0 : capacity,
    cloud_env: host.cloud_env,
    created_at: host.created_at,
    domain_id: 'default',
    enabled: position % 32 !== 21,
    id: storageId(host, type),
    is_emulated: host.is_emulated,
    manager: host.manager,
    manager_id: host.manager_id,
    medium_type: type === 'baremetal' ? 'rotate' : 'ssd',
    name: isOfHost ? `host_${host.name}_${type}_storage` : `${type}-${host.zone}`,
    provider: host.provider,
    region: host.region,
    region_id: host.region_id,
    status: isOfHost && host.status === 'unknown' ? 'offline' : 'online',
    storage_type: type,
    update_version: 0,
    updated_at: host.created_at,
    zone: host.zone,
    zone_id: host.zone_id,
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
) {
  const models = new Map(
    servers.flatMap(({ isolated_devices: [first] }) => (first ? [[first.host_id, first] as const] : [])),
  );
  return hosts.flatMap((host) => {
    const random = createNamed(0xdec1ce, host.id);
    const model = models.get(host.id);
    const isMachine = host.is_baremetal && random.chance(0.1);
    const isIdle = host.id === idle;
    if (model === undefined && !isMachine && !isIdle) return [];
    const [spare] = deviceModels.map(([kind]) => kind);
    const kind = { dev_type: spare!.kind, model: spare!.model, vendor_device_id: spare!.vendorDevice };
    return Array.from({ length: isIdle ? 8 : random.below(3) + Number(isMachine) }, (_, slot) => ({
      ...kind,
      ...(model && {
        dev_type: model.dev_type,
        model: model.model,
        vendor_device_id: model.vendor_device_id,
      }),
      addr: `${(0x60 + slot).toString(16)}:00.0`,
      guest_id: '',
      host_id: host.id,
      id: createRandom(0xf4ee, slot, ...Buffer.from(host.id)).uuid(),
    }));
  });
}
