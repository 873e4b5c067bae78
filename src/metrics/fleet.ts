import type { Snapshot } from '../inventory/snapshot.ts';
import type { Breakdown, Group, Measure } from '../inventory/sums.ts';
import type { State } from '../platform/state.ts';
import { columnsOf, tableOf, type Column, type Sum, type Table } from './family.ts';

/** Sums over servers, by place and state. */
const sums: readonly Sum[] = [
  {
    name: 'cloud_servers_gpu',
    help: 'Servers with is_gpu, which the platform sets when any device is passed through; label sets without one are left out.',
    series: 'one per place and state that has some',
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
const expiryWindows = [
  { within: '1d', ms: dayMs },
  { within: '7d', ms: 7 * dayMs },
  { within: '30d', ms: 30 * dayMs },
] as const;

const none: readonly never[] = [];

/** Servers, or what they may have several of, by place and labels of their own. */
interface Counted extends Omit<Column<Group>, 'value'>, Breakdown {
  readonly series: string;
  readonly labels: readonly string[];
}

const servers: Counted = {
  name: 'cloud_servers',
  help: "Servers by the platform's own status, and by state, its fixed grouping.",
  series: 'one per place and status that occurs',
  example: 'sum by (cloud, state) (cloud_servers)',
  labels: ['status', 'state'],
  parts: ({ status, state }) => [[status, state]],
};

const devices: Counted = {
  name: 'cloud_servers_devices',
  help: 'Devices passed through to servers, from isolated_devices: GPUs, but also NICs and others, as dev_type says.',
  series: 'one per place, state and model that occurs',
  example: 'sum by (model, project) (cloud_servers_devices{state="stopped"})',
  labels: ['state', 'dev_type', 'model'],
  parts: ({ devices: attached, state }) =>
    attached.length === 0 ? none : attached.map(({ type, model }) => [state, type, model]),
};

const expiring: Counted = {
  name: 'cloud_servers_expiring',
  help: 'Servers without auto_renew that expire (expired_at, or release_at of postpaid ones) within 1, 7 or 30 days; places without one are left out.',
  series: 'up to three per place and billing type',
  example: 'sum by (project) (cloud_servers_expiring{within="7d",billing_type="prepaid"})',
  labels: ['within', 'billing_type'],
  parts({ state, billingType, endsAt = 0, autoRenew }, now) {
    if (autoRenew || state === 'pending_deletion' || endsAt <= now) return none;
    return expiryWindows.filter(({ ms }) => endsAt - now <= ms).map(({ within }) => [within, billingType]);
  },
};

const breakdowns = [servers, devices, expiring];

export const fleetMeasures: readonly Measure[] = sums.map(({ count }) => count);
export const fleetBreakdowns: readonly Breakdown[] = breakdowns;

export const fleetTables: readonly Table<Snapshot>[] = [
  countedTable(servers),
  tableOf<Snapshot, Group>({
    series: 'one per place and state that occurs',
    byPlace: true,
    place: ({ place }) => place,
    labels: ['state'],
    rows: ({ groups }) => groups,
    labelValues: ({ values }) => values,
    columns: columnsOf(sums),
  }),
  countedTable(devices),
  countedTable(expiring),
];

function countedTable(counted: Counted): Table<Snapshot> {
  return tableOf<Snapshot, Group>({
    series: counted.series,
    byPlace: true,
    place: ({ place }) => place,
    labels: counted.labels,
    rows: (snapshot) => groupsOf(snapshot, counted),
    labelValues: ({ values }) => values,
    columns: [{ ...counted, value: ({ sums: [count] }) => count }],
  });
}

function groupsOf({ parts }: Snapshot, counted: Counted): readonly Group[] {
  return parts[breakdowns.indexOf(counted)] ?? [];
}

/** How many label sets the fleet may have: each becomes about one series in each of its families. */
export function groupLimit(seriesLimit: number): number {
  const families = fleetTables.flatMap((table) => table.families);
  return Math.max(1, Math.floor(seriesLimit / families.length));
}

/** What a family of the fleet adds up to, of servers in all states or in one. */
export function fleetTotal(snapshot: Snapshot, name: string, state?: State): number {
  const index = sums.findIndex((one) => one.name === name);
  const groups = index < 0 ? groupsOf(snapshot, servers) : snapshot.groups;
  const unit = sums[index]?.unit;
  return (
    total(groups, ({ values, sums: numbers }) =>
      state === undefined || values.at(-1) === state ? numbers[Math.max(0, index)]! : 0,
    ) * (unit ? snapshot.bytesPer[unit] : 1)
  );
}

/** Devices of servers whose type is wanted. */
export function countDevices(snapshot: Snapshot, isWanted: (type: string) => boolean): number {
  return total(groupsOf(snapshot, devices), ({ values: [, type = ''], sums: [count = 0] }) =>
    isWanted(type) ? count : 0,
  );
}

function total(groups: readonly Group[], numberOf: (group: Group) => number): number {
  return groups.reduce((sum, group) => sum + numberOf(group), 0);
}
