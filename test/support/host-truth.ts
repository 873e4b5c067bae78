import { expect } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { devicesOf, hostsOf, storagesOf, type HostTruth, type StorageTruth } from '../simulator/room.ts';
import type { Parsed } from './exposition.ts';

const mebibyte = 1024 ** 2;

/** Undefined where there is nothing to say of a host. */
const facts: Readonly<Record<string, (row: HostTruth) => number | boolean | undefined>> = {
  cloud_host_enabled: ({ enabled }) => enabled,
  cloud_host_maintenance: ({ maintenance }) => maintenance,
  cloud_host_schedulable: ({ schedulable }) => schedulable,
  cloud_host_cpus: ({ cpus }) => cpus,
  cloud_host_memory_capacity_bytes: ({ memory }) => memory * mebibyte,
  cloud_host_storage_capacity_bytes: ({ storage }) => storage * mebibyte,
  cloud_host_cpu_overcommit: ({ promises }) => promises?.cpuOvercommit,
  cloud_host_memory_overcommit: ({ promises }) => promises?.memoryOvercommit,
  cloud_host_vcpus_allocatable: ({ promises }) => promises?.vcpusAllocatable,
  cloud_host_memory_allocatable_bytes: ({ promises }) => promises && promises.memoryAllocatable * mebibyte,
  cloud_host_vcpus_allocated: ({ promises }) => promises?.vcpusAllocated,
  cloud_host_memory_allocated_bytes: ({ promises }) => promises && promises.memoryAllocated * mebibyte,
};
export const capacityFamilies = Object.keys(facts);

const storageFacts: Readonly<Record<string, (row: StorageTruth) => number | boolean | undefined>> = {
  cloud_storage_up: ({ up }) => up,
  cloud_storage_capacity_bytes: ({ capacity }) => capacity * mebibyte,
  cloud_storage_allocatable_bytes: ({ allocatable }) => allocatable * mebibyte,
  cloud_storage_allocated_bytes: ({ allocated }) => allocated * mebibyte,
  cloud_storage_used_bytes: ({ used }) => used && used * mebibyte,
};

/** Every series of hosts against the simulated cloud's own numbers, and nothing besides. */
export function expectHostTruth(parsed: Parsed, fleet: Fleet): void {
  const hosts = hostsOf(fleet);
  const labels = ['region', 'zone', 'host', 'hypervisor'];
  for (const [name, factOf] of Object.entries({ cloud_host_up: ({ up }: HostTruth) => up, ...facts }))
    expectSeries(parsed, name, { labels, rows: hosts, valueOf: factOf });
  // By the id of the host: a server's word for its name may be an older one.
  const loads = fleet.servers.flatMap(({ host_id, vcpu_count, vmem_size }) => {
    const host = hosts.find(({ id }) => id === host_id);
    return host ? [{ ...host, servers: 1, vcpus: vcpu_count, memory: vmem_size * mebibyte }] : [];
  });
  const load = { labels, rows: loads };
  expectSeries(parsed, 'cloud_host_servers', { ...load, valueOf: ({ servers }) => servers });
  expectSeries(parsed, 'cloud_host_servers_vcpus', { ...load, valueOf: ({ vcpus }) => vcpus });
  expectSeries(parsed, 'cloud_host_servers_memory_bytes', { ...load, valueOf: ({ memory }) => memory });
}

/** Of storages and devices, as of hosts. */
export function expectRoomTruth(parsed: Parsed, fleet: Fleet): void {
  const labels = ['region', 'zone', 'storage', 'storage_type', 'medium_type'];
  for (const [name, valueOf] of Object.entries(storageFacts))
    expectSeries(parsed, name, { labels, rows: storagesOf(fleet), valueOf });
  const devices = {
    labels: ['region', 'zone', 'host', 'dev_type', 'model'],
    rows: devicesOf(fleet),
    only: 'kvm',
  };
  expectSeries(parsed, 'cloud_host_devices', { ...devices, valueOf: ({ count }) => count });
  expectSeries(parsed, 'cloud_host_devices_free', { ...devices, valueOf: ({ free }) => free });
}

/** Added up by these labels, of which both have all. */
function expectSeries<Row extends object>(
  parsed: Parsed,
  name: string,
  truth: {
    readonly labels: readonly string[];
    readonly rows: readonly Row[];
    readonly valueOf: (row: Row) => number | boolean | undefined;
    /** The hypervisor that the truth is of, if not of all. */
    readonly only?: string;
  },
): void {
  const { labels, rows, valueOf, only } = truth;
  const keyOf = (row: object) =>
    JSON.stringify(labels.map((label) => (row as Record<string, unknown>)[label]));
  const expected = rows.flatMap((row): [string, number][] => {
    const value = valueOf(row);
    return value === undefined ? [] : [[keyOf(row), Number(value)]];
  });
  const samples = parsed.of(name).filter((sample) => !only || sample.labels['hypervisor'] === only);
  const found = samples.map((sample): [string, number] => [keyOf(sample.labels), sample.value]);
  expect(added(found), name).toEqual(added(expected));
}

function added(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, value] of pairs) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
