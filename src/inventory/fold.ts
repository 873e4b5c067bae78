import type { Server } from '../platform/server.ts';
import { emptyGroup, expiryWindows, type DeviceGroup, type Group, type Place, type Sums } from './group.ts';
import { mergeOverflow } from './overflow.ts';
import { createTree } from './tree.ts';

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
  const groups = createTree<Group>();
  const devices = createTree<DeviceGroup>();

  return {
    add(server) {
      const place = placeOf(server);
      const group = groups.leaf([...place, server.status], () =>
        emptyGroup(place, server.status, server.state),
      );
      group.servers += 1;
      if (server.isGpu) group.gpuServers += 1;
      if (server.pendingDeleted) group.pendingDeletion += 1;
      group.vcpus += server.vcpus;
      group.memory += server.memory;
      group.disk += server.disk;
      group.disks += server.disks;
      for (const { type, model } of server.devices) {
        const path = [...place, server.status, type, model];
        devices.leaf(path, () => ({ group, type, model, devices: 0 })).devices += 1;
      }
      if (server.expiredAt !== '' && !server.autoRenew)
        countExpiry(group, Date.parse(server.expiredAt) - now);
    },
    finish() {
      const sorted = groups.leaves();
      return { ...mergeOverflow(sorted, devices.leaves(), limit), projects: countProjects(sorted) };
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

function countProjects(groups: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { place } of groups) projects.leaf(place.slice(3, 5), () => true);
  return projects.leaves().length;
}
