import type { Measure } from '../inventory/group.ts';
import type { Capacity, HostFacts, HostState } from '../inventory/host-join.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { familiesOf, type Column, type Family, type FamilyTable } from './family.ts';

interface HostSum {
  readonly name: string;
  readonly help: string;
  readonly count: Measure;
  readonly bytesPer?: (snapshot: Snapshot) => number;
}

const hostLabels = ['cloud', 'region', 'zone', 'host'];

/** Sums over the servers of a host, by their state. */
const sums: readonly HostSum[] = [
  { name: 'cloud_host_servers', help: 'Servers on a host, by state.', count: () => 1 },
  {
    name: 'cloud_host_vcpus',
    help: 'Virtual CPUs of the servers on a host, the sum of vcpu_count, by state.',
    count: (server) => server.vcpus,
  },
  {
    name: 'cloud_host_memory_bytes',
    help: 'Memory of the servers on a host, the sum of vmem_size, by state.',
    count: (server) => server.memory,
    bytesPer: ({ bytesPer }) => bytesPer.memory,
  },
];

export const hostMeasures: readonly Measure[] = sums.map(({ count }) => count);

interface HostFact {
  readonly name: string;
  readonly help: string;
  readonly of: (capacity: Capacity) => number | undefined;
  readonly bytesPer?: (snapshot: Snapshot) => number;
}

/** What the list of hosts says of a host; absent for hosts that only servers name. */
const facts: readonly HostFact[] = [
  {
    name: 'cloud_host_enabled',
    help: 'Whether a host takes new servers, from enabled in the list of hosts.',
    of: ({ isEnabled }) => (isEnabled === undefined ? undefined : Number(isEnabled)),
  },
  {
    name: 'cloud_host_cpus',
    help: 'Processors of a host that servers may use, cpu_count less cpu_reserved, before overcommitment.',
    of: ({ cpus }) => cpus,
  },
  {
    name: 'cloud_host_memory_capacity_bytes',
    help: 'Memory of a host that servers may use, mem_size less mem_reserved, before overcommitment.',
    of: ({ memory }) => memory,
    bytesPer: ({ bytesPer }) => bytesPer.memory,
  },
  {
    name: 'cloud_host_storage_capacity_bytes',
    help: 'Size of the storage of a host, from storage_size.',
    of: ({ storage }) => storage,
    bytesPer: ({ bytesPer }) => bytesPer.disk,
  },
  {
    name: 'cloud_host_cpu_overcommit',
    help: 'How many virtual CPUs the platform promises for one real CPU of a host, from cpu_cmtbound.',
    of: ({ cpuOvercommit }) => cpuOvercommit,
  },
  {
    name: 'cloud_host_memory_overcommit',
    help: 'How many bytes of memory the platform promises for one real byte of a host, from mem_cmtbound.',
    of: ({ memoryOvercommit }) => memoryOvercommit,
  },
];

export const hostTable: FamilyTable<Snapshot, HostFacts> = {
  columns: [
    {
      name: 'cloud_host_up',
      help: 'Whether a host is in reach of the platform: 0 if its host_status says offline, or, where hosts are not listed, host_service_status or host_status of a server on it.',
      type: 'gauge',
      labels: hostLabels,
      value: ({ isUp }) => Number(isUp),
    },
    ...facts.map(({ name, help, of, bytesPer }): Column<Snapshot, HostFacts> => ({
      name,
      help,
      type: 'gauge',
      labels: hostLabels,
      value({ capacity }, snapshot) {
        const value = capacity && of(capacity);
        return value === undefined ? undefined : value * (bytesPer?.(snapshot) ?? 1);
      },
    })),
  ],
  rows: ({ hosts }) => (hosts ?? []).map(({ facts: row }) => row),
  labelValues: ({ region, zone, name }, { cloud }) => [cloud, region, zone, name],
};

export const hostStateTable: FamilyTable<Snapshot, HostState> = {
  columns: sums.map(({ name, help, bytesPer }, index) => ({
    name,
    help,
    type: 'gauge',
    labels: [...hostLabels, 'state'],
    value: ({ numbers }, snapshot) => numbers[index]! * (bytesPer?.(snapshot) ?? 1),
  })),
  rows: ({ hosts }) => (hosts ?? []).flatMap(({ states }) => states),
  labelValues: ({ facts: { region, zone, name }, state }, { cloud }) => [cloud, region, zone, name, state],
};

const [up, ...factFamilies] = familiesOf(hostTable);

/** In the order in which a series budget keeps them. */
export const hostFamilies: readonly Family<Snapshot>[] = [
  up!,
  ...familiesOf(hostStateTable),
  ...factFamilies,
];
