import type { Breakdown, Group, Measure, Part } from '../inventory/group.ts';
import { placeLabels, splitPlace } from '../inventory/places.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { brokenDownTable, type BrokenDown } from './breakdown.ts';
import { familiesOf, type Family, type FamilyTable } from './family.ts';

interface Sum {
  readonly name: string;
  readonly help: string;
  readonly count: Measure;
  /** For sizes: how many bytes one of the platform's units has. */
  readonly bytesPer: ((snapshot: Snapshot) => number) | undefined;
}

function sum(name: string, help: string, count: Measure, bytesPer?: Sum['bytesPer']): Sum {
  return { name, help, count, bytesPer };
}

/** Sums over servers, by place, status and state: each says how one server counts. */
const sums: readonly Sum[] = [
  sum('cloud_servers', "Servers, by the platform's own status and its group, state.", () => 1),
  sum(
    'cloud_servers_gpu',
    'Servers with is_gpu, which the platform sets when any device is passed through.',
    (server) => Number(server.isGpu),
  ),
  sum('cloud_servers_vcpus', 'Virtual CPUs of servers, the sum of vcpu_count.', (server) => server.vcpus),
  sum(
    'cloud_servers_memory_bytes',
    'Memory of servers, the sum of vmem_size, taken as mebibytes unless units says otherwise.',
    (server) => server.memory,
    ({ bytesPer }) => bytesPer.memory,
  ),
  sum(
    'cloud_servers_disk_bytes',
    'Size of the disks of servers, the sum of disk, taken as mebibytes unless units says otherwise.',
    (server) => server.disk,
    ({ bytesPer }) => bytesPer.disk,
  ),
  sum('cloud_servers_disks', 'Disks of servers, the sum of disk_count.', (server) => server.disks),
];

const dayMs = 86_400_000;

/** How soon a server expires; each window counts the nearer ones too. */
const expiryWindows = [
  { within: '1d', ms: dayMs },
  { within: '7d', ms: 7 * dayMs },
  { within: '30d', ms: 30 * dayMs },
] as const;

/** What a server may have several of, by place and labels of its own. */
const brokenDown: readonly BrokenDown[] = [
  {
    name: 'cloud_isolated_devices',
    help: 'Devices passed through to servers, from isolated_devices: GPUs, but also NICs and others, as dev_type says.',
    labels: ['dev_type', 'model'],
    by: 'status',
    parts(server, _now, add) {
      for (const { type, model } of server.devices) add([type, model], 1);
    },
  },
  {
    name: 'cloud_servers_expiring',
    help: 'Servers whose end (expired_at, or release_at of postpaid ones) is within 1, 7 or 30 days and that have no auto_renew; only places that have some.',
    labels: ['within', 'billing_type'],
    by: 'place',
    parts(server, now, add) {
      if (server.autoRenew || server.state === 'pending_deletion') return;
      const leftMs = (server.endsAt ?? 0) - now;
      if (leftMs <= 0) return;
      for (const { within, ms } of expiryWindows) if (leftMs <= ms) add([within, server.billingType], 1);
    },
    turns({ endsAt }, turn) {
      if (endsAt === undefined) return;
      for (const { ms } of expiryWindows) turn(endsAt - ms);
      turn(endsAt);
    },
  },
];

export const fleetMeasures: readonly Measure[] = sums.map(({ count }) => count);
export const fleetBreakdowns: readonly Breakdown[] = brokenDown;

const statusLabels = ['status', 'state'];

export const fleetTable: FamilyTable<Snapshot, Group> = {
  columns: sums.map(({ name, help, bytesPer }, index) => ({
    name,
    help,
    type: 'gauge',
    labels: ['cloud', ...placeLabels, ...statusLabels],
    extraLabels: (snapshot) => snapshot.extraLabels,
    value: ({ sums: numbers }, snapshot) => numbers[index]! * (bytesPer?.(snapshot) ?? 1),
  })),
  rows: ({ groups }) => groups,
  labelValues({ place: values, status, state }, { cloud }) {
    const [place, extra] = splitPlace(values);
    return [cloud, ...place, status, state, ...extra];
  },
};

export const brokenDownTables: readonly FamilyTable<Snapshot, Part>[] = brokenDown.map(brokenDownTable);

export const fleetFamilies: readonly Family<Snapshot>[] = [
  ...familiesOf(fleetTable),
  ...brokenDownTables.flatMap(familiesOf),
];

/** A sum over the groups that are wanted, in the unit of its family. */
export function fleetTotal(
  snapshot: Snapshot,
  name: string,
  isWanted: (group: Group) => boolean = () => true,
): number {
  const index = sums.findIndex((one) => one.name === name);
  const scale = sums[index]?.bytesPer?.(snapshot) ?? 1;
  const wanted = snapshot.groups.filter(isWanted);
  return wanted.reduce((total, { sums: numbers }) => total + numbers[index]!, 0) * scale;
}

/** Devices whose type is wanted. */
export function countDevices({ parts }: Snapshot, isWanted: (type: string) => boolean): number {
  const devices = parts[brokenDown.findIndex(({ name }) => name === 'cloud_isolated_devices')] ?? [];
  const wanted = devices.filter(({ values: [type = ''] }) => isWanted(type));
  return wanted.reduce((total, { count }) => total + count, 0);
}
