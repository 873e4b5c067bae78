import type { Network, Sync } from '../inventory/side-series.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { lastingLabels, tableOf, type Table } from './family.ts';

export const networkTable: Table<Snapshot> = tableOf<Snapshot, Network>({
  series: 'one per network',
  labels: ['region', 'zone', 'vpc', 'network', 'server_type'],
  rows: ({ networks }) => networks ?? [],
  ...lastingLabels,
  columns: {
    cloud_network_up: {
      help: 'Whether servers can be given addresses of a network: its status is available.',
      example: 'cloud_network_up == 0',
      value: ({ isUp }) => isUp,
    },
    cloud_network_addresses: {
      help: 'IPv4 addresses of a network, from ports; public ones with server_type="eip".',
      example: 'sum by (zone, server_type) (cloud_network_addresses)',
      value: ({ addresses }) => addresses,
    },
    cloud_network_addresses_used: {
      help: 'IPv4 addresses of a network that are used or reserved, from ports_used; never more than it has.',
      example: 'cloud_network_addresses - cloud_network_addresses_used < 10',
      value: ({ used }) => used,
    },
  },
});

export const syncTable: Table<Snapshot> = tableOf<Snapshot, Sync>({
  series: 'one per subscription and region',
  labels: ['account', 'subscription', 'region'],
  rows: ({ syncs }) => syncs ?? [],
  ...lastingLabels,
  columns: {
    cloud_sync_enabled: {
      help: 'Whether the platform is to synchronise a region of a subscription of another cloud, from enabled.',
      example: 'cloud_sync_enabled == 0',
      value: ({ isEnabled }) => isEnabled,
    },
    cloud_sync_timestamp_seconds: {
      help: 'When the latest synchronisation ended, from last_sync_end_at, or began if it has not ended, from last_sync.',
      series: 'one per subscription and region that was synchronised',
      example: 'time() - cloud_sync_timestamp_seconds and cloud_sync_enabled == 1',
      unit: 'milliseconds',
      // Where the platform's clock is ahead of ours, what it has just done is now.
      value: ({ syncedAt }, _at, { takenAt }) => syncedAt && Math.min(syncedAt, takenAt),
    },
  },
});
