import { placeLabels, placeValues } from '../inventory/places.ts';
import type { Server } from '../platform/server.ts';
import { timestampOf } from '../timestamp.ts';
import type { FamilyHead } from './family.ts';

/** What the lines of single servers need to know of their cloud. */
export interface ServerSettings {
  readonly cloud: string;
  readonly extraLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
}

/** A family with one sample per server, which has the labels cloud and id. */
export interface ServerFamily extends FamilyHead<ServerSettings> {
  /** The values of the other labels, in their order. */
  readonly values: (server: Server) => readonly string[];
  /** Undefined where there is nothing to say of this server. */
  readonly measure: (server: Server, settings: ServerSettings) => number | undefined;
  /** Servers of one kind have one line but for their ids; not given where hardly two are of one kind. */
  readonly kind?: (server: Server, value: number) => string | number;
}

/** Keyed by id alone; everything else is joined from cloud_server_info. */
function perServer(name: string, help: string, measure: ServerFamily['measure']): ServerFamily {
  const labels = ['cloud', 'id'];
  return { name, help, type: 'gauge', labels, values: () => [], measure, kind: (_server, value) => value };
}

const info: ServerFamily = {
  name: 'cloud_server_info',
  help: 'The facts of one server, to be joined by id; always 1.',
  type: 'gauge',
  labels: [
    'cloud',
    ...placeLabels,
    'id',
    'name',
    'host',
    'os_type',
    'instance_type',
    'brand',
    'billing_type',
    'ips',
  ],
  extraLabels: ({ extraLabels }) => extraLabels,
  values: (server) => [
    ...placeValues(server),
    server.name,
    server.host,
    server.osType,
    server.instanceType,
    server.brand,
    server.billingType,
    server.ips,
    ...server.extra,
  ],
  measure: () => 1,
};

const status: ServerFamily = {
  name: 'cloud_server_status',
  help: "The platform's status of one server and its group, state; always 1.",
  type: 'gauge',
  labels: ['cloud', 'id', 'status', 'state'],
  values: (server) => [server.status, server.state],
  measure: () => 1,
  kind: (server) => `${server.state} ${server.status}`,
};

/** Absent where the platform gives no moment. */
function secondsOf(moment: number | undefined): number | undefined {
  return moment === undefined ? undefined : moment / 1000;
}

/** In the order in which a series budget keeps them: the last is dropped first. */
export const serverFamilies: readonly ServerFamily[] = [
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
    'When one server ends, from expired_at, or release_at of a postpaid one; absent where it never does.',
    ({ endsAt }) => secondsOf(endsAt),
  ),
  perServer(
    'cloud_server_updated_timestamp_seconds',
    'When one server last changed, from updated_at.',
    ({ updatedAt }) => secondsOf(timestampOf(updatedAt)),
  ),
  perServer(
    'cloud_server_created_timestamp_seconds',
    'When one server was created, from created_at.',
    ({ createdAt }) => secondsOf(timestampOf(createdAt)),
  ),
];
