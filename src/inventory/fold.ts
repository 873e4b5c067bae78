import type { Server } from '../platform/server.ts';
import { stateOf, type State } from '../platform/state.ts';

/** Where a server is and whose it is: region, zone, hypervisor, project domain, project, then the extra labels. */
export type Place = readonly string[];

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
}

/** Adds servers up and forgets them: what it keeps grows with the number of places, not of servers. */
export function createFold(): Fold {
  const groups = new Map<string, Group>();
  const devices = new Map<string, DeviceGroup>();

  function groupOf(server: Server, key: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const { status } = server;
    const sums = { servers: 0, gpuServers: 0, vcpus: 0, memory: 0, disk: 0, disks: 0, pendingDeletion: 0 };
    const group = { place: placeOf(server), status, state: stateOf(status), ...sums };
    groups.set(key, group);
    return group;
  }

  function addDevice(group: Group, key: string, type: string, model: string): void {
    const deviceKey = key + part(type) + part(model);
    const known = devices.get(deviceKey);
    if (known) known.devices += 1;
    else devices.set(deviceKey, { group, type, model, devices: 1 });
  }

  return {
    add(server) {
      const key = keyOf(server);
      const group = groupOf(server, key);
      group.servers += 1;
      if (server.isGpu) group.gpuServers += 1;
      if (server.pendingDeleted) group.pendingDeletion += 1;
      group.vcpus += server.vcpus;
      group.memory += server.memory;
      group.disk += server.disk;
      group.disks += server.disks;
      for (const { type, model } of server.devices) addDevice(group, key, type, model);
    },
    groups: () => [...groups.values()].toSorted(byPlaceAndStatus),
    devices: () => [...devices.values()].toSorted(byGroupAndModel),
  };
}

export function placeOf(server: Server): Place {
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
