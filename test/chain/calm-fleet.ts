import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { isWell } from '../../src/simulator/fleet/host.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

/** Nothing about such a server is worth an alert. */
const calm: Partial<ServerRecord> = {
  status: 'running',
  backup_host_status: '',
  expired_at: null,
  pending_deleted: false,
};

/** A fleet in which all is well and nothing is full, until the test breaks something. */
export function createCalmFleet(servers: number): Fleet {
  const fleet = createFleet({ servers });
  for (const { id } of fleet.hosts) fleet.changeHost(id, { ...isWell, cpu_count: 512, mem_size: 2 ** 22 });
  for (const { id } of fleet.servers) fleet.change(id, calm);
  return fleet;
}
