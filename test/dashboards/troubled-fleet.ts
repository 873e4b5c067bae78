import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { usedOf } from '../../src/simulator/fleet/room.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Nothing else is in it. */
export const troubledZone = 'beijing-c';
const downHost = 'host-down';

/** A fleet that has every case that a panel is about, all of them in one place of one project. */
export function createTroubledFleet(servers: number, nowMs: number, now: () => number): Fleet {
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
  const [device] = fleet.servers.find(
    ({ isolated_devices: devices }) => devices.length > 0,
  )!.isolated_devices;
  const holding = (dev_type: string, model: string, id: string): Partial<ServerRecord> => ({
    is_gpu: true,
    isolated_devices: [{ ...device!, dev_type, model, id, host_id: well.id }],
  });
  const isDown = { host_id: down.id };
  const cases: readonly Partial<ServerRecord>[] = [
    { status: 'running' },
    // Two problems at once, and one of a task alone.
    { status: 'start_fail', ...isDown },
    { status: 'start_fail' },
    { status: 'snapshot_failed' },
    { status: 'deploying', updated_at: at(-3 * hourMs) },
    { status: 'unknown' },
    { status: 'running', ...isDown },
    { backup_host_id: down.id, backup_host_name: downHost, backup_host_status: 'offline' },
    { expired_at: at(-dayMs), billing_type: 'prepaid' },
    { expired_at: at(0.5 * dayMs), auto_renew: false },
    { expired_at: at(3 * dayMs), auto_renew: false },
    { expired_at: at(20 * dayMs), auto_renew: false },
    holding('GPU-HPC', 'A100 PCIe (40 GB)', 'device-1'),
    { status: 'ready', ...holding('GPU-HPC', 'A100 PCIe (40 GB)', 'device-2') },
    { status: 'ready', ...holding('NIC', 'ConnectX-6', 'device-3') },
    { status: 'ready', pending_deleted: true },
  ];
  const owner = fleet.servers.find((one) => one.project === 'web')!;
  const { project, project_domain, tenant_id, domain_id } = owner;
  const usual = {
    project,
    project_domain,
    tenant_id,
    domain_id,
    status: 'running',
    backup_host_status: '',
    expired_at: null,
    hypervisor: 'kvm',
    pending_deleted: false,
  };
  for (const [index, { host_id = well.id, ...patch }] of cases.entries()) {
    const { id } = fleet.servers[index]!;
    fleet.moveServer(id, host_id);
    fleet.change(id, { ...usual, ...patch });
  }
  // Promised beyond what may be promised, and written to the brim.
  const used = usedOf(fleet.servers);
  const isShared = new Set(
    fleet.tables.storages.rows.filter((row) => row.storage_type === 'rbd').map(({ id }) => id),
  );
  const [id, size] = [...used]
    .filter((each) => isShared.has(each[0]))
    .toSorted((one, other) => other[1] - one[1])[0]!;
  const capacity = Math.round(size / 1.02);
  const full = { capacity, cmtbound: 1, reserved: 0, actual_capacity_used: Math.round(0.995 * capacity) };
  fleet.tables.storages.replace([id], (row) => ({ ...row, ...full }));
  return fleet;
}
