import { noBreakdown, type Breakdown, type Part } from '../inventory/group.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { timestampOf } from '../timestamp.ts';
import { brokenDownTable, type BrokenDown } from './breakdown.ts';
import { familiesOf, type Family, type FamilyTable } from './family.ts';
import { fleetBreakdowns } from './fleet.ts';

/** What `families` may name. */
export const optionalNames = ['disks', 'public_address', 'os', 'billing', 'instance_type', 'age'] as const;
export type OptionalName = (typeof optionalNames)[number];

interface Optional extends BrokenDown {
  readonly part: OptionalName;
  /** The fields of a server that are asked for because of it. */
  readonly fields: readonly string[];
}

const dayMs = 86_400_000;

/** Each from the day after the one before; what is older than all of them is `365d+`. */
const ages = [
  { age: '0-1d', days: 1 },
  { age: '1-7d', days: 7 },
  { age: '7-30d', days: 30 },
  { age: '30-90d', days: 90 },
  { age: '90-365d', days: 365 },
] as const;

function ageOf(createdAt: string, now: number): string {
  const moment = timestampOf(createdAt);
  if (moment === undefined) return '';
  return ages.find(({ days }) => now - moment < days * dayMs)?.age ?? '365d+';
}

const optional: readonly Optional[] = [
  {
    part: 'disks',
    name: 'cloud_disks',
    help: 'Disks of servers by the type of their storage and its medium, from disks_info, which lists have from release 3.8 on.',
    labels: ['storage_type', 'medium_type'],
    by: 'state',
    fields: ['disks_info'],
    parts({ diskParts }, _now, add) {
      for (const { storageType, mediumType } of diskParts) add([storageType, mediumType], 1);
    },
  },
  {
    part: 'disks',
    name: 'cloud_disks_bytes',
    help: 'Size of the disks of servers by the type of their storage and its medium, the sum of size in disks_info.',
    labels: ['storage_type', 'medium_type'],
    by: 'state',
    fields: ['disks_info'],
    parts({ diskParts }, _now, add) {
      for (const { storageType, mediumType, size } of diskParts) add([storageType, mediumType], size);
    },
    bytesPer: ({ bytesPer }) => bytesPer.disk,
  },
  {
    part: 'public_address',
    name: 'cloud_servers_public_address',
    help: 'Servers with a public address: one that has an eip, or a NIC with is_exit; only places that have some.',
    labels: [],
    by: 'state',
    fields: ['eip', 'nics'],
    parts(server, _now, add) {
      if (server.hasPublicAddress) add([], 1);
    },
  },
  {
    part: 'os',
    name: 'cloud_servers_os',
    help: 'Servers by os_type.',
    labels: ['os_type'],
    by: 'state',
    fields: ['os_type'],
    parts: ({ osType }, _now, add) => add([osType], 1),
  },
  {
    part: 'billing',
    name: 'cloud_servers_billing',
    help: 'Servers by billing_type: paid in advance or by use.',
    labels: ['billing_type'],
    by: 'state',
    fields: ['billing_type'],
    parts: ({ billingType }, _now, add) => add([billingType], 1),
  },
  {
    part: 'instance_type',
    name: 'cloud_servers_instance_type',
    help: 'Servers by instance_type, of which a cloud may have hundreds.',
    labels: ['instance_type'],
    by: 'state',
    fields: ['instance_type'],
    parts: ({ instanceType }, _now, add) => add([instanceType], 1),
  },
  {
    part: 'age',
    name: 'cloud_servers_age',
    help: 'Servers by the time since created_at: each server is in one age, so that their sum is all servers.',
    labels: ['age'],
    by: 'state',
    fields: ['created_at'],
    parts: ({ createdAt }, now, add) => add([ageOf(createdAt, now)], 1),
    turns({ createdAt }, turn) {
      const moment = timestampOf(createdAt);
      if (moment !== undefined) for (const { days } of ages) turn(moment + days * dayMs);
    },
  },
];

/** Those of the parts that are wanted, each in its place; the others count nothing. */
export function optionalBreakdowns(wanted: readonly OptionalName[]): readonly Breakdown[] {
  return optional.map((one) => (wanted.includes(one.part) ? one : noBreakdown));
}

export function optionalFields(wanted: readonly OptionalName[]): readonly string[] {
  return optional.filter(({ part }) => wanted.includes(part)).flatMap(({ fields }) => fields);
}

/** How many families the wanted parts have. */
export function countOptional(wanted: readonly OptionalName[]): number {
  return optional.filter(({ part }) => wanted.includes(part)).length;
}

/** In the order in which a series budget keeps them; those that are not wanted have no samples. */
export const optionalTables: readonly FamilyTable<Snapshot, Part>[] = optional.map((one, index) =>
  brokenDownTable(one, fleetBreakdowns.length + index),
);

export const optionalFamilies: readonly Family<Snapshot>[] = optionalTables.flatMap(familiesOf);
