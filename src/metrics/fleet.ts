import type { ExpiryWindow, Group, Place } from '../inventory/group.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Family } from './family.ts';

export const placeLabels = ['cloud', 'region', 'zone', 'hypervisor', 'project_domain', 'project'] as const;
export const ownPlaceLabels = placeLabels.length - 1;

type Measure = (group: Group, snapshot: Snapshot) => number;

/** A family that sums servers up by place, status and state. */
function sum(name: string, help: string, measure: Measure): Family<Snapshot> {
  return {
    name,
    help,
    type: 'gauge',
    labels: [...placeLabels, 'status', 'state'],
    extraLabels: (snapshot) => snapshot.extraLabels,
    *samples(snapshot) {
      for (const group of snapshot.groups) yield [groupLabels(snapshot, group), measure(group, snapshot)];
    },
  };
}

function groupLabels(snapshot: Snapshot, group: Group, more: readonly string[] = []): string[] {
  const { place, status, state } = group;
  return [
    snapshot.cloud,
    ...place.slice(0, ownPlaceLabels),
    status,
    state,
    ...more,
    ...place.slice(ownPlaceLabels),
  ];
}

const devices: Family<Snapshot> = {
  name: 'cloud_isolated_devices',
  help: 'Devices passed through to servers, from isolated_devices: GPUs, but also NICs and others, as dev_type says.',
  type: 'gauge',
  labels: [...placeLabels, 'status', 'state', 'dev_type', 'model'],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples(snapshot) {
    for (const { group, type, model, devices: count } of snapshot.devices) {
      yield [groupLabels(snapshot, group, [type, model]), count];
    }
  },
};

const pendingDeletion: Family<Snapshot> = {
  name: 'cloud_servers_pending_deletion',
  help: 'Servers with pending_deleted, which wait in the recycle bin; the platform may list them only on request.',
  type: 'gauge',
  labels: [...placeLabels],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples(snapshot) {
    for (const { place, groups } of byPlace(snapshot)) {
      yield [[snapshot.cloud, ...place], total(groups, ({ pendingDeletion: count }) => count)];
    }
  },
};

const expiryWindows: readonly ExpiryWindow[] = ['1d', '7d', '30d'];

const expiring: Family<Snapshot> = {
  name: 'cloud_servers_expiring',
  help: 'Servers whose expired_at is within 1, 7 or 30 days and that have no auto_renew; only places that have some.',
  type: 'gauge',
  labels: [...placeLabels, 'within'],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples(snapshot) {
    for (const { place, groups } of byPlace(snapshot)) {
      for (const within of expiryWindows) {
        const count = total(groups, (group) => group.expiring[within]);
        const labels = [...place.slice(0, ownPlaceLabels), within, ...place.slice(ownPlaceLabels)];
        if (count > 0) yield [[snapshot.cloud, ...labels], count];
      }
    }
  },
};

/** Groups are sorted by place, so those of one place stand together. */
function* byPlace({ groups }: Snapshot): Generator<{ place: Place; groups: readonly Group[] }> {
  let start = 0;
  for (let end = 1; end <= groups.length; end += 1) {
    const { place } = groups[start]!;
    if (end < groups.length && isSame(place, groups[end]!.place)) continue;
    yield { place, groups: groups.slice(start, end) };
    start = end;
  }
}

function total(groups: readonly Group[], measure: (group: Group) => number): number {
  return groups.reduce((sum, group) => sum + measure(group), 0);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.every((value, index) => value === b[index]);
}

export const fleetFamilies: readonly Family<Snapshot>[] = [
  sum(
    'cloud_servers',
    "Servers, by the platform's own status and its group, state.",
    ({ servers }) => servers,
  ),
  sum(
    'cloud_servers_gpu',
    'Servers with is_gpu, which the platform sets when any device is passed through.',
    ({ gpuServers }) => gpuServers,
  ),
  sum('cloud_servers_vcpus', 'Virtual CPUs of servers, the sum of vcpu_count.', ({ vcpus }) => vcpus),
  sum(
    'cloud_servers_memory_bytes',
    'Memory of servers, the sum of vmem_size, taken as mebibytes unless units says otherwise.',
    ({ memory }, { bytesPer }) => memory * bytesPer.memory,
  ),
  sum(
    'cloud_servers_disk_bytes',
    'Size of the disks of servers, the sum of disk, taken as mebibytes unless units says otherwise.',
    ({ disk }, { bytesPer }) => disk * bytesPer.disk,
  ),
  sum('cloud_servers_disks', 'Disks of servers, the sum of disk_count.', ({ disks }) => disks),
  devices,
  pendingDeletion,
  expiring,
];
