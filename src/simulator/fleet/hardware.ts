import * as catalogue from './catalogue.ts';
import type { Random } from './random.ts';

const gibibyte = 1024;
const systemSizes = [30, 40, 50, 100];
const dataSizes = [100, 100, 200, 200, 500, 1000, 2000];

interface DiskPlan {
  readonly name: string;
  readonly system: { readonly name: string; readonly version: string };
  readonly host: { readonly id: string; readonly zone_id: string; readonly is_emulated: boolean };
  readonly site: { readonly storage: string };
  readonly random: Random;
}

export type Disk = ReturnType<typeof createDisks>[number];

/** Some data disks of virtual machines are on the storage that the hosts of a zone share. */
export function createDisks({ name, system, host, site, random }: DiskPlan) {
  const count = random.weighted([[1, 28], [2, 40], [3, 22], [4, 10]]); // prettier-ignore
  return Array.from({ length: count }, (_, index) => {
    const isShared = site.storage === 'local' && index > 0 && random.chance(0.25);
    const storage_type = isShared ? 'rbd' : site.storage;
    return {
      disk_type: index === 0 ? 'sys' : 'data',
      fs: index === 0 ? '' : 'ext4',
      id: random.uuid(),
      image: index === 0 ? `${system.name}-${system.version}` : '',
      image_id: index === 0 ? 'a9ca280b-718e-4b3d-9cac-42e3825ed281' : '',
      index,
      iops: host.is_emulated ? 0 : 3000,
      medium_type: storage_type === 'baremetal' ? 'rotate' : 'ssd',
      name: `vdisk-${name}-${index}`,
      size: random.pick(index === 0 ? systemSizes : dataSizes) * gibibyte,
      storage_id: storageId(host, storage_type),
      storage_type,
    };
  });
}

/** One of the host itself, or one of its zone. */
export function storageId(host: { id: string; zone_id: string }, storageType: string): string {
  if (storageType === 'local' || storageType === 'baremetal') return `10ca1${host.id.slice(5)}`;
  return `${storageType === 'rbd' ? '5a4ed' : '570a6'}${host.zone_id.slice(5)}`;
}

export type Device = ReturnType<typeof createDevices>[number];

export function createDevices(guest_id: string, host: { readonly id: string }, random: Random) {
  const { kind, model, vendorDevice } = random.weighted(catalogue.deviceModels);
  const count = kind === 'GPU-HPC' ? random.pick([1, 1, 2, 4]) : 1;
  return Array.from({ length: count }, (_, slot) => ({
    addr: `${(0x3b + slot).toString(16)}:00.0`,
    dev_type: kind,
    guest_id,
    host_id: host.id,
    id: random.uuid(),
    model,
    vendor_device_id: vendorDevice,
  }));
}

const mostNics = 2;

interface NicPlan {
  readonly sequence: number;
  readonly zone_id: string;
  readonly vpc_id: string;
  readonly random: Random;
}

export function createNics({ sequence, zone_id, vpc_id, random }: NicPlan) {
  const count = random.chance(0.4) ? mostNics : 1;
  return Array.from({ length: count }, (_, index) => {
    const number = sequence * mostNics + index + 2;
    const [, ...last] = bytesOf(number);
    const hex = bytesOf(number).map((byte) => byte.toString(16).padStart(2, '0'));
    return {
      ip6_addr: random.chance(0.15) ? `fd00::${number.toString(16)}` : '',
      ip_addr: `10.${last.join('.')}`,
      is_exit: false,
      mac: `00:22:${hex.join(':')}`,
      network_id: `4e7${zone_id.slice(3)}`,
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

/** `login_key` is there because the real platform sends it: whoever prints metadata wholesale prints passwords. */
export function createMetadata(
  project: string,
  system: { readonly name: string; readonly version: string },
  random: Random,
): Record<string, string> {
  const environment = random.weighted(catalogue.environments);
  return {
    cost_center: `CC-${random.hex(6).toUpperCase()}`,
    login_account: system.name.startsWith('Windows') ? 'Administrator' : 'root',
    login_key: `secret-${random.hex(40)}`,
    login_key_timestamp: '2026-01-12T08:30:00.000000Z',
    os_arch: 'x86_64',
    os_distribution: system.name,
    os_name: system.name,
    os_version: system.version,
    sync_ips: 'done',
    'sys:internal': '1',
    'user:application': `${project}-${environment}`,
    'user:env': environment,
    'user:owner': `${project}-owners@example.test`,
    'user:team': random.pick(catalogue.teams),
  };
}
