import { locationOf } from '../inventory/location.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { Server } from '../platform/server.ts';
import { numberOf, tableOf, type Table } from './family.ts';

const perServer = { series: 'one per server', rows: ({ servers }: Snapshot) => servers ?? [] };

/** Beside those of the location. */
const infoLabels: readonly (readonly [label: string, of: (server: Server) => string])[] = [
  ['project_id', ({ projectId }) => projectId],
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['host', ({ host }) => host],
  ['host_id', ({ hostId }) => hostId],
  ['os_type', ({ osType }) => osType],
  ['instance_type', ({ instanceType }) => instanceType],
  ['brand', ({ brand }) => brand],
  ['billing_type', ({ billingType }) => billingType],
  ['ips', ({ ips }) => ips],
];

/** In the order in which a series budget keeps their families: the last is dropped first. */
export const serverTables: readonly Table<Snapshot>[] = [
  tableOf<Snapshot, Server>({
    ...perServer,
    byLocation: true,
    withInfo: true,
    labels: infoLabels.map(([label]) => label),
    labelValues: (server) => [
      ...locationOf(server, server, server),
      ...infoLabels.map(([, of]) => of(server)),
      ...server.info,
    ],
    columns: {
      cloud_server_info: {
        help: 'Labels of one server, for joins on cloud and id; always 1.',
        example: 'count by (instance_type) (max by (cloud, id, instance_type) (cloud_server_info))',
        value: () => 1,
      },
    },
  }),
  tableOf<Snapshot, Server>({
    ...perServer,
    labels: ['id', 'status', 'state'],
    labelValues: ({ id, status, state }) => [id, status, state],
    columns: {
      cloud_server_status: {
        help: "The platform's own status of one server, and state, its fixed grouping; always 1.",
        example: 'count by (state) (cloud_server_status)',
        value: () => 1,
      },
    },
  }),
  tableOf<Snapshot, Server>({
    ...perServer,
    labels: ['id'],
    labelValues: ({ id }) => [id],
    columns: {
      cloud_server_vcpus: {
        help: 'Virtual CPUs of one server, from vcpu_count.',
        example: 'topk(10, cloud_server_vcpus)',
        value: ({ vcpus }) => vcpus,
      },
      cloud_server_memory_bytes: {
        help: 'Memory of one server, from vmem_size.',
        example: 'topk(10, cloud_server_memory_bytes)',
        unit: 'memory',
        value: ({ memory }) => memory,
      },
      cloud_server_disk_bytes: {
        help: 'Size of the disks of one server, from disk.',
        example: 'topk(10, cloud_server_disk_bytes)',
        unit: 'disk',
        value: ({ disk }) => disk,
      },
      cloud_server_isolated_devices: {
        help: 'Devices passed through to one server, from isolated_devices.',
        example: 'cloud_server_isolated_devices > 0',
        value: ({ devices }) => devices.length,
      },
      cloud_server_expiry_timestamp_seconds: {
        help: 'When one server expires, from expired_at, or release_at of a postpaid one.',
        series: `${perServer.series} that expires`,
        example: 'cloud_server_expiry_timestamp_seconds - time() < 7 * 86400',
        unit: 'milliseconds',
        value: ({ endsAt }) => endsAt,
      },
      cloud_server_updated_timestamp_seconds: {
        help: 'When one server last changed, from updated_at.',
        example: 'time() - cloud_server_updated_timestamp_seconds > 3600',
        unit: 'milliseconds',
        value: ({ updatedAt }) => updatedAt,
      },
      cloud_server_created_timestamp_seconds: {
        help: 'When one server was created, from created_at.',
        example: 'count(time() - cloud_server_created_timestamp_seconds < 86400)',
        unit: 'milliseconds',
        value: ({ createdAt }) => createdAt,
      },
    },
  }),
];

/** How many series `per_server` adds, or would add: one for each family that has a number for a server. */
export function countServerSeries(snapshot: Snapshot): number {
  let series = 0;
  for (const table of serverTables)
    for (const [at, row] of table.rows(snapshot).entries())
      for (const column of Object.values(table.columns))
        if (numberOf(column, row, at, snapshot) !== undefined) series += 1;
  return series;
}
