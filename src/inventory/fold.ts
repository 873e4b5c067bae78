import type { Server } from '../platform/server.ts';
import type { State } from '../platform/state.ts';

/** Where a server is and whose it is: region, zone, hypervisor, project domain, project, then the extra labels. */
export type Place = readonly string[];

/** How soon a server expires; each window counts the nearer ones too. */
const expiryWindows = [
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

export interface Fold {
  add(server: Server): void;
  groups(): Group[];
  devices(): DeviceGroup[];
  foldedSets(): number;
}

const other = 'other';

/**
 * Adds servers up and forgets them: what it keeps grows with the number of places, not of servers.
 * Past `limit` label sets a server counts under the place `other`, so that every sum stays whole.
 */
export function createFold({ now, limit }: { now: number; limit: number }): Fold {
  const groups = new Map<string, Group>();
  const devices = new Map<string, DeviceGroup>();
  const folded = new Set<string>();

  function groupOf(server: Server): { key: string; group: Group } {
    const key = keyOf(server);
    const known = groups.get(key);
    if (known) return { key, group: known };
    if (groups.size < limit) return { key, group: addGroup(key, placeOf(server), server) };
    folded.add(key);
    const place = placeOf(server).map(() => other);
    const otherKey = `${other} ${server.status}`;
    return { key: otherKey, group: groups.get(otherKey) ?? addGroup(otherKey, place, server) };
  }

  function addGroup(key: string, place: Place, { status, state }: Server): Group {
    const sums = { servers: 0, gpuServers: 0, vcpus: 0, memory: 0, disk: 0, disks: 0, pendingDeletion: 0 };
    const group = { place, status, state, ...sums, expiring: { '1d': 0, '7d': 0, '30d': 0 } };
    groups.set(key, group);
    return group;
  }

  function addDevice(group: Group, key: string, type: string, model: string): void {
    const deviceKey = key + part(type) + part(model);
    const known = devices.get(deviceKey);
    const isFull = devices.size >= limit && type !== other;
    if (known) known.devices += 1;
    else if (!isFull) devices.set(deviceKey, { group, type, model, devices: 1 });
    else {
      folded.add(deviceKey);
      addDevice(group, key, other, other);
    }
  }

  return {
    add(server) {
      const { key, group } = groupOf(server);
      group.servers += 1;
      if (server.isGpu) group.gpuServers += 1;
      if (server.pendingDeleted) group.pendingDeletion += 1;
      group.vcpus += server.vcpus;
      group.memory += server.memory;
      group.disk += server.disk;
      group.disks += server.disks;
      for (const { type, model } of server.devices) addDevice(group, key, type, model);
      if (server.expiredAt !== '' && !server.autoRenew)
        countExpiry(group, Date.parse(server.expiredAt) - now);
    },
    groups: () => [...groups.values()].toSorted(byPlaceAndStatus),
    devices: () => [...devices.values()].toSorted(byGroupAndModel),
    foldedSets: () => folded.size,
  };
}

function countExpiry(group: Group, leftMs: number): void {
  for (const { name, ms } of expiryWindows) if (leftMs > 0 && leftMs <= ms) group.expiring[name] += 1;
}

function placeOf(server: Server): Place {
  return [
    server.region,
    server.zone,
    server.hypervisor,
    server.projectDomain,
    server.project,
    ...server.extra,
  ];
}

/** Names come from tenants and may hold any separator, so each part says how long it is. */
function part(text: string): string {
  return `${text.length}:${text}`;
}

function keyOf(server: Server): string {
  let key =
    part(server.region) +
    part(server.zone) +
    part(server.hypervisor) +
    part(server.projectDomain) +
    part(server.project) +
    part(server.status);
  for (const value of server.extra) key += part(value);
  return key;
}

function byPlaceAndStatus(a: Group, b: Group): number {
  for (const [index, value] of a.place.entries()) {
    const difference = compare(value, b.place[index]!);
    if (difference !== 0) return difference;
  }
  return compare(a.status, b.status);
}

function byGroupAndModel(a: DeviceGroup, b: DeviceGroup): number {
  return byPlaceAndStatus(a.group, b.group) || compare(a.type, b.type) || compare(a.model, b.model);
}

/** By code unit: the same order on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
