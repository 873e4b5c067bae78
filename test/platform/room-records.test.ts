import { describe, expect, it } from 'vitest';
import { readDevice } from '../../src/platform/device.ts';
import { readHost } from '../../src/platform/host.ts';
import { readPlaceName } from '../../src/platform/place-name.ts';
import { readStorage } from '../../src/platform/storage.ts';

const host = {
  id: 'h1',
  name: 'kvm-1',
  zone_id: 'z1',
  host_type: 'hypervisor',
  status: 'running',
  host_status: 'online',
  enabled: true,
  cpu_count: 64,
  cpu_reserved: 4,
  cpu_cmtbound: 8,
  mem_size: 262_144,
  mem_reserved: 8192,
  mem_cmtbound: 1.5,
  page_size_kb: 4,
  storage_size: 1_024_000,
};
const metal = { host_type: 'baremetal', host_status: 'offline' };

describe('a host of the list', () => {
  it.each<[object, object]>([
    [
      {},
      {
        id: 'h1',
        name: 'kvm-1',
        zoneId: 'z1',
        hypervisor: 'kvm',
        isEmulated: false,
        isUp: true,
        isEnabled: true,
        isInMaintenance: false,
        isSchedulable: true,
        cpus: 64,
        reservedCpus: 4,
        memory: 262_144,
        reservedMemory: 8192,
        storage: 1_024_000,
        cpuOvercommit: 8,
        memoryOvercommit: 1.5,
        hasHugePages: false,
      },
    ],
    [
      { cpu_count: '64', cpu_cmtbound: '7.5' },
      { cpus: 64, cpuOvercommit: 7.5 },
    ],
    [
      { cpu_reserved: undefined, mem_reserved: null },
      { reservedCpus: 0, reservedMemory: 0 },
    ],
    [
      { cpu_count: undefined, mem_size: null, storage_size: '' },
      { cpus: undefined, memory: undefined, storage: undefined },
    ],
    [
      { cpu_cmtbound: 0, mem_cmtbound: undefined },
      { cpuOvercommit: undefined, memoryOvercommit: undefined },
    ],
    [{ mem_size: -1 }, { memory: undefined }],
    [{ page_size_kb: '4' }, { hasHugePages: false }],
    [{ page_size_kb: 2048 }, { hasHugePages: true }],
    [{ host_type: undefined }, { hypervisor: '' }],
    [{ host_status: null }, { isUp: undefined, isSchedulable: undefined }],
    [{ enabled: undefined }, { isEnabled: undefined, isSchedulable: undefined }],
    [{ zone_id: null }, { zoneId: '' }],
    [{ is_maintenance: true }, { isInMaintenance: true }],
    [{ status: 'unknown' }, { isInMaintenance: false, isSchedulable: false }],
    [{ status: '' }, { isInMaintenance: undefined, isSchedulable: undefined }],
    [{ status: '', is_maintenance: true }, { isInMaintenance: true }],
    // The platform calls all bare metal offline.
    [metal, { hypervisor: 'baremetal', isUp: true, isSchedulable: false }],
    [
      { ...metal, status: 'ready' },
      { isUp: true, isSchedulable: false },
    ],
    [
      { ...metal, status: 'unknown' },
      { isUp: false, isSchedulable: false },
    ],
    [
      { ...metal, status: 'prepare_fail' },
      { isUp: false, isSchedulable: false },
    ],
    [{ ...metal, status: '' }, { isUp: undefined }],
  ])('with %o has %o', (part, expected) => expect(readHost({ ...host, ...part })).toMatchObject(expected));
});

const storage = {
  id: 's1',
  name: 'rbd-1',
  region: 'r1',
  zone: 'z1',
  zone_id: 'zone-1',
  storage_type: 'rbd',
  medium_type: 'ssd',
  status: 'online',
  enabled: true,
  capacity: 1000,
  reserved: 100,
  cmtbound: 1.5,
  used_capacity: 300,
  waste_capacity: 20,
  actual_capacity_used: 250,
};

describe('a storage of the list', () => {
  it.each<[object, object]>([
    [
      {},
      {
        id: 's1',
        name: 'rbd-1',
        region: 'r1',
        zone: 'z1',
        zoneId: 'zone-1',
        type: 'rbd',
        mediumType: 'ssd',
        isUp: true,
        capacity: 1000,
        reserved: 100,
        overcommit: 1.5,
        allocated: 320,
        written: 250,
      },
    ],
    [{ region: '', cloudregion: 'r2' }, { region: 'r2' }],
    [{ waste_capacity: undefined }, { allocated: 300 }],
    [{ used_capacity: null }, { allocated: undefined }],
    // 0 is no word on what is written.
    [{ actual_capacity_used: 0 }, { written: undefined }],
    [{ cmtbound: 0 }, { overcommit: undefined }],
    [{ reserved: undefined }, { reserved: 0 }],
    [{ capacity: '' }, { capacity: undefined }],
    [
      { capacity: '1000', cmtbound: '2.5' },
      { capacity: 1000, overcommit: 2.5 },
    ],
    [{ status: 'offline' }, { isUp: false }],
    [{ enabled: false }, { isUp: false }],
    [{ enabled: undefined }, { isUp: true }],
  ])('with %o has %o', (part, expected) =>
    expect(readStorage({ ...storage, ...part })).toMatchObject(expected),
  );
});

const device = {
  id: 'd1',
  host_id: 'h1',
  dev_type: 'GPU-HPC',
  model: 'Tesla V100',
  guest_id: 'v1',
  reserved_cpu: 4,
};

describe('a device of the list', () => {
  it.each<[object, object]>([
    [{}, { id: 'd1', hostId: 'h1', type: 'GPU-HPC', model: 'Tesla V100', serverId: 'v1', reservedCpus: 4 }],
    [{ guest_id: null }, { serverId: '' }],
    // What is kept for a GPU that does not say so, and nothing for other devices.
    [{ reserved_cpu: null }, { reservedCpus: 8 }],
    [{ reserved_cpu: 0 }, { reservedCpus: 0 }],
    [{ dev_type: 'NVME', reserved_cpu: 4 }, { reservedCpus: 0 }],
    [
      { dev_type: undefined, model: 7 },
      { type: '', model: '', reservedCpus: 0 },
    ],
  ])('with %o has %o', (part, expected) =>
    expect(readDevice({ ...device, ...part })).toMatchObject(expected),
  );
});

it('a zone or a region has a name, and a zone the region that it is in', () => {
  const zone = { id: 'z1', name: 'zone-1', cloudregion_id: 'r1' };
  expect(readPlaceName(zone)).toEqual({ id: 'z1', name: 'zone-1', regionId: 'r1' });
  expect(readPlaceName({ id: 'r1', name: 'region-1' })).toMatchObject({ regionId: '' });
});

it.each([
  ['host', readHost, host],
  ['storage', readStorage, storage],
  ['zone', readPlaceName, { id: 'z1', name: 'zone-1' }],
  ['device', readDevice, { ...device, name: 'any' }],
] as const)('what has no id or name is no %s', (_word, read, whole) => {
  for (const odd of [null, 'text', [], { ...whole, id: '' }, { ...whole, id: 7 }])
    expect(read(odd)).toBeUndefined();
  if (read !== readDevice) expect(read({ ...whole, name: '' })).toBeUndefined();
});
