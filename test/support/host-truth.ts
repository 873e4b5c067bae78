import { stateOf } from '../../src/platform/state.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import {
  devicesOf,
  hostsOf,
  networksOf,
  storagesOf,
  syncsOf,
  type HostTruth,
  type StorageTruth,
} from '../simulator/room.ts';
import type { Parsed } from './exposition.ts';
import { expectSeries, mebibyte, type FactOf } from './truth.ts';

const facts: Readonly<Record<string, FactOf<HostTruth>>> = {
  cloud_host_enabled: ({ enabled }) => enabled,
  cloud_host_maintenance: ({ maintenance }) => maintenance,
  cloud_host_schedulable: ({ schedulable }) => schedulable,
  cloud_host_cpus: ({ cpus }) => cpus,
  cloud_host_memory_capacity_bytes: ({ memory }) => memory * mebibyte,
  cloud_host_storage_capacity_bytes: ({ storage }) => storage * mebibyte,
  cloud_host_cpu_overcommit: ({ promises }) => promises?.cpuOvercommit,
  cloud_host_memory_overcommit: ({ promises }) => promises?.memoryOvercommit,
  cloud_host_vcpus_allocatable: ({ promises }) => promises?.vcpusAllocatable,
  cloud_host_memory_allocatable_bytes: ({ promises }) => promises && promises.memoryAllocatable * mebibyte,
  cloud_host_vcpus_allocated: ({ promises }) => promises?.vcpusAllocated,
  cloud_host_memory_allocated_bytes: ({ promises }) => promises && promises.memoryAllocated * mebibyte,
};

const storageFacts: Readonly<Record<string, FactOf<StorageTruth>>> = {
  cloud_storage_up: ({ up }) => up,
  cloud_storage_capacity_bytes: ({ capacity }) => capacity * mebibyte,
  cloud_storage_allocatable_bytes: ({ allocatable }) => allocatable * mebibyte,
  cloud_storage_allocated_bytes: ({ allocated }) => allocated * mebibyte,
  cloud_storage_used_bytes: ({ used }) => used && used * mebibyte,
};

/** Every series of hosts against the simulated cloud's own numbers, and nothing besides. */
export function expectHostTruth(parsed: Parsed, fleet: Fleet): void {
  const hosts = hostsOf(fleet);
  const labels = ['region', 'zone', 'host', 'hypervisor'];
  for (const [name, factOf] of Object.entries({ cloud_host_up: ({ up }: HostTruth) => up, ...facts }))
    expectSeries(parsed, name, labels, hosts, factOf);
  expectLoads(parsed, fleet);
}

/** What the servers of each host add up to, by state. */
export function expectLoads(parsed: Parsed, fleet: Fleet): void {
  const hosts = new Map(hostsOf(fleet).map((host) => [host.id, host]));
  // By the id of the host: a server's word for its name may be an older one.
  const loads = fleet.servers.flatMap((server) => {
    const { host_id, vcpu_count: vcpus, vmem_size, status, pending_deleted: pendingDeleted } = server;
    const state = stateOf({ status, pendingDeleted, power: server.power_states ?? '' });
    const host = hosts.get(host_id);
    return host ? [{ ...host, vcpus, memory: vmem_size * mebibyte, state }] : [];
  });
  const labels = ['region', 'zone', 'host', 'hypervisor', 'state'];
  expectSeries(parsed, 'cloud_host_servers', labels, loads, () => 1);
  expectSeries(parsed, 'cloud_host_servers_vcpus', labels, loads, ({ vcpus }) => vcpus);
  expectSeries(parsed, 'cloud_host_servers_memory_bytes', labels, loads, ({ memory }) => memory);
}

/** Of storages, devices, networks and synchronisations, as of hosts. */
export function expectRoomTruth(parsed: Parsed, fleet: Fleet): void {
  const labels = ['region', 'zone', 'storage', 'storage_type', 'medium_type'];
  for (const [name, factOf] of Object.entries(storageFacts))
    expectSeries(parsed, name, labels, storagesOf(fleet), factOf);
  const ofNetworks = ['region', 'zone', 'vpc', 'network', 'server_type'];
  const networks = networksOf(fleet);
  expectSeries(parsed, 'cloud_network_up', ofNetworks, networks, ({ up }) => up);
  expectSeries(parsed, 'cloud_network_addresses', ofNetworks, networks, ({ ports }) => ports);
  expectSeries(parsed, 'cloud_network_addresses_used', ofNetworks, networks, ({ used }) => used);
  const ofSyncs = ['account', 'subscription', 'region'];
  expectSeries(parsed, 'cloud_sync_enabled', ofSyncs, syncsOf(fleet), ({ enabled }) => enabled);
  expectSeries(parsed, 'cloud_sync_timestamp_seconds', ofSyncs, syncsOf(fleet), ({ at }) => at);
  const ofDevices = ['region', 'zone', 'host', 'dev_type', 'model'];
  const devices = devicesOf(fleet);
  const kvm = { hypervisor: 'kvm' };
  expectSeries(parsed, 'cloud_host_devices', ofDevices, devices, ({ count }) => count, kvm);
  expectSeries(parsed, 'cloud_host_devices_free', ofDevices, devices, ({ free }) => free, kvm);
}
