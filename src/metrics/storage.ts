import type { Storage } from '../inventory/hosts.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { tableOf, type Table } from './family.ts';

export const storageTable: Table<Snapshot> = tableOf<Snapshot, Storage>({
  series: 'one per storage',
  labels: ['region', 'zone', 'storage', 'storage_type', 'medium_type'],
  rows: ({ storages }) => storages ?? [],
  labelValues: ({ labels }) => labels,
  columns: [
    {
      name: 'cloud_storage_up',
      help: 'Whether a storage can be used: its status is online, and it is enabled.',
      example: 'cloud_storage_up == 0',
      value: ({ isUp }) => isUp,
    },
    {
      name: 'cloud_storage_capacity_bytes',
      help: 'Size of a storage, from capacity.',
      example: 'sum by (zone, medium_type) (cloud_storage_capacity_bytes)',
      unit: 'disk',
      value: ({ capacity }) => capacity,
    },
    {
      name: 'cloud_storage_allocatable_bytes',
      help: 'Disk space that may be promised on a storage: capacity less reserved, × overcommit.',
      example: 'sum by (zone) (cloud_storage_allocatable_bytes - cloud_storage_allocated_bytes)',
      unit: 'disk',
      value: ({ allocatable }) => allocatable,
    },
    {
      name: 'cloud_storage_allocated_bytes',
      help: 'Disk space that is promised on a storage: used_capacity and waste_capacity, disks in the recycle bin included.',
      example: 'cloud_storage_allocated_bytes / cloud_storage_allocatable_bytes > 0.9',
      unit: 'disk',
      value: ({ allocated }) => allocated,
    },
    {
      name: 'cloud_storage_used_bytes',
      help: 'What is really written to a storage, from actual_capacity_used; absent where the platform does not know.',
      series: 'one per storage where known',
      example: 'cloud_storage_used_bytes / cloud_storage_capacity_bytes > 0.9',
      unit: 'disk',
      value: ({ used }) => used,
    },
  ],
});
