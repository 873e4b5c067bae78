import type { Snapshot } from '../inventory/snapshot.ts';
import type { Server } from '../platform/server.ts';
import type { Family } from './family.ts';
import { placeLabels } from './fleet.ts';

/** A family with one number per server, keyed by id alone; everything else is joined from cloud_server_info. */
function perServer(
  name: string,
  help: string,
  measure: (server: Server, snapshot: Snapshot) => number | undefined,
): Family<Snapshot> {
  return {
    name,
    help,
    type: 'gauge',
    labels: ['cloud', 'id'],
    *samples(snapshot) {
      for (const server of snapshot.servers ?? []) {
        const value = measure(server, snapshot);
        if (value !== undefined) yield [[snapshot.cloud, server.id], value];
      }
    },
  };
}

const info: Family<Snapshot> = {
  name: 'cloud_server_info',
  help: 'The facts of one server, to be joined by id; always 1.',
  type: 'gauge',
  labels: [...placeLabels, 'id', 'name', 'host', 'os_type', 'instance_type', 'brand', 'billing_type', 'ips'],
  extraLabels: (snapshot) => snapshot.extraLabels,
  *samples({ cloud, servers = [] }) {
    for (const server of servers) {
      const { region, zone, hypervisor, projectDomain, project, id, name, host, osType, instanceType } =
        server;
      const place = [cloud, region, zone, hypervisor, projectDomain, project];
      const facts = [id, name, host, osType, instanceType, server.brand, server.billingType, server.ips];
      yield [[...place, ...facts, ...server.extra], 1];
    }
  },
};

const status: Family<Snapshot> = {
  name: 'cloud_server_status',
  help: "The platform's status of one server and its group, state; always 1.",
  type: 'gauge',
  labels: ['cloud', 'id', 'status', 'state'],
  *samples({ cloud, servers = [] }) {
    for (const server of servers) yield [[cloud, server.id, server.status, server.state], 1];
  },
};

/** Absent where the platform gives no moment. */
function secondsOf(moment: string): number | undefined {
  const milliseconds = Date.parse(moment);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** In the order in which a series budget keeps them: the last is dropped first. */
export const serverFamilies: readonly Family<Snapshot>[] = [
  info,
  status,
  perServer('cloud_server_vcpus', 'Virtual CPUs of one server, from vcpu_count.', ({ vcpus }) => vcpus),
  perServer(
    'cloud_server_memory_bytes',
    'Memory of one server, from vmem_size.',
    ({ memory }, { bytesPer }) => memory * bytesPer.memory,
  ),
  perServer(
    'cloud_server_disk_bytes',
    'Size of the disks of one server, from disk.',
    ({ disk }, { bytesPer }) => disk * bytesPer.disk,
  ),
  perServer(
    'cloud_server_isolated_devices',
    'Devices passed through to one server, from isolated_devices.',
    ({ devices }) => devices.length,
  ),
  perServer(
    'cloud_server_expiry_timestamp_seconds',
    'When one server expires, from expired_at; absent where it never does.',
    ({ expiredAt }) => secondsOf(expiredAt),
  ),
  perServer(
    'cloud_server_updated_timestamp_seconds',
    'When one server last changed, from updated_at.',
    ({ updatedAt }) => secondsOf(updatedAt),
  ),
  perServer(
    'cloud_server_created_timestamp_seconds',
    'When one server was created, from created_at.',
    ({ createdAt }) => secondsOf(createdAt),
  ),
];
