import type { Snapshot } from '../inventory/snapshot.ts';
import type { LabelledSums } from '../inventory/labelled-sums.ts';
import type { Breakdown } from '../inventory/groups.ts';
import type { SumSettings } from '../inventory/sums.ts';
import type { State } from '../platform/state.ts';
import { tableOf, type Column, type Sum, type Table } from './family.ts';

/** Sums over servers, by location and state. */
const sums: readonly Sum[] = [
  {
    name: 'cloud_servers_gpu',
    help: 'Servers with is_gpu, which the platform sets when any device is passed through.',
    series: 'one per location and state that has some',
    example: 'sum by (project) (cloud_servers_gpu)',
    count: (server) => Number(server.isGpu),
    leavesOutZero: true,
  },
  {
    name: 'cloud_servers_vcpus',
    help: 'Virtual CPUs of servers, the sum of vcpu_count.',
    example: 'topk(10, sum by (project_domain, project) (cloud_servers_vcpus))',
    count: (server) => server.vcpus,
  },
  {
    name: 'cloud_servers_memory_bytes',
    help: 'Memory of servers, the sum of vmem_size, taken as mebibytes unless units says otherwise.',
    example: 'sum by (project) (cloud_servers_memory_bytes{state="stopped"})',
    count: (server) => server.memory,
    unit: 'memory',
  },
  {
    name: 'cloud_servers_disk_bytes',
    help: 'Size of the disks of servers, the sum of disk, taken as mebibytes unless units says otherwise.',
    example: 'sum by (zone) (cloud_servers_disk_bytes)',
    count: (server) => server.disk,
    unit: 'disk',
  },
  {
    name: 'cloud_servers_disks',
    help: 'Disks of servers, the sum of disk_count.',
    example: 'sum by (zone) (cloud_servers_disks)',
    count: (server) => server.disks,
  },
];

const dayMs = 86_400_000;

/** How soon a server expires; each window counts the nearer ones too. */
const expiryWindows = { '1d': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs } as const;

const none: readonly never[] = [];

/** What servers may have several of, by location and labels of its own. */
interface Counted extends Omit<Column<never>, 'value' | 'name'>, Breakdown {
  readonly series: string;
  readonly labels: readonly string[];
}

const devices: Counted = {
  name: 'cloud_servers_devices',
  help: 'Devices passed through to servers, from isolated_devices: GPUs, but also NICs and others, as dev_type says.',
  series: 'one per location, state and model that occurs',
  example: 'sum by (model, project) (cloud_servers_devices{state="stopped"})',
  labels: ['state', 'dev_type', 'model'],
  parts: ({ devices: attached, state }) => attached.map(({ type, model }) => [state, type, model]),
  count: () => 1,
};

const expiring: Counted = {
  name: 'cloud_servers_expiring',
  help: 'Servers without auto_renew that expire (expired_at, or release_at of postpaid ones) within 1, 7 or 30 days.',
  series: 'up to three per location and billing type',
  example: 'sum by (project) (cloud_servers_expiring{within="7d",billing_type="prepaid"})',
  labels: ['within', 'billing_type'],
  parts({ state, billingType, endsAt, autoRenew }) {
    if (autoRenew || state === 'pending_deletion' || endsAt === undefined) return none;
    return Object.keys(expiryWindows).map((within) => [within, billingType]);
  },
  count({ endsAt = 0 }, labels, now) {
    const withinMs = expiryWindows[labels.at(-2) as keyof typeof expiryWindows];
    return Number(endsAt > now && endsAt - now <= withinMs);
  },
};

const breakdowns: readonly Counted[] = [devices, expiring];

/** What is added up over the servers. */
export function fleetSettings(
  seriesLimit: number,
): Pick<SumSettings, 'measures' | 'breakdowns' | 'groupLimit'> {
  return { measures: sums, breakdowns, groupLimit: groupLimit(seriesLimit) };
}

type Labels = readonly string[];

export const fleetTables: readonly Table<Snapshot, Labels>[] = [
  tableOf<Snapshot, Labels>({
    series: 'one per location and status that occurs',
    byLocation: true,
    labels: ['status', 'state'],
    rows: ({ byStatus }) => byStatus.labels,
    labelValues: (labels) => labels,
    keepsText: true,
    columns: [
      {
        name: 'cloud_servers',
        help: "Servers by the platform's own status, and by state, its fixed grouping.",
        example: 'sum by (cloud, state) (cloud_servers)',
        value: (_labels, at, { byStatus }) => byStatus.sums['servers']![at],
      },
    ],
  }),
  tableOf<Snapshot, Labels>({
    series: 'one per location and state that occurs',
    byLocation: true,
    labels: ['state'],
    rows: ({ byState }) => byState.labels,
    labelValues: (labels) => labels,
    keepsText: true,
    columns: sums.map(({ count: _count, leavesOutZero, ...sum }) => ({
      ...sum,
      value(_labels, at, { byState }) {
        const number = byState.sums[sum.name]![at];
        return leavesOutZero && number === 0 ? undefined : number;
      },
    })),
  }),
  ...breakdowns.map(({ name, series, labels, help, example }) =>
    tableOf<Snapshot, Labels>({
      series,
      byLocation: true,
      labels,
      rows: (snapshot) => partsOf(snapshot, name).labels,
      labelValues: (values) => values,
      keepsText: true,
      columns: [
        {
          name,
          help,
          example,
          value: (_labels, at, snapshot) => partsOf(snapshot, name).sums['parts']![at],
        },
      ],
    }),
  ),
];

function partsOf({ breakdowns: all }: Snapshot, name: string): LabelledSums {
  return all[name]!;
}

/** How many label sets the fleet may have: each becomes about one series in each of its families. */
function groupLimit(seriesLimit: number): number {
  const families = fleetTables.flatMap((table) => table.families);
  return Math.max(1, Math.floor(seriesLimit / families.length));
}

/** What a family of the fleet adds up to, of servers in all states or in one. */
export function fleetTotal({ byStatus, byState, bytesPer }: Snapshot, name: string, state?: State): number {
  const unit = sums.find((sum) => sum.name === name)?.unit;
  const { labels, sums: numbers } = name === 'cloud_servers' ? byStatus : byState;
  const ofFamily = numbers[name === 'cloud_servers' ? 'servers' : name]!;
  const isCounted = (values: Labels) => state === undefined || values.at(-1) === state;
  const total = labels.reduce((sum, values, at) => (isCounted(values) ? sum + ofFamily[at]! : sum), 0);
  return total * (unit ? bytesPer[unit] : 1);
}

/** Devices of servers whose type is wanted. */
export function countDevices(snapshot: Snapshot, isWanted: (type: string) => boolean): number {
  const { labels, sums: numbers } = partsOf(snapshot, devices.name);
  const typeOf = (values: Labels) => values.at(-2) ?? '';
  return labels.reduce(
    (sum, values, at) => (isWanted(typeOf(values)) ? sum + numbers['parts']![at]! : sum),
    0,
  );
}
