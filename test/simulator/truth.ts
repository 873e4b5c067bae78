import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

type Place = Readonly<
  Record<'region' | 'zone' | 'hypervisor' | 'project_domain' | 'project' | 'status', string>
>;

const nothing = {
  servers: 0,
  gpuServers: 0,
  vcpus: 0,
  memoryMiB: 0,
  diskMiB: 0,
  disks: 0,
  pendingDeletion: 0,
};
export type TruthRow = Place & typeof nothing;
export type DeviceRow = Place & { readonly dev_type: string; readonly model: string; count: number };

export interface Truth {
  readonly total: number;
  readonly rows: readonly TruthRow[];
  readonly devices: readonly DeviceRow[];
}

export function truthOf({ servers }: Fleet, { pendingDeleted } = { pendingDeleted: true }): Truth {
  return countServers(servers.filter((server) => pendingDeleted || !server.pending_deleted));
}

/** The sums that an exporter must reach, counted here the plainest way, from the records themselves. */
export function countServers(servers: readonly ServerRecord[]): Truth {
  const rows = new Map<string, TruthRow>();
  const devices = new Map<string, DeviceRow>();
  for (const server of servers) {
    const place = placeOf(server);
    const row = remember(rows, place, () => ({ ...place, ...nothing }));
    row.servers += 1;
    row.gpuServers += server.is_gpu ? 1 : 0;
    row.vcpus += server.vcpu_count;
    row.memoryMiB += server.vmem_size;
    row.diskMiB += server.disk;
    row.disks += server.disk_count;
    row.pendingDeletion += server.pending_deleted ? 1 : 0;
    for (const { dev_type, model } of server.isolated_devices) {
      const device = { ...place, dev_type, model };
      remember(devices, device, () => ({ ...device, count: 0 })).count += 1;
    }
  }
  return { total: servers.length, rows: [...rows.values()], devices: [...devices.values()] };
}

function placeOf(server: ServerRecord): Place {
  const { region, zone, hypervisor, project_domain, project, status } = server;
  return { region, zone, hypervisor, project_domain, project, status };
}

function remember<Row>(rows: Map<string, Row>, key: object, create: () => Row): Row {
  const name = JSON.stringify(key);
  const known = rows.get(name) ?? create();
  rows.set(name, known);
  return known;
}
