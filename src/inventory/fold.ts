import type { Server } from '../platform/server.ts';
import {
  byPlaceAndStatus,
  emptyGroup,
  expiryWindows,
  sortDevices,
  type DeviceGroup,
  type Group,
  type Place,
  type Sums,
} from './group.ts';
import { foldSurplus } from './surplus.ts';

export interface Fold {
  add(server: Server): void;
  finish(): Sums;
}

/**
 * Adds servers up and forgets them: what it keeps grows with the number of places, not of servers.
 * Past `limit` label sets the last ones in order count as one place `other`, so that every sum stays whole
 * and the same sets are kept each time.
 */
export function createFold({ now, limit }: { now: number; limit: number }): Fold {
  const groups = new Map<string, Group>();
  const devices = new Map<string, DeviceGroup>();

  function groupOf(server: Server, key: string): Group {
    const known = groups.get(key) ?? emptyGroup(placeOf(server), server.status, server.state);
    groups.set(key, known);
    return known;
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
      for (const { type, model } of server.devices) {
        const deviceKey = key + part(type) + part(model);
        const device = devices.get(deviceKey) ?? { group, type, model, devices: 0 };
        device.devices += 1;
        devices.set(deviceKey, device);
      }
      if (server.expiredAt !== '' && !server.autoRenew)
        countExpiry(group, Date.parse(server.expiredAt) - now);
    },
    finish() {
      const sorted = [...groups.values()].toSorted(byPlaceAndStatus);
      return {
        ...foldSurplus(sorted, sortDevices(devices.values()), limit),
        projects: countProjects(sorted),
      };
    },
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

function countProjects(groups: readonly Group[]): number {
  return new Set(groups.map(({ place: [, , , domain, project] }) => JSON.stringify([domain, project]))).size;
}
