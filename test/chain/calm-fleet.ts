import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

/** Nothing about such a server is worth an alert. */
const calm: Partial<ServerRecord> = {
  status: 'running',
  host_status: 'running',
  host_service_status: 'online',
  backup_host_status: '',
  expired_at: null,
  pending_deleted: false,
};

/** A fleet in which all is well, until the test breaks something. */
export function createCalmFleet(servers: number): Fleet {
  const fleet = createFleet({ servers });
  for (const { id } of fleet.servers) fleet.change(id, calm);
  return fleet;
}
