import { expect } from 'vitest';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { hostsOf, loadsOf, type HostLoadRow, type HostTruth } from '../simulator/room.ts';
import type { Parsed } from './exposition.ts';

const mebibyte = 1024 ** 2;

const facts: Readonly<Record<string, (row: HostTruth, fleet: Fleet) => number>> = {
  cloud_host_enabled: ({ enabled }) => Number(enabled),
  cloud_host_cpus: ({ cpus }) => cpus,
  cloud_host_memory_capacity_bytes: ({ memory }) => memory * mebibyte,
  cloud_host_storage_capacity_bytes: ({ storage }) => storage * mebibyte,
  // Only where it is set, and as it is set.
  cloud_host_cpu_overcommit: ({ id }, { tables }) => tables.hosts.find(id)!.cpu_cmtbound,
  cloud_host_memory_overcommit: ({ id }, { tables }) => tables.hosts.find(id)!.mem_cmtbound,
};
export const capacityFamilies = Object.keys(facts);

/** Every series of hosts against the simulated cloud's own numbers, and nothing besides. */
export function expectHostTruth(parsed: Parsed, fleet: Fleet): void {
  const [hosts, loads] = [hostsOf(fleet), loadsOf(fleet)];
  for (const [name, factOf] of Object.entries(facts)) {
    const set = hosts.map((row): [string, number] => [key(row), factOf(row, fleet)]);
    const isSet = ([, value]: [string, number]) => value > 0 || !name.endsWith('_overcommit');
    expect(exported(parsed, name), name).toEqual(added(set.filter(isSet)));
  }
  // The platform calls all bare metal offline.
  const virtual = hosts.filter(({ hypervisor }) => hypervisor !== 'baremetal');
  const listed = exported(parsed, 'cloud_host_up').filter(([name]) =>
    virtual.some((row) => key(row) === name),
  );
  expect(listed).toEqual(added(virtual.map((row) => [key(row), Number(row.up)])));
  const sums = {
    cloud_host_servers: (row: HostLoadRow) => row.servers,
    cloud_host_vcpus: (row: HostLoadRow) => row.vcpus,
    cloud_host_memory_bytes: (row: HostLoadRow) => row.memory * mebibyte,
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
