import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A host that does not answer, with servers on it. */
export const downHost = 'host-down';
export const gpuModel = 'A100 PCIe (40 GB)';

/** A fleet that has every case that a panel or an alert is about, all of them in one place of one project. */
export function createTroubledFleet(
  servers = 160,
  nowMs = Date.now(),
  now = () => nowMs,
): { fleet: Fleet; place: Place } {
  const at = (fromNowMs: number) => new Date(nowMs + fromNowMs).toISOString();
  const fleet = createFleet({ servers, now });
  // A name with parentheses, so that who forgets to escape a variable finds nothing.
  const home = fleet.servers.find(({ region }) => region.includes('('))!;
  const device = fleet.servers.find(({ isolated_devices: devices }) => devices.length > 0)!
    .isolated_devices[0]!;
  const holding = (devType: string, model: string): Partial<ServerRecord> => ({
    is_gpu: true,
    isolated_devices: [{ ...device, dev_type: devType, model }],
  });
  const cases: readonly Partial<ServerRecord>[] = [
    { status: 'running' },
    // Two problems at once, and one of a task alone.
    { status: 'start_fail', host: downHost, host_service_status: 'offline' },
    { status: 'start_fail' },
    { status: 'snapshot_failed' },
    { status: 'deploying', updated_at: at(-3 * hourMs) },
    { status: 'unknown' },
    { status: 'running', host: downHost, host_service_status: 'offline' },
    { status: 'running', backup_host_status: 'offline' },
    { status: 'running', expired_at: at(-dayMs), billing_type: 'prepaid' },
    { status: 'running', expired_at: at(0.5 * dayMs), auto_renew: false },
    { status: 'running', expired_at: at(3 * dayMs), auto_renew: false },
    { status: 'running', expired_at: at(20 * dayMs), auto_renew: false },
    { status: 'running', ...holding('GPU-HPC', gpuModel) },
    { status: 'ready', ...holding('GPU-HPC', gpuModel) },
    { status: 'ready', ...holding('NIC', 'ConnectX-6') },
    { status: 'ready', pending_deleted: true },
  ];
  const healthy = {
    host_service_status: 'online',
    host_status: 'running',
    backup_host_status: '',
    expired_at: null,
  };
  const { region, zone, hypervisor, project, project_domain } = home;
  const place = { region, zone, hypervisor, project, project_domain };
  for (const [index, patch] of cases.entries()) {
    fleet.change(fleet.servers[index]!.id, { ...healthy, ...place, ...patch });
  }
  return { fleet, place };
}

export type Place = Pick<ServerRecord, 'region' | 'zone' | 'hypervisor' | 'project' | 'project_domain'>;
