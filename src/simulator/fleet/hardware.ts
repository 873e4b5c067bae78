import type { HostRecord } from './host.ts';
import { networkIn, siteOf } from './places.ts';
import type { Random, Weighted } from './random.ts';

export type System = Readonly<Record<'type' | 'name' | 'version', string>>;

const gibibyte = 1024;
const systemSizes = [30, 40, 50, 100];
const dataSizes = [100, 100, 200, 200, 500, 1000, 2000];

export type Disk = ReturnType<typeof createDisks>[number];

/** What a machine has is its server's. Some data disks of virtual machines are on the storage that their zone shares. */
export function createDisks(name: string, system: System, host: HostRecord, random: Random) {
  const { storage } = siteOf(host);
  const count = random.weighted([[1, 28], [2, 40], [3, 22], [4, 10]]); // prettier-ignore
  return Array.from({ length: count }, (_, index) => {
    const isFirst = index === 0;
    const isShared = storage === 'local' && !isFirst && random.chance(0.25);
    const storage_type = isShared ? 'rbd' : storage;
    const size = random.pick(isFirst ? systemSizes : dataSizes) * gibibyte;
    return {
      disk_type: isFirst ? 'sys' : 'data',
      fs: isFirst ? '' : 'ext4',
      id: random.uuid(),
      image: isFirst ? `${system.name}-${system.version}` : '',
      image_id: isFirst ? 'a9ca280b-718e-4b3d-9cac-42e3825ed281' : '',
      index,
      iops: host.is_emulated ? 0 : 3000,
      medium_type: storage_type === 'baremetal' ? 'rotate' : 'ssd',
      name: `vdisk-${name}-${index}`,
      size: host.is_baremetal ? Math.floor((host.storage_size * 0.8) / count) : size,
      storage_id: storageId(host, storage_type),
      storage_type,
    };
  });
}

/** One of the host itself, or one of its zone. */
export function storageId({ id, zone_id }: Pick<HostRecord, 'id' | 'zone_id'>, storageType: string): string {
  if (isOfHost(storageType)) return `10ca1${id.slice(5)}`;
  return `${storageType === 'rbd' ? '5a4ed' : '570a6'}${zone_id.slice(5)}`;
}

export function isOfHost(storageType: string): boolean {
  return storageType === 'local' || storageType === 'baremetal';
}

const models: Weighted<Readonly<Record<'dev_type' | 'vendor_device_id' | 'model', string>>> = [
  [{ dev_type: 'GPU-HPC', vendor_device_id: '10de:1db4', model: 'Tesla V100' }, 4],
  [{ dev_type: 'GPU-HPC', vendor_device_id: '10de:1eb8', model: 'Tesla T4' }, 5],
  [{ dev_type: 'GPU-HPC', vendor_device_id: '10de:20f1', model: 'A100 PCIe 40GB' }, 4],
  [{ dev_type: 'GPU-VGA', vendor_device_id: '10de:2204', model: 'GeForce RTX 3090' }, 2],
  [{ dev_type: 'NIC', vendor_device_id: '15b3:101b', model: 'ConnectX-6' }, 1],
];
export const spareModel = models[0]![0];

export type Device = ReturnType<typeof createDevices>[number];

export function createDevices(guest_id: string, host_id: string, random: Random) {
  const model = random.weighted(models);
  const count = model.dev_type === 'GPU-HPC' ? random.pick([1, 1, 2, 4]) : 1;
  return Array.from({ length: count }, (_, slot) => {
    const addr = `${(0x3b + slot).toString(16)}:00.0`;
    return { ...model, addr, guest_id, host_id, id: random.uuid() };
  });
}

const mostNics = 2;

export function createNics(sequence: number, host: HostRecord, vpc_id: string, random: Random) {
  const count = random.chance(0.4) ? mostNics : 1;
  return Array.from({ length: count }, (_, index) => {
    const number = sequence * mostNics + index + 2;
    const hex = bytesOf(number).map((byte) => byte.toString(16).padStart(2, '0'));
    return {
      ip6_addr: random.chance(0.15) ? `fd00::${number.toString(16)}` : '',
      ip_addr: `10.${bytesOf(number).slice(1).join('.')}`,
      is_exit: false,
      mac: `00:22:${hex.join(':')}`,
      network_id: networkIn(host),
      vpc_id,
    };
  });
}

/** From the address block kept for benchmarks, so that nobody's real address is ever shown. */
export function publicAddress(sequence: number): string {
  const [, high = 0, ...last] = bytesOf(sequence);
  return `198.${18 + (high & 1)}.${last.join('.')}`;
}

function bytesOf(number: number): number[] {
  return [24, 16, 8, 0].map((shift) => (number >> shift) & 255);
}

const teams = ['platform', 'payments', 'data', 'mobile', 'storefront', '团队-1', '团队-2'];
const environments: Weighted<string> = [['prod', 6], ['staging', 2], ['test', 2], ['dev', 2]]; // prettier-ignore

/** `login_key` is there because the real platform sends it: whoever prints metadata wholesale prints passwords. */
export function createMetadata(project: string, system: System, random: Random): Record<string, string> {
  const environment = random.weighted(environments);
  return {
    cost_center: `CC-${random.hex(6).toUpperCase()}`,
    login_account: system.name.startsWith('Windows') ? 'Administrator' : 'root',
    login_key: `secret-${random.hex(40)}`,
    os_distribution: system.name,
    os_name: system.name,
    'user:application': `${project}-${environment}`,
    'user:env': environment,
    'user:owner': `${project}-owners@example.test`,
    'user:team': random.pick(teams),
  };
}
