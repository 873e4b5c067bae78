import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

/** What an exporter must add up: a row for each server and for each of its devices, from the records themselves. */
export type Truth = ReturnType<typeof countServers>;
export type TruthRow = Truth['rows'][number];

export function truthOf({ servers }: Fleet, { pendingDeleted } = { pendingDeleted: true }): Truth {
  return countServers(servers.filter((server) => pendingDeleted || !server.pending_deleted));
}

export function countServers(servers: readonly ServerRecord[]) {
  const rows = servers.map((server) => {
    const { vcpu_count, vmem_size, disk, disk_count, is_gpu, pending_deleted } = server;
    return {
      ...placeOf(server),
      servers: 1,
      gpuServers: Number(is_gpu),
      vcpus: vcpu_count,
      memoryMiB: vmem_size,
      diskMiB: disk,
      disks: disk_count,
      pendingDeletion: Number(pending_deleted),
    };
  });
  const devices = servers.flatMap((server) =>
    server.isolated_devices.map(({ dev_type, model }) => ({ ...placeOf(server), dev_type, model, count: 1 })),
  );
  return { total: servers.length, rows, devices };
}

function placeOf({ region, zone, hypervisor, project_domain, project, status }: ServerRecord) {
  return { region, zone, hypervisor, project_domain, project, status };
}
