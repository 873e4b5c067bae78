import { expect, it } from 'vitest';
import {
  readDevice,
  readHost,
  readPlaceName,
  readNetwork,
  readStorage,
  readSync,
} from '../../src/platform/side-records.ts';

/** What it has with some fields in place of its own. */
interface Case {
  readonly given: object;
  readonly has: object;
}

const host = {
  id: 'h1',
  name: 'kvm-1',
  host_type: 'hypervisor',
  status: 'running',
  host_status: 'online',
  enabled: true,
};
const up = { isUp: true, isEnabled: true, isInMaintenance: false, isSchedulable: true };
const metal = { host_type: 'baremetal', host_status: 'offline' };

it.each<Case>([
  { given: {}, has: { ...up, hypervisor: 'kvm', zoneId: '', isEmulated: false, hasHugePages: false } },
  { given: { enabled: 'true' }, has: up },
  { given: { enabled: 'false' }, has: { isEnabled: false, isSchedulable: false } },
  { given: { cpu_count: '64', cpu_cmtbound: '7.5' }, has: { cpus: 64, cpuOvercommit: 7.5 } },
  { given: { cpu_cmtbound: '1.' }, has: { cpuOvercommit: undefined } },
  { given: {}, has: { cpus: undefined, reservedCpus: 0, memory: undefined, storage: undefined } },
  { given: { mem_size: null, mem_reserved: null }, has: { memory: undefined, reservedMemory: 0 } },
  { given: { mem_size: -1, storage_size: '' }, has: { memory: undefined, storage: undefined } },
  { given: { page_size_kb: '4' }, has: { hasHugePages: false } },
  { given: { host_type: undefined, zone_id: null }, has: { hypervisor: '', zoneId: '' } },
  { given: { host_status: null }, has: { isUp: undefined, isSchedulable: undefined } },
  { given: { enabled: undefined }, has: { isEnabled: undefined, isSchedulable: undefined } },
  { given: { is_maintenance: true }, has: { isInMaintenance: true } },
  { given: { status: '' }, has: { isInMaintenance: undefined, isSchedulable: undefined } },
  { given: { status: '', is_maintenance: true }, has: { isInMaintenance: true } },
  // The platform calls all bare metal offline.
  { given: { ...metal, status: 'prepare_fail' }, has: { isUp: false, isSchedulable: false } },
  { given: { ...metal, status: '' }, has: { isUp: undefined } },
])('a host of the list with $given has $has', ({ given, has }) =>
  expect(readHost({ ...host, ...given })).toMatchObject(has),
);

const storage = { id: 's1', name: 'rbd-1', status: 'online', enabled: true, used_capacity: 300 };

it.each<Case>([
  { given: {}, has: { isUp: true, capacity: undefined, reserved: 0, overcommit: undefined, promised: 300 } },
  { given: { capacity: '1000', cmtbound: '2.5' }, has: { capacity: 1000, overcommit: 2.5 } },
  { given: { region: '', cloudregion: 'r2' }, has: { region: 'r2' } },
  { given: { waste_capacity: 20 }, has: { promised: 300, wasted: 20 } },
  // 0 is no word on what is written.
  {
    given: { used_capacity: null, actual_capacity_used: 0 },
    has: { promised: undefined, written: undefined },
  },
  { given: { cmtbound: 0, capacity: '' }, has: { overcommit: undefined, capacity: undefined } },
  { given: { status: 'offline' }, has: { isUp: false } },
  { given: { enabled: false }, has: { isUp: false } },
  { given: { enabled: undefined }, has: { isUp: true } },
])('a storage of the list with $given has $has', ({ given, has }) =>
  expect(readStorage({ ...storage, ...given })).toMatchObject(has),
);

const device = {
  id: 'd1',
  host_id: 'h1',
  dev_type: 'GPU-HPC',
  model: 'V100',
  guest_id: 'v1',
  reserved_cpu: 4,
};

it.each<Case>([
  { given: {}, has: { hostId: 'h1', type: 'GPU-HPC', model: 'V100', serverId: 'v1', reservedCpus: 4 } },
  // What is kept for a GPU that does not say so, and nothing for other devices.
  { given: { reserved_cpu: null, guest_id: null }, has: { reservedCpus: 8, serverId: '' } },
  { given: { reserved_cpu: 0 }, has: { reservedCpus: 0 } },
  { given: { dev_type: 'NVME' }, has: { reservedCpus: 0 } },
  { given: { dev_type: undefined, model: 7 }, has: { type: '', model: '', reservedCpus: 0 } },
])('a device of the list with $given has $has', ({ given, has }) =>
  expect(readDevice({ ...device, ...given })).toMatchObject(has),
);

const network = { id: 'n1', name: 'net', status: 'available', ports: 6, ports_used: 5 };

it.each<Case>([
  { given: {}, has: { isUp: true, addresses: 6, used: 5, zone: '', zoneId: '', serverType: '' } },
  { given: { ports: '14', ports_used: '18', server_type: 'eip' }, has: { used: 14, serverType: 'eip' } },
  { given: { ports: undefined }, has: { addresses: undefined, used: undefined } },
  { given: { ports_used: -1 }, has: { addresses: 6, used: undefined } },
  {
    given: { region: null, cloudregion: 'r2', zone: 'z', vpc: 'v' },
    has: { region: 'r2', zone: 'z', vpc: 'v' },
  },
  { given: { status: 'failed' }, has: { isUp: false } },
])('a network of the list with $given has $has', ({ given, has }) =>
  expect(readNetwork({ ...network, ...given })).toMatchObject(has),
);

const sync = { row_id: 12, cloudaccount: 'a', cloudprovider: 's', cloudregion: 'r', enabled: true };
const [nine, ten] = ['2026-11-19T09:00:00.000000Z', '2026-11-19T10:00:00.000000Z'];

it.each<Case>([
  { given: {}, has: { account: 'a', subscription: 's', region: 'r', isEnabled: true, syncedAt: undefined } },
  { given: { last_sync: nine, last_sync_end_at: ten }, has: { syncedAt: Date.parse(ten) } },
  // One runs; some releases leave the end of the one before.
  { given: { last_sync: ten, last_sync_end_at: nine }, has: { syncedAt: Date.parse(ten) } },
  { given: { last_sync: ten }, has: { syncedAt: Date.parse(ten) } },
  { given: { last_sync: '0001-01-01T00:00:00Z', last_sync_end_at: 'soon' }, has: { syncedAt: undefined } },
  { given: { enabled: 'false', row_id: '7' }, has: { isEnabled: false } },
  { given: { enabled: null }, has: { isEnabled: undefined } },
])('what is synchronised by the list with $given has $has', ({ given, has }) =>
  expect(readSync({ ...sync, ...given })).toMatchObject(has),
);

it('keys of what is synchronised are in the order of their numbers; without one there is none', () => {
  const ids = [2, 10, 9_000_000_000_000_000].map((row_id) => readSync({ ...sync, row_id })!.id);
  expect(ids).toEqual(ids.toSorted());
  for (const row_id of [undefined, 'x', 1.5, -1]) expect(readSync({ ...sync, row_id })).toBeUndefined();
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
  ['network', readNetwork, network],
  ['device', readDevice, { ...device, name: 'any' }],
] as const)('what has no id or name is no %s', (_word, read, whole) => {
  for (const odd of [null, 'text', [], { ...whole, id: '' }, { ...whole, id: 7 }])
    expect(read(odd)).toBeUndefined();
  if (read !== readDevice) expect(read({ ...whole, name: '' })).toBeUndefined();
});
