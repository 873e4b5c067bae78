import type { Host } from '../inventory/hosts.ts';
import type { Storage } from '../inventory/side-series.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { SumSettings } from '../inventory/sums.ts';
import {
  lastingLabels,
  measuresOf,
  tableOf,
  tableOfSums,
  type Columns,
  type Sum,
  type Table,
} from './family.ts';

const hostLabels = ['region', 'zone', 'host', 'hypervisor'];

const none: readonly never[] = [];

/** Sums over the servers of a host, by their state. */
const sums: Columns<Sum> = {
  cloud_host_servers: {
    help: 'Servers on a host, by state.',
    example: 'topk(10, sum by (host) (cloud_host_servers))',
    count: () => 1,
  },
  cloud_host_servers_vcpus: {
    help: 'Virtual CPUs of the servers on a host, the sum of vcpu_count, by state.',
    example: 'sum by (zone, host) (cloud_host_servers_vcpus{state="running"})',
    count: (server) => server.vcpus,
  },
  cloud_host_servers_memory_bytes: {
    help: 'Memory of the servers on a host, the sum of vmem_size, by state.',
    example: 'sum by (zone, host) (cloud_host_servers_memory_bytes{state="running"})',
    unit: 'memory',
    count: (server) => server.memory,
  },
};

/** What is added up over the servers of each host. */
export const hostSettings: Pick<SumSettings, 'hostMeasures'> = { hostMeasures: measuresOf(sums) };

/** In the order in which a series budget keeps their families. */
export const hostTables: readonly Table<Snapshot>[] = [
  tableOf<Snapshot, Host>({
    series: 'one per listed host',
    labels: hostLabels,
    rows: ({ hosts }) => hosts?.all ?? none,
    ...lastingLabels,
    columns: {
      cloud_host_up: {
        help: 'Whether the platform can reach a host, from its host_status; if hosts are not listed, from its servers.',
        series: 'one per host',
        example: 'cloud_host_up == 0',
        value: ({ isUp }) => isUp,
      },
      // Of the list of hosts; absent for hosts that only servers name.
      cloud_host_enabled: {
        help: 'Whether a host takes new servers, from enabled.',
        example: 'cloud_host_enabled == 0 and on (cloud, region, zone, host) cloud_host_servers > 0',
        value: ({ capacity }) => capacity?.isEnabled,
      },
      cloud_host_maintenance: {
        help: 'Whether a host is in maintenance, from its status and is_maintenance.',
        example: 'cloud_host_maintenance == 1',
        value: ({ capacity }) => capacity?.isInMaintenance,
      },
      cloud_host_schedulable: {
        help: 'Whether the scheduler would put a virtual machine on a host: running, online, enabled, not bare metal.',
        example: 'count by (cloud, zone) (cloud_host_schedulable == 1)',
        value: ({ capacity }) => capacity?.isSchedulable,
      },
      cloud_host_cpus: {
        help: 'Processors of a host that servers may use, cpu_count less cpu_reserved, before overcommitment.',
        example: 'count by (cloud, zone) (cloud_host_cpus{hypervisor="baremetal"})',
        value: ({ capacity }) => capacity?.cpus,
      },
      cloud_host_memory_capacity_bytes: {
        help: 'Memory of a host that servers may use, mem_size less mem_reserved, before overcommitment.',
        example: 'sum by (cloud, zone) (cloud_host_memory_capacity_bytes)',
        unit: 'memory',
        value: ({ capacity }) => capacity?.memory,
      },
      cloud_host_storage_capacity_bytes: {
        help: 'Size of the storage of a host, from storage_size.',
        example: 'sum by (cloud, zone) (cloud_host_storage_capacity_bytes)',
        unit: 'disk',
        value: ({ capacity }) => capacity?.storage,
      },
      cloud_host_cpu_overcommit: {
        help: 'Virtual CPUs allocatable for one real CPU of a host: cpu_cmtbound, or the setting overcommit.',
        example: 'min by (cloud, zone) (cloud_host_cpu_overcommit)',
        value: ({ capacity }) => capacity?.cpuOvercommit,
      },
      cloud_host_memory_overcommit: {
        help: 'Memory allocatable for one real byte of a host: mem_cmtbound, or the setting overcommit; 1 with huge pages.',
        example: 'cloud_host_memory_overcommit > 1',
        value: ({ capacity }) => capacity?.memoryOvercommit,
      },
      cloud_host_vcpus_allocatable: {
        help: 'Virtual CPUs that can be allocated on a host: cpu_count × overcommit, less cpu_reserved and what is reserved for servers with GPUs.',
        example: 'sum by (cloud, zone) (cloud_host_vcpus_allocatable)',
        value: ({ capacity }) => capacity?.vcpusAllocatable,
      },
      cloud_host_memory_allocatable_bytes: {
        help: 'Memory that can be allocated on a host: mem_size less mem_reserved, × overcommit.',
        example: 'sum by (cloud, zone) (cloud_host_memory_allocatable_bytes)',
        unit: 'memory',
        value: ({ capacity }) => capacity?.memoryAllocatable,
      },
      cloud_host_vcpus_allocated: {
        help: 'Virtual CPUs allocated on a host, as the scheduler counts: without stopped servers, with standbys.',
        example: 'clamp_min(cloud_host_vcpus_allocatable - cloud_host_vcpus_allocated, 0)',
        value: ({ capacity }) => capacity?.vcpusAllocated,
      },
      cloud_host_memory_allocated_bytes: {
        help: 'Memory allocated on a host, as the scheduler counts: without stopped servers, with standbys.',
        example: 'clamp_min(cloud_host_memory_allocatable_bytes - cloud_host_memory_allocated_bytes, 0)',
        unit: 'memory',
        value: ({ capacity }) => capacity?.memoryAllocated,
      },
    },
  }),
  tableOfSums(
    { series: 'one per host and state', labels: [...hostLabels, 'state'], columns: sums },
    ({ hosts }) => hosts?.byState,
  ),
  tableOfSums(
    {
      series: 'one per host and model',
      labels: [...hostLabels, 'dev_type', 'model'],
      columns: {
        cloud_host_devices: {
          help: 'Devices of a host that can be passed through to servers, from the list of devices.',
          example: 'sum by (dev_type, model) (cloud_host_devices)',
          sum: 'devices',
        },
        cloud_host_devices_free: {
          help: 'Devices of a host that no server has.',
          example: 'sum by (zone, model) (cloud_host_devices_free{dev_type=~"GPU.*"})',
          sum: 'free',
        },
      },
    },
    ({ hosts }) => hosts?.devices,
  ),
];

