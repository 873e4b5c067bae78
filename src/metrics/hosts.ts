import type { Measure } from '../inventory/group.ts';
import { statesOf } from '../inventory/hosts.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Family } from './family.ts';

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

const up: Family<Snapshot> = {
  name: 'cloud_host_up',
  help: 'Whether a host is in reach of the platform: 0 if host_service_status or host_status of a server on it says offline.',
  type: 'gauge',
  labels: hostLabels,
  *samples({ cloud, hosts }) {
    for (const { region, zone, name, isUp } of hosts ?? []) yield [[cloud, region, zone, name], Number(isUp)];
  },
};

function sumFamily({ name, help, bytesPer }: HostSum, index: number): Family<Snapshot> {
  return {
    name,
    help,
    type: 'gauge',
    labels: [...hostLabels, 'state'],
    *samples(snapshot) {
      const scale = bytesPer?.(snapshot) ?? 1;
      for (const host of snapshot.hosts ?? []) {
        const { region, zone } = host;
        for (const [state, numbers] of statesOf(host))
          yield [[snapshot.cloud, region, zone, host.name, state], numbers[index]! * scale];
      }
    },
  };
}

/** In the order in which a series budget keeps them. */
export const hostFamilies: readonly Family<Snapshot>[] = [up, ...sums.map(sumFamily)];
