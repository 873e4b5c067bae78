import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Nothing else is in it. */
export const troubledZone = 'beijing-c';
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
  fleet.rename('cloudregions', 'default', 'Default (Beijing)');
  const like = fleet.hosts.find(
    ({ host_type, status, enabled }) => host_type === 'hypervisor' && status === 'running' && enabled,
  )!;
  const well = fleet.addHost({ name: 'host-well', zone: troubledZone }, like.id);
  const down = fleet.addHost({ name: downHost, zone: troubledZone }, like.id);
  fleet.silenceHost(down.id);
  const device = fleet.servers.find(({ isolated_devices: devices }) => devices.length > 0)!
    .isolated_devices[0]!;
  const holding = (dev_type: string, model: string, id: string): Partial<ServerRecord> => ({
    is_gpu: true,
    isolated_devices: [{ ...device, dev_type, model, id, host_id: well.id }],
  });
  const isDown = { host_id: down.id };
  const standby = { backup_host_id: down.id, backup_host_name: downHost, backup_host_status: 'offline' };
  const cases: readonly Partial<ServerRecord>[] = [
    { status: 'running' },
    // Two problems at once, and one of a task alone.
    { status: 'start_fail', ...isDown },
    { status: 'start_fail' },
    { status: 'snapshot_failed' },
    { status: 'deploying', updated_at: at(-3 * hourMs) },
    { status: 'unknown' },
    { status: 'running', ...isDown },
    { status: 'running', ...standby },
    { status: 'running', expired_at: at(-dayMs), billing_type: 'prepaid' },
    { status: 'running', expired_at: at(0.5 * dayMs), auto_renew: false },
    { status: 'running', expired_at: at(3 * dayMs), auto_renew: false },
    { status: 'running', expired_at: at(20 * dayMs), auto_renew: false },
    { status: 'running', ...holding('GPU-HPC', gpuModel, 'device-1') },
    { status: 'ready', ...holding('GPU-HPC', gpuModel, 'device-2') },
    { status: 'ready', ...holding('NIC', 'ConnectX-6', 'device-3') },
    { status: 'ready', pending_deleted: true },
  ];
  const { project, project_domain, tenant_id, domain_id } = fleet.servers.find(
    (one) => one.project === 'web',
  )!;
  const owner = { project, project_domain, tenant_id, domain_id };
  const healthy = { backup_host_status: '', expired_at: null, hypervisor: 'kvm', pending_deleted: false };
  for (const [index, { host_id = well.id, ...patch }] of cases.entries()) {
    const { id } = fleet.servers[index]!;
    fleet.moveServer(id, host_id);
    fleet.change(id, { ...healthy, ...owner, ...patch });
  }
  const { region, zone } = well;
  return { fleet, place: { region, zone, hypervisor: 'kvm', project, project_domain } };
}

export type Place = Pick<ServerRecord, 'region' | 'zone' | 'hypervisor' | 'project' | 'project_domain'>;
