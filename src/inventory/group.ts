import type { State } from '../platform/state.ts';
import { byCodeUnit } from './tree.ts';

/** Where a server is and whose it is: region, zone, hypervisor, project domain, project, then the extra labels. */
export type Place = readonly string[];

/** How soon a server expires; each window counts the nearer ones too. */
export const expiryWindows = [
  { name: '1d', ms: 86_400_000 },
  { name: '7d', ms: 7 * 86_400_000 },
  { name: '30d', ms: 30 * 86_400_000 },
] as const;
export type ExpiryWindow = (typeof expiryWindows)[number]['name'];

/** Sums over the servers of one place and status. Sizes are in the platform's units. */
export interface Group {
  readonly place: Place;
  readonly status: string;
  readonly state: State;
  servers: number;
  gpuServers: number;
  vcpus: number;
  memory: number;
  disk: number;
  disks: number;
  pendingDeletion: number;
  /** Servers that expire within each window and are not renewed by themselves. */
  readonly expiring: Record<ExpiryWindow, number>;
}

export interface DeviceGroup {
  readonly group: Group;
  readonly type: string;
  readonly model: string;
  devices: number;
}

/** What the servers of one list add up to. */
export interface Sums {
  readonly groups: readonly Group[];
  readonly devices: readonly DeviceGroup[];
  /** Label sets beyond the limit, which are counted under `other`. */
  readonly mergedSets: number;
  /** Distinct projects, those counted under `other` too. */
  readonly projects: number;
}

export function emptyGroup(place: Place, status: string, state: State): Group {
  const sums = { servers: 0, gpuServers: 0, vcpus: 0, memory: 0, disk: 0, disks: 0, pendingDeletion: 0 };
  return { place, status, state, ...sums, expiring: { '1d': 0, '7d': 0, '30d': 0 } };
}

export function byPlaceAndStatus(a: Group, b: Group): number {
  for (let index = 0; index < a.place.length; index += 1) {
    const difference = byCodeUnit(a.place[index]!, b.place[index]!);
    if (difference !== 0) return difference;
  }
  return byCodeUnit(a.status, b.status) || byCodeUnit(a.state, b.state);
}

export function sortDevices(devices: Iterable<DeviceGroup>): DeviceGroup[] {
  return [...devices].toSorted(
    (a, b) =>
      byPlaceAndStatus(a.group, b.group) || byCodeUnit(a.type, b.type) || byCodeUnit(a.model, b.model),
  );
}
