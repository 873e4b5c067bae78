import { storageId } from './hardware.ts';
import { boundsOf, hostFields, noLoad, type HostRecord, type Load } from './host.ts';
import type { ServerRecord } from './record.ts';

/** By host, the servers in the recycle bin too: these still hold their place until they are gone. */
export function loadsOf(servers: readonly ServerRecord[]): Map<string, Load> {
  const loads = new Map<string, Load>();
  for (const server of servers) addLoad(loads, server);
  return loads;
}

export function addLoad(loads: Map<string, Load>, server: ServerRecord): void {
  const load = loads.get(server.host_id) ?? noLoad;
  loads.set(server.host_id, {
    vcpus: load.vcpus + server.vcpu_count,
    memory: load.memory + server.vmem_size,
    disk: load.disk + server.disk,
  });
}

export function hasRoom(host: HostRecord, load: Load, server: ServerRecord): boolean {
  if (host.is_emulated) return true;
  const bounds = boundsOf(host);
  const vcpus = host.cpu_count * bounds.cpu - host.cpu_reserved - load.vcpus;
  const memory = (host.mem_size - host.mem_reserved) * bounds.memory - load.memory;
  return vcpus >= server.vcpu_count && memory >= server.vmem_size;
}

/** What a server says that is moved: its own disks and devices go with it. */
export function movedTo(host: HostRecord, server: ServerRecord): Partial<ServerRecord> {
  return {
    ...hostFields(host),
    disks_info: server.disks_info.map((disk) => ({
      ...disk,
      storage_id: storageId(host, disk.storage_type),
    })),
    isolated_devices: server.isolated_devices.map((device) => ({ ...device, host_id: host.id })),
  };
}
