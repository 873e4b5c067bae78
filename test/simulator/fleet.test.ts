import { describe, expect, test } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { getServers, listOf, startCloud, startedAt, takeToken } from './raw-request.ts';
import { truthOf } from './truth.ts';

const now = () => startedAt;

describe('a fleet', () => {
  test('is the same for the same size, seed and moment', () => {
    expect(createFleet({ servers: 300, seed: 7, now }).servers).toEqual(
      createFleet({ servers: 300, seed: 7, now }).servers,
    );
    expect(createFleet({ servers: 300, seed: 8, now }).servers).not.toEqual(
      createFleet({ servers: 300, seed: 7, now }).servers,
    );
  });

  test('is in the order of created_at, name and id, newest first', () => {
    const { servers } = createFleet({ servers: 500, now });
    const keys = servers.map(({ created_at, name, id }) => `${created_at} ${name} ${id}`);
    expect(keys).toEqual(keys.toSorted().toReversed());
    expect(new Set(servers.map(({ id }) => id)).size).toBe(500);
  });

  test('has the cases that trouble an exporter, from a few hundred servers on', () => {
    const { servers, projects } = createFleet({ servers: 400, now });
    const some = (is: (server: (typeof servers)[number]) => boolean) => servers.some(is);
    const at = new Date(startedAt).toISOString();
    const soon = new Date(startedAt + 7 * 24 * 3_600_000).toISOString();
    const hypervisors = new Set(servers.map(({ hypervisor }) => hypervisor));
    expect(hypervisors).toEqual(new Set(['kvm', 'esxi', 'aliyun', 'huawei', 'aws', 'baremetal']));
    expect(projects.filter(({ name }) => name === 'web').map(({ domain }) => domain.name)).toHaveLength(2);
    expect(some((server) => server.is_gpu && server.status === 'ready')).toBe(true);
    expect(some((server) => server.is_gpu && server.status === 'running')).toBe(true);
    expect(some((server) => server.host_service_status === 'offline' && server.status === 'unknown')).toBe(
      true,
    );
    expect(
      some((server) => server.status === 'sched_fail' && server.zone === '' && server.region === ''),
    ).toBe(true);
    expect(some((server) => server.pending_deleted)).toBe(true);
    expect(some((server) => server.backup_host_status === 'online')).toBe(true);
    expect(some((server) => server.ips.includes(','))).toBe(true);
    expect(some((server) => server.eip !== '')).toBe(true);
    expect(some((server) => server.name.includes('"'))).toBe(true);
    expect(some((server) => server.expired_at !== null && server.expired_at < at)).toBe(true);
    const expiring = servers.filter(
      ({ expired_at }) => expired_at !== null && expired_at > at && expired_at < soon,
    );
    expect(new Set(expiring.map(({ auto_renew }) => auto_renew))).toEqual(new Set([true, false]));
    expect(servers.every((server) => server.disk === sum(server.disks_info.map(({ size }) => size)))).toBe(
      true,
    );
  });

  test('has more projects when it is larger', () => {
    const counts = [10, 500, 5000].map((servers) => createFleet({ servers, now }).projects.length);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(counts[0]).toBeGreaterThanOrEqual(12);
    expect(counts[2]).toBeLessThanOrEqual(61);
  });

  test('keeps its order while servers come, go and change', () => {
    const fleet = createFleet({ servers: 50, now });
    const before = fleet.servers;
    const created = fleet.create(3, { vcpu_count: 5 });
    expect(
      fleet.servers
        .slice(0, 3)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(created.map(({ id }) => id).toSorted());
    expect(created.every(({ vcpu_count }) => vcpu_count === 5)).toBe(true);
    expect(before).toHaveLength(50);
    const oldest = fleet.change(created[0]!.id, { created_at: '2001-01-01T00:00:00.000000Z' });
    expect(fleet.servers.at(-1)).toBe(oldest);
    expect(fleet.find(oldest.id)).toBe(oldest);
    fleet.remove([oldest.id, created[1]!.id, 'nobody']);
    expect(fleet.servers).toHaveLength(51);
    expect(fleet.find(oldest.id)).toBeUndefined();
    expect(fleet.setStatus(created[2]!.id, 'start_fail').status).toBe('start_fail');
    expect(() => fleet.setStatus('nobody', 'running')).toThrow('no server nobody');
  });
});

describe('its rare cases', () => {
  const { servers } = createFleet({ servers: 400, now, rareCases: true });

  test('are servers in the recycle bin of every kind of status', () => {
    const binned = servers.filter(({ pending_deleted }) => pending_deleted).map(({ status }) => status);
    for (const status of ['running', 'ready', 'unknown', 'deploy_fail', 'snapshot_failed'])
      expect(binned).toContain(status);
  });

  test('are failed tasks beside servers that failed, and one that is on though its start failed', async () => {
    const statuses = new Set(servers.map(({ status }) => status));
    for (const status of [
      'sync_fail',
      'snapshot_failed',
      'stop_fail',
      'sched_fail',
      'create_fail',
      'deploy_fail',
    ])
      expect(statuses).toContain(status);
    const cloud = await startCloud({
        fleet: createFleet({ servers: 400, now, rareCases: true }),
    });
    const list = listOf(await getServers(cloud, await takeToken(cloud), 'scope=system&details=false'));
    const powers = list.servers
      .filter(({ status }) => status === 'start_fail')
      .map((row) => row['power_states']);
    expect(new Set(powers)).toEqual(new Set(['on', 'off']));
  });

  test('are ends in the year 1, and planned releases of servers that are not paid in advance', () => {
    expect(servers.some(({ expired_at }) => expired_at?.startsWith('0001-01-01'))).toBe(true);
    const planned = servers.filter(
      ({ billing_type, expired_at }) =>
        billing_type === 'postpaid' && expired_at !== null && expired_at > '2000',
    );
    const at = new Date(startedAt).toISOString();
    expect(new Set(planned.map(({ expired_at }) => expired_at! > at))).toEqual(new Set([true, false]));
  });

  test('are not there unless they are asked for', () => {
    const plain = createFleet({ servers: 400, now }).servers;
    expect(plain.some(({ status }) => status === 'sync_fail')).toBe(false);
    expect(plain.some(({ power_states }) => power_states !== undefined)).toBe(false);
    const changed = servers.filter((server, position) => server.status !== plain[position]?.status);
    expect(changed.length).toBeLessThan(80);
  });
});

test('many servers change at once as they would one by one', () => {
  const [once, often] = [createFleet({ servers: 60, now }), createFleet({ servers: 60, now })];
  const ids = once.servers.slice(5, 25).map(({ id }) => id);
  const before = once.servers;
  once.changeAll([...ids, 'nobody'], ({ vcpu_count }) => ({
    vcpu_count: vcpu_count + 1,
    created_at: 'soon',
  }));
  for (const id of ids) {
    const vcpu_count = often.find(id)!.vcpu_count + 1;
    often.change(id, { vcpu_count, created_at: 'soon' });
  }
  expect(once.servers).toEqual(often.servers);
  expect(before).toHaveLength(60);
  expect(before.some(({ created_at }) => created_at === 'soon')).toBe(false);
});

describe('its truth', () => {
  test.each([true, false])('is what a recount over the pages gives, recycle bin shown: %s', async (shown) => {
    const cloud = await startCloud({ servers: 500, maximumPageSize: 64, showPendingDeleted: shown });
    const token = await takeToken(cloud);
    const seen: Record<string, unknown>[] = [];
    for (let offset = 0; ; offset += 64) {
      const { servers } = listOf(await getServers(cloud, token, `limit=64&offset=${offset}`));
      if (servers.length === 0) break;
      seen.push(...servers);
    }
    const truth = truthOf(cloud.fleet, { pendingDeleted: shown });
    const total = (field: keyof (typeof truth.rows)[number]) =>
      sum(truth.rows.map((row) => Number(row[field])));
    const recount = (field: string) => sum(seen.map((server) => Number(server[field])));
    expect(truth.total).toBe(seen.length);
    expect(total('servers')).toBe(seen.length);
    expect(total('vcpus')).toBe(recount('vcpu_count'));
    expect(total('memoryMiB')).toBe(recount('vmem_size'));
    expect(total('diskMiB')).toBe(recount('disk'));
    expect(total('disks')).toBe(recount('disk_count'));
    expect(total('gpuServers')).toBe(recount('is_gpu'));
    expect(total('pendingDeletion')).toBe(shown ? recount('pending_deleted') : 0);
    expect(sum(truth.devices.map(({ count }) => count))).toBe(
      sum(seen.map((server) => (server.isolated_devices as unknown[]).length)),
    );
    const running = truth.rows.filter(({ status, project }) => status === 'running' && project === 'web');
    expect(sum(running.map(({ servers }) => servers))).toBe(
      seen.filter(({ status, project }) => status === 'running' && project === 'web').length,
    );
  });

  test('has one row for each place and status', () => {
    const { rows, devices } = createFleet({ servers: 500, now }).truth();
    const keys = rows.map(({ region, zone, hypervisor, project_domain, project, status }) =>
      [region, zone, hypervisor, project_domain, project, status].join('|'),
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(devices.map(({ model }) => model)).size).toBeGreaterThan(2);
  });
});

describe('its life', () => {
  const minute = 60_000;

  test('stands still until it is asked', () => {
    const fleet = createFleet({ servers: 100, now });
    const before = fleet.servers;
    fleet.live(startedAt);
    fleet.live(startedAt - minute);
    expect(fleet.servers).toBe(before);
  });

  test('is the same whether it is asked once or often', () => {
    const once = createFleet({ servers: 200, now });
    const often = createFleet({ servers: 200, now });
    once.live(startedAt + 10 * minute);
    for (let second = 0; second <= 600; second += 7) often.live(startedAt + second * 1000);
    often.live(startedAt + 10 * minute);
    expect(often.servers).toEqual(once.servers);
  });

  test('moves within minutes: sizes, statuses, a silent host and its return', () => {
    const fleet = createFleet({ servers: 400, now });
    const sizes = new Set<number>();
    const statuses = new Set<string>();
    const unknown = new Set<number>();
    for (let step = 0; step <= 120; step += 1) {
      fleet.live(startedAt + (step * minute) / 2);
      sizes.add(fleet.servers.length);
      unknown.add(fleet.servers.filter(({ status }) => status === 'unknown').length);
      for (const { status } of fleet.servers) statuses.add(status);
    }
    expect(sizes.size).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(500);
    expect(Math.min(...sizes)).toBeGreaterThan(300);
    for (const status of ['start_fail', 'deploying', 'deleting', 'migrating', 'stopping']) {
      expect(statuses).toContain(status);
    }
    expect(statuses).not.toContain('');
    expect(Math.max(...unknown) - Math.min(...unknown)).toBeGreaterThan(5);
  });

  test('keeps the order, and creates with the time that has come', () => {
    const fleet = createFleet({ servers: 200, now });
    fleet.live(startedAt + 5 * minute);
    const times = fleet.servers.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(times[0]! > new Date(startedAt).toISOString()).toBe(true);
  });
});

test('a large fleet pages to its end', async () => {
  const cloud = await startCloud({ servers: 10_000 });
  const token = await takeToken(cloud);
  const { servers, total } = listOf(await getServers(cloud, token, 'limit=2048&offset=9000'));
  expect([servers.length, total]).toEqual([1000, 10_000]);
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