export const storageTable: Table<Snapshot> = tableOf<Snapshot, Storage>({
  series: 'one per storage',
  labels: ['region', 'zone', 'storage', 'storage_type', 'medium_type'],
  rows: ({ storages }) => storages ?? none,
  ...lastingLabels,
  columns: {
    cloud_storage_up: {
      help: 'Whether a storage can be used: its status is online, and it is enabled.',
      example: 'cloud_storage_up == 0',
      value: ({ isUp }) => isUp,
    },
    cloud_storage_capacity_bytes: {
      help: 'Size of a storage, from capacity.',
      example: 'sum by (zone, medium_type) (cloud_storage_capacity_bytes)',
      unit: 'disk',
      value: ({ capacity }) => capacity,
    },
    cloud_storage_allocatable_bytes: {
      help: 'Disk space that can be allocated on a storage: capacity less reserved, × overcommit.',
      example: 'sum by (zone) (cloud_storage_allocatable_bytes - cloud_storage_allocated_bytes)',
      unit: 'disk',
      value: ({ allocatable }) => allocatable,
    },
    cloud_storage_allocated_bytes: {
      help: 'Disk space allocated on a storage: used_capacity and waste_capacity, with disks in the recycle bin.',
      example: 'cloud_storage_allocated_bytes / cloud_storage_allocatable_bytes > 0.9',
      unit: 'disk',
      value: ({ allocated }) => allocated,
    },
    cloud_storage_used_bytes: {
      help: 'Bytes written to a storage, from actual_capacity_used; absent where the platform does not know.',
      series: 'one per storage where known',
      example: 'cloud_storage_used_bytes / cloud_storage_capacity_bytes > 0.9',
      unit: 'disk',
      value: ({ written }) => written,
    },
  },
});
