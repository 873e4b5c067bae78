import type { Breakdown } from '../inventory/groups.ts';
import type { LabelledSums, Measure } from '../inventory/labelled-sums.ts';
import type { Labels } from '../inventory/label-sets.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { SumSettings } from '../inventory/sums.ts';
import type { State } from '../platform/state.ts';
import { familiesOf, measuresOf, tableOfSums, type Columns, type Sum, type Table } from './family.ts';

/** Sums over servers, by location and state. */
const sums: Columns<Sum> = {
  cloud_servers_gpu: {
    help: 'Servers with is_gpu, which the platform sets when any device is passed through.',
    series: 'one per location and state that has some',
    example: 'sum by (project) (cloud_servers_gpu)',
    count: (server) => Number(server.isGpu),
    leavesOutZero: true,
  },
  cloud_servers_vcpus: {
    help: 'Virtual CPUs of servers, the sum of vcpu_count.',
    example: 'topk(10, sum by (project_domain, project) (cloud_servers_vcpus))',
    count: (server) => server.vcpus,
  },
  cloud_servers_memory_bytes: {
    help: 'Memory of servers, the sum of vmem_size, taken as mebibytes unless units says otherwise.',
    example: 'sum by (project) (cloud_servers_memory_bytes{state="stopped"})',
    count: (server) => server.memory,
    unit: 'memory',
  },
  cloud_servers_disk_bytes: {
    help: 'Size of the disks of servers, the sum of disk, taken as mebibytes unless units says otherwise.',
    example: 'sum by (zone) (cloud_servers_disk_bytes)',
    count: (server) => server.disk,
    unit: 'disk',
  },
  cloud_servers_disks: {
    help: 'Disks of servers, the sum of disk_count.',
    example: 'sum by (zone) (cloud_servers_disks)',
    count: (server) => server.disks,
  },
};

const dayMs = 86_400_000;

/** How soon a server expires; each window counts the nearer ones too. */
const expiryWindows = { '1d': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs } as const;

/** Sums by location and labels of their own. */
interface FleetTable extends Omit<Breakdown, 'measures'> {
  readonly series: string;
  readonly labels: readonly string[];
  readonly columns: Columns<Sum>;
  /** What is added up besides, and not exported. */
  readonly besides?: readonly Measure[];
}

const fleet: readonly FleetTable[] = [
  {
    name: 'status',
    series: 'one per location and status that occurs',
    labels: ['status', 'state'],
    parts: ({ status, state }) => [[status, state]],
    columns: {
      cloud_servers: {
        help: "Servers by the platform's own status, and by state, its fixed grouping.",
        example: 'sum by (cloud, state) (cloud_servers)',
        count: () => 1,
      },
    },
  },
  {
    name: 'state',
    series: 'one per location and state that occurs',
    labels: ['state'],
    parts: ({ state }) => [[state]],
    columns: sums,
    // What has servers has series, even where all of its sums are 0.
    besides: [{ name: 'servers', count: () => 1 }],
  },
  {
    name: 'devices',
    series: 'one per location, state and model that occurs',
    labels: ['state', 'dev_type', 'model'],
    parts: ({ devices, state }) => devices.map(({ type, model }) => [state, type, model]),
    columns: {
      cloud_servers_devices: {
        help: 'Devices passed through to servers, from isolated_devices: GPUs, but also NICs and others, as dev_type says.',
        example: 'sum by (model, project) (cloud_servers_devices{state="stopped"})',
        count: () => 1,
      },
    },
  },
  {
    name: 'expiring',
    series: 'up to three per location and billing type',
    labels: ['within', 'billing_type'],
    parts({ state, billingType, endsAt, autoRenew }) {
      if (autoRenew || state === 'pending_deletion' || endsAt === undefined) return [];
      return Object.keys(expiryWindows).map((within) => [within, billingType]);
    },
    columns: {
      cloud_servers_expiring: {
        help: 'Servers without auto_renew that expire (expired_at, or release_at of postpaid ones) within 1, 7 or 30 days.',
        example: 'sum by (project) (cloud_servers_expiring{within="7d",billing_type="prepaid"})',
        count({ endsAt = 0 }, labels, now) {
          const withinMs = expiryWindows[labels.at(-2) as keyof typeof expiryWindows];
          return Number(endsAt > now && endsAt - now <= withinMs);
        },
      },
    },
  },
];

export const fleetTables: readonly Table<Snapshot>[] = fleet.map(({ name, series, labels, columns }) =>
  tableOfSums({ series, labels, columns, byLocation: true }, (snapshot) => snapshot.sums[name]),
);

/** What is added up over the servers. How many label sets there may be: each becomes about one series in each family. */
export function fleetSettings(seriesLimit: number): Pick<SumSettings, 'breakdowns' | 'groupLimit'> {
  const families = fleetTables.flatMap(familiesOf);
  return {
    breakdowns: fleet.map(({ name, parts, columns, besides = [] }) => ({
      name,
      parts,
      measures: [...measuresOf(columns), ...besides],
    })),
    groupLimit: Math.max(1, Math.floor(seriesLimit / families.length)),
  };
}

function total({ labels, sums: all }: LabelledSums, name: string, isCounted: (labels: Labels) => boolean) {
  return labels.reduce((sum, values, at) => (isCounted(values) ? sum + all[name]![at]! : sum), 0);
}

/** What a family of the fleet adds up to, of servers in all states or in one. */
export function fleetTotal({ sums: all, bytesPer }: Snapshot, name: string, state?: State): number {
  const unit = sums[name]?.unit;
  const table = name === 'cloud_servers' ? 'status' : 'state';
  const inState = total(all[table]!, name, (labels) => state === undefined || labels.at(-1) === state);
  return inState * (unit ? bytesPer[unit] : 1);
}

/** Devices of servers whose type is wanted. */
export function countDevices({ sums: all }: Snapshot, isWanted: (type: string) => boolean): number {
  return total(all['devices']!, 'cloud_servers_devices', (labels) => isWanted(labels.at(-2)!));
}
