import {
  byPlaceAndStatus,
  emptyGroup,
  expiryWindows,
  sortDevices,
  type DeviceGroup,
  type Group,
  type Sums,
} from './group.ts';

type SumName = { [Key in keyof Group]: Group[Key] extends number ? Key : never }[keyof Group];

const other = 'other';
/** Statuses are few, unless a platform makes them up. */
const mostStatuses = 100;
/** Every sum of a group: the compiler asks for one that is forgotten. */
const sums: Readonly<Record<SumName, true>> = {
  servers: true,
  gpuServers: true,
  vcpus: true,
  memory: true,
  disk: true,
  disks: true,
  pendingDeletion: true,
};
const sumNames = Object.keys(sums) as SumName[];

/** Counts all but the first `limit` label sets as one place, `other`; status and state stay, for alerts to see. */
export function mergeOverflow(
  groups: readonly Group[],
  devices: readonly DeviceGroup[],
  limit: number,
): Omit<Sums, 'projects'> {
  if (groups.length <= limit && devices.length <= limit) return { groups, devices, mergedSets: 0 };
  const statuses = new Set(groups.slice(limit).map(({ status }) => status));
  const merged = new Map<string, Group>();
  const standIns = new Map<Group, Group>();
  for (const [index, group] of groups.entries()) {
    const isOverflow = index >= limit;
    const place = isOverflow ? group.place.map(() => other) : group.place;
    const status = isOverflow && statuses.size > mostStatuses ? other : group.status;
    const key = JSON.stringify([place, status, group.state]);
    const target = merged.get(key) ?? emptyGroup(place, status, group.state);
    merged.set(key, target);
    standIns.set(group, target);
    for (const sum of sumNames) target[sum] += group[sum];
    for (const { name } of expiryWindows) target.expiring[name] += group.expiring[name];
  }
  const mergedGroups = Math.max(0, groups.length - limit);
  return {
    groups: [...merged.values()].toSorted(byPlaceAndStatus),
    devices: mergeDevices(devices, standIns, limit),
    mergedSets: mergedGroups + Math.max(0, devices.length - limit),
  };
}

function mergeDevices(
  devices: readonly DeviceGroup[],
  standIns: ReadonlyMap<Group, Group>,
  limit: number,
): DeviceGroup[] {
  const merged = new Map<Group, Map<string, DeviceGroup>>();
  for (const [index, device] of devices.entries()) {
    const group = standIns.get(device.group)!;
    const { type, model } = index < limit ? device : { type: other, model: other };
    const ofGroup = merged.get(group) ?? new Map<string, DeviceGroup>();
    merged.set(group, ofGroup);
    const key = JSON.stringify([type, model]);
    const target = ofGroup.get(key) ?? { group, type, model, devices: 0 };
    target.devices += device.devices;
    ofGroup.set(key, target);
  }
  return sortDevices([...merged.values()].flatMap((ofGroup) => [...ofGroup.values()]));
}
