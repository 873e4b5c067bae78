import { expect } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { Parsed } from './exposition.ts';

const mebibyte = 1024 ** 2;

type HostRow = ReturnType<Fleet['hostTruth']>['hosts'][number];

const facts: Readonly<Record<string, (row: HostRow) => number>> = {
  cloud_host_enabled: ({ enabled }) => Number(enabled),
  cloud_host_cpus: ({ cpus }) => cpus,
  cloud_host_memory_capacity_bytes: ({ memoryMiB }) => memoryMiB * mebibyte,
  cloud_host_storage_capacity_bytes: ({ storageMiB }) => storageMiB * mebibyte,
  cloud_host_cpu_overcommit: ({ cpuOvercommit }) => cpuOvercommit,
  cloud_host_memory_overcommit: ({ memoryOvercommit }) => memoryOvercommit,
};
export const capacityFamilies = Object.keys(facts);

/** Every series of hosts against the simulated cloud's own numbers, and nothing besides. */
export function expectHostTruth(parsed: Parsed, fleet: Fleet): void {
  const { hosts, loads, rooms } = fleet.hostTruth();
  for (const [name, factOf] of Object.entries(facts)) {
    expect(exported(parsed, name), name).toEqual(added(hosts.map((row) => [key(row), factOf(row)])));
  }
  const listed = exported(parsed, 'cloud_host_up').filter(([name]) => hosts.some((row) => key(row) === name));
  expect(listed).toEqual(added(hosts.map((row) => [key(row), Number(row.up)])));
  const sums = {
    cloud_host_servers: (row: (typeof loads)[number]) => row.servers,
    cloud_host_vcpus: (row: (typeof loads)[number]) => row.vcpus,
    cloud_host_memory_bytes: (row: (typeof loads)[number]) => row.memoryMiB * mebibyte,
  };
  for (const [name, sumOf] of Object.entries(sums)) {
    const expected = loads.map((row): [string, number] => [key(row, row.pendingDeleted), sumOf(row)]);
    const found = parsed
      .of(name)
      .map(({ labels, value }): [string, number] => [
        key(labels, labels['state'] === 'pending_deletion'),
        value,
      ]);
    expect(added(found), name).toEqual(added(expected));
  }
  const memoryLeft = rooms.reduce((sum, { memoryMiB }) => sum + memoryMiB * mebibyte, 0);
  expect(memoryLeftIn(parsed)).toBe(memoryLeft);
}

/** As a query would have it: capacity × overcommit, less the servers, on hosts that are up and enabled. */
function memoryLeftIn(parsed: Parsed): number {
  const usable = parsed.of('cloud_host_enabled').filter(({ labels, value }) => {
    const { region = '', zone = '', host = '' } = labels;
    return value === 1 && parsed.value('cloud_host_up', { region, zone, host }) === 1;
  });
  return usable.reduce((sum, { labels: { region = '', zone = '', host = '' } }) => {
    const of = (name: string) => parsed.value(name, { region, zone, host })!;
    const taken = parsed.sum('cloud_host_memory_bytes', { region, zone, host });
    const inBin = parsed.sum('cloud_host_memory_bytes', { region, zone, host, state: 'pending_deletion' });
    const promised = of('cloud_host_memory_capacity_bytes') * of('cloud_host_memory_overcommit');
    return sum + promised - (taken - inBin);
  }, 0);
}

function exported(parsed: Parsed, name: string): [string, number][] {
  return added(parsed.of(name).map(({ labels, value }) => [key(labels), value]));
}

function key(labels: object, inRecycleBin = false): string {
  const { region, zone, host } = labels as Readonly<Record<string, string>>;
  return JSON.stringify([region, zone, host, inRecycleBin]);
}

function added(pairs: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, value] of pairs) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
