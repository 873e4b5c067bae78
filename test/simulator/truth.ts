import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

/** The sums that an exporter must reach, counted here the plainest way, from the records themselves. */
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
  return { total: servers.length, rows: addUp(rows), devices: addUp(devices) };
}

function placeOf({ region, zone, hypervisor, project_domain, project, status }: ServerRecord) {
  return { region, zone, hypervisor, project_domain, project, status };
}

/** Rows that say the same in words become one. */
function addUp<Row extends Readonly<Record<string, string | number>>>(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(Object.values(row).filter((value) => typeof value === 'string'));
    const known: Row | undefined = sums.get(key);
    const add = ([name, value]: [string, string | number]) =>
      [name, typeof value === 'number' ? value + Number(known?.[name] ?? 0) : value] as const;
    sums.set(key, Object.fromEntries(Object.entries(row).map(add)) as Row);
  }
  return [...sums.values()];
}
