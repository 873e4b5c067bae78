import { deviceModels } from './catalogue.ts';
import type { Host } from './landscape.ts';
import type { Random } from './random.ts';

const systemSizesGiB = [30, 40, 50, 100];
const dataSizesGiB = [100, 100, 200, 200, 500, 1000, 2000];
const mebibytesPerGibibyte = 1024;

export type Disk = ReturnType<typeof createDisks>[number];

export function createDisks(server: { name: string; image: string }, host: Host, random: Random) {
  const count = random.weighted([
    [1, 28],
    [2, 40],
    [3, 22],
    [4, 10],
  ]);
  return Array.from({ length: count }, (_, index) => ({
    aio_mode: 'native',
    bps: 0,
    cache_mode: 'none',
    disk_format: 'qcow2',
    disk_type: index === 0 ? 'sys' : 'data',
    driver: 'virtio',
    fs: index === 0 ? '' : 'ext4',
    id: random.uuid(),
    image: index === 0 ? server.image : '',
    image_id: index === 0 ? 'a9ca280b-718e-4b3d-9cac-42e3825ed281' : '',
    index,
    iops: host.site.account === '' ? 3000 : 0,
    medium_type: host.site.storage === 'baremetal' ? 'rotate' : 'ssd',
    name: `vdisk-${server.name}-${index}`,
    size: random.pick(index === 0 ? systemSizesGiB : dataSizesGiB) * mebibytesPerGibibyte,
    storage_type: host.site.storage,
  }));
}

export function describeDisks(disks: readonly Disk[]): string {
  return disks
    .map(
      (disk) => `disk${disk.index}:${disk.size}M/${disk.disk_format}/virtio/none/native/${disk.fs || 'root'}`,
    )
    .join('\n');
}

export type Device = ReturnType<typeof createDevices>[number];

export function createDevices(server: { id: string; createdAt: string }, host: Host, random: Random) {
  const { kind, model, vendorDevice } = random.weighted(deviceModels);
  const count = kind === 'GPU-HPC' ? random.pick([1, 1, 2, 4]) : 1;
  return Array.from({ length: count }, (_, slot) => ({
    addr: `${(0x3b + slot).toString(16)}:00.0`,
    created_at: server.createdAt,
    deleted: false,
    deleted_at: null as string | null,
    description: '',
    dev_type: kind,
    guest_id: server.id,
    host_id: host.id,
    id: random.uuid(),
    is_emulated: false,
    model,
    name: `${host.name}-${slot}`,
    reserved_cpu: 0,
    reserved_memory: 0,
    reserved_storage: 0,
    update_version: 0,
    updated_at: server.createdAt,
    vendor_device_id: vendorDevice,
  }));
}

const mostNics = 2;

export type Nic = ReturnType<typeof createNics>[number];

export function createNics(sequence: number, host: Host, random: Random) {
  const count = random.chance(0.4) ? mostNics : 1;
  return Array.from({ length: count }, (_, index) => {
    const number = sequence * mostNics + index + 2;
    return {
      ip_addr: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
      ip6_addr: random.chance(0.15) ? `fd00::${number.toString(16)}` : '',
      is_exit: false,
      mac: `00:22:${bytes(number).join(':')}`,
      network_id: host.networkId,
      team_with: '',
      vpc_id: host.vpcId,
    };
  });
}

export function describeNetworks(nics: readonly Nic[]): string {
  return nics.map((nic, index) => `eth${index}:${nic.ip_addr}/16/${nic.mac}/1/vnet/virtio/1000/0\n`).join('');
}

/** From the address block kept for benchmarks, so that nobody's real address is ever shown. */
export function publicAddress(sequence: number): string {
  return `198.${18 + ((sequence >> 16) & 1)}.${(sequence >> 8) & 255}.${sequence & 255}`;
}

function bytes(number: number): string[] {
  return [24, 16, 8, 0].map((shift) => ((number >> shift) & 255).toString(16).padStart(2, '0'));
}
