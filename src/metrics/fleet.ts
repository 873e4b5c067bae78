import type { Group } from '../inventory/fold.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Family, Sample } from './family.ts';

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
  samples: (snapshot) => byPlace(snapshot, ({ pendingDeletion: count }) => count),
};

/** Groups are sorted by place, so those of one place stand together. */
function* byPlace(snapshot: Snapshot, measure: (group: Group) => number): Generator<Sample> {
  let current: { place: readonly string[]; value: number } | undefined;
  for (const group of snapshot.groups) {
    if (current && isSame(current.place, group.place)) {
      current.value += measure(group);
      continue;
    }
    if (current) yield [[snapshot.cloud, ...current.place], current.value];
    current = { place: group.place, value: measure(group) };
  }
  if (current) yield [[snapshot.cloud, ...current.place], current.value];
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
];
