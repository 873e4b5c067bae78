import { describe, expect, test } from 'vitest';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import { dayMs, minuteMs } from '../../src/simulator/answer.ts';
import { list, now, startCloud, startedAt, sum } from './raw-request.ts';
import { truthOf, type TruthRow } from './truth.ts';

const at = (fromNowMs: number) => new Date(startedAt + fromNowMs).toISOString();

describe('a fleet', () => {
  test('is the same for the same size, seed and moment', () => {
    const rowsOf = (seed: number) =>
      Object.values(createFleet({ servers: 120, seed, now }).tables).map(({ rows }) => rows);
    expect(rowsOf(7)).toEqual(rowsOf(7));
    expect(rowsOf(8)).not.toEqual(rowsOf(7));
  });

  test('is in the order of created_at, name and id, newest first, while servers come, go and change', () => {
    const fleet = createFleet({ servers: 300, now });
    const before = fleet.servers;
    const created = fleet.create(3, { vcpu_count: 5 });
    expect(new Set(fleet.servers.slice(0, 3))).toEqual(new Set(created));
    const oldest = fleet.change(created[0]!.id, { created_at: '2001-01-01T00:00:00.000000Z' });
    expect([fleet.servers.at(-1), fleet.find(oldest.id)]).toEqual([oldest, oldest]);
    fleet.remove([oldest.id, created[1]!.id, 'nobody']);
    expect([before.length, fleet.servers.length]).toEqual([300, 301]);
    expect(fleet.setStatus(created[2]!.id, 'start_fail').status).toBe('start_fail');
    expect(() => fleet.setStatus('nobody', 'running')).toThrow('no server nobody');
    const keys = fleet.servers.map(({ created_at, name, id }) => `${created_at} ${name} ${id}`);
    expect(keys).toEqual(keys.toSorted().toReversed());
    expect(fleet.tables.servers.byId.length).toBe(301);
  });

  test('changes many servers at once as it would one by one', () => {
    const [once, often] = [createFleet({ servers: 60, now }), createFleet({ servers: 60, now })];
    const ids = once.servers.slice(5, 25).map(({ id }) => id);
    const [before] = [once.servers, once.tables.servers.byId];
    once.changeAll([...ids, 'nobody'], ({ vcpu_count }) => ({
      vcpu_count: vcpu_count + 1,
      created_at: 'soon',
    }));
    for (const id of ids)
      often.change(id, { vcpu_count: often.find(id)!.vcpu_count + 1, created_at: 'soon' });
    expect(once.servers).toEqual(often.servers);
    expect(once.tables.servers.byId).toEqual(often.tables.servers.byId);
    expect(before.some(({ created_at }) => created_at === 'soon')).toBe(false);
  });

  test('has the cases that trouble an exporter, from a few hundred servers on', () => {
    const { servers, projects } = createFleet({ servers: 400, now });
    const some = (is: (server: (typeof servers)[number]) => boolean) => servers.some(is);
    const hypervisors = new Set(servers.map(({ hypervisor }) => hypervisor));
    expect(hypervisors).toEqual(new Set(['kvm', 'esxi', 'aliyun', 'huawei', 'aws', 'baremetal']));
    expect(projects.filter(({ name }) => name === 'web').map(({ domain }) => domain.name)).toHaveLength(2);
    for (const status of ['ready', 'running'])
      expect(some((one) => one.is_gpu && one.status === status)).toBe(true);
    expect(some((one) => one.host_service_status === 'offline' && one.status === 'unknown')).toBe(true);
    expect(some((one) => one.status === 'sched_fail' && one.zone === '' && one.region === '')).toBe(true);
    expect(some((one) => one.pending_deleted)).toBe(true);
    expect(some((one) => one.backup_host_status === 'online')).toBe(true);
    expect(some((one) => one.ips.includes(','))).toBe(true);
    expect(some((one) => one.eip !== '')).toBe(true);
    expect(some((one) => one.name.includes('"'))).toBe(true);
    expect(some(({ expired_at }) => expired_at !== null && expired_at < at(0))).toBe(true);
    const expiring = servers.filter(
      ({ expired_at }) => expired_at !== null && expired_at > at(0) && expired_at < at(7 * dayMs),
    );
    expect(new Set(expiring.map(({ auto_renew }) => auto_renew))).toEqual(new Set([true, false]));
    expect(servers.every((one) => one.disk === sum(one.disks_info.map(({ size }) => size)))).toBe(true);
  });

  test('has rare cases only where they are asked for', () => {
    const [plain, rare] = [false, true].map(
      (rareCases) => createFleet({ servers: 400, now, rareCases }).servers,
    );
    const statuses = new Set(rare!.map(({ status }) => status));
    for (const status of 'sync_fail snapshot_failed stop_fail sched_fail create_fail deploy_fail'.split(' '))
      expect(statuses).toContain(status);
    const binned = new Set(
      rare!.filter(({ pending_deleted }) => pending_deleted).map(({ status }) => status),
    );
    for (const status of 'running ready unknown deploy_fail snapshot_failed'.split(' '))
      expect(binned).toContain(status);
    expect(rare!.some(({ status, power_states }) => status === 'start_fail' && power_states === 'on')).toBe(
      true,
    );
    expect(rare!.some(({ expired_at }) => expired_at?.startsWith('0001-01-01'))).toBe(true);
    expect(rare!.some(({ backup_host_status }) => backup_host_status === 'offline')).toBe(true);
    const planned = rare!.filter(
      ({ billing_type, expired_at }) =>
        billing_type === 'postpaid' && expired_at !== null && expired_at > '2000',
    );
    expect(new Set(planned.map(({ expired_at }) => expired_at! > at(0)))).toEqual(new Set([true, false]));
    expect(
      plain!.some(({ status, power_states }) => status === 'sync_fail' || power_states !== undefined),
    ).toBe(false);
    expect(rare!.filter((one, position) => one.status !== plain![position]?.status).length).toBeLessThan(80);
  });
});

describe('its hosts', () => {
  test('fall silent, are renamed, and take their servers with them', () => {
    const fleet = createFleet({ servers: 200, now });
    const host = busyHost(fleet);
    const before = fleet.servers.filter(({ host_id }) => host_id === host.id);
    fleet.silenceHost(host.id);
    fleet.changeHost(host.id, { name: 'renamed' });
    const silent = { host_service_status: 'offline', host_status: 'unknown', host: 'renamed' };
    for (const { id, update_version, status } of before)
      expect(fleet.find(id)).toMatchObject({ ...silent, update_version, status });
    fleet.silenceHost(host.id, false);
    expect(fleet.find(before[0]!.id)).toMatchObject({
      host_service_status: 'online',
      host_status: 'running',
    });
    fleet.removeHost(host.id);
    expect(fleet.tables.hosts.find(host.id)).toBeUndefined();
    expect(new Set(fleet.tombstones.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
    expect(fleet.create(60).some(({ host_id }) => host_id === host.id)).toBe(false);
    expect(() => fleet.enableHost(host.id, true)).toThrow('no host');
  });

  test('get new servers only while they are enabled and have room, and a machine gets one', () => {
    const fleet = createFleet({ servers: 200, now });
    const host = busyHost(fleet);
    expect(fleet.create(60).some(({ host_id }) => host_id === host.id)).toBe(true);
    fleet.enableHost(host.id, false);
    expect(fleet.create(60).some(({ host_id }) => host_id === host.id)).toBe(false);
    const machines = fleet.hosts.filter(({ is_baremetal }) => is_baremetal);
    const counts = machines.map(({ id }) => fleet.servers.filter(({ host_id }) => host_id === id).length);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
  });

  test('are left and joined by servers that move, with all that these say of their place', () => {
    const fleet = createFleet({ servers: 200, now });
    const server = fleet.servers.find(
      ({ zone, hypervisor }) => zone === 'beijing-a' && hypervisor === 'kvm',
    )!;
    const host = fleet.addHost(
      { name: 'new', zone: 'new zone' },
      fleet.hosts.find(({ zone }) => zone === 'shanghai-a')!.id,
    );
    expect(fleet.tables.zones.find(host.zone_id)).toMatchObject({
      name: 'new zone',
      cloudregion_id: 'default',
    });
    const moved = fleet.moveServer(server.id, host.id);
    expect(moved).toMatchObject({ host: 'new', host_id: host.id, zone: 'new zone', zone_id: host.zone_id });
    expect(moved.update_version).toBe(server.update_version + 1);
  });

  test('and its devices are those that its servers have, and some more', () => {
    const fleet = createFleet({ servers: 400, now });
    const holder = fleet.servers.find(({ isolated_devices }) => isolated_devices.length > 1)!;
    const rows = () => fleet.tables.isolated_devices.rows;
    const heldBy = (id: string) =>
      rows()
        .filter(({ guest_id }) => guest_id === id)
        .map(({ id: device }) => device);
    const had = holder.isolated_devices.map(({ id }) => id);
    expect(heldBy(holder.id).toSorted()).toEqual(had.toSorted());
    const count = rows().length;
    fleet.change(holder.id, { isolated_devices: holder.isolated_devices.slice(1) });
    expect(heldBy(holder.id)).toHaveLength(had.length - 1);
    fleet.remove([holder.id]);
    expect([heldBy(holder.id), rows().length]).toEqual([[], count]);
  });
});

describe('its truth', () => {
  test.each([true, false])('is what a recount over the pages gives, recycle bin shown: %s', async (shown) => {
    const cloud = await startCloud({ servers: 300, maximumPageSize: 64 });
    const seen: Record<string, unknown>[] = [];
    for (let offset = 0; ; offset += 64) {
      const { rows } = await list(
        cloud,
        `servers?limit=64&offset=${offset}${shown ? '&pending_delete=all' : ''}`,
      );
      if (rows.length === 0) break;
      seen.push(...rows);
    }
    const truth = truthOf(cloud.fleet, { pendingDeleted: shown });
    const total = (field: keyof TruthRow) => sum(truth.rows.map((row) => Number(row[field])));
    const recount = (field: string) => sum(seen.map((row) => Number(row[field])));
    expect([truth.total, total('servers')]).toEqual([seen.length, seen.length]);
    const fields = {
      vcpus: 'vcpu_count',
      memoryMiB: 'vmem_size',
      diskMiB: 'disk',
      disks: 'disk_count',
      gpuServers: 'is_gpu',
      pendingDeletion: 'pending_deleted',
    } as const;
    for (const [field, column] of Object.entries(fields))
      expect(total(field as keyof TruthRow), field).toBe(recount(column));
    const devices = seen.flatMap((row) => (row['isolated_devices'] ?? []) as object[]);
    expect(sum(truth.devices.map(({ count }) => count))).toBe(devices.length);
    const keys = truth.rows.map((row) =>
      [row.region, row.zone, row.hypervisor, row.project_domain, row.project, row.status].join('|'),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('its life', () => {
  test('stands still until it is asked, and is the same whether it is asked once or often', () => {
    const [once, often] = [createFleet({ servers: 200, now }), createFleet({ servers: 200, now })];
    const before = once.servers;
    once.live(startedAt);
    once.live(startedAt - minuteMs);
    expect(once.servers).toBe(before);
    once.live(startedAt + 10 * minuteMs);
    for (let second = 0; second <= 600; second += 7) often.live(startedAt + second * 1000);
    often.live(startedAt + 10 * minuteMs);
    expect(often.servers).toEqual(once.servers);
    const times = once.servers.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(times[0]! > at(0)).toBe(true);
  });

  test('moves within minutes: sizes, statuses, a silent host and its return, and a zone that gets full', () => {
    const fleet = createFleet({ servers: 400, now });
    const [sizes, statuses, unknown] = [new Set<number>(), new Set<string>(), new Set<number>()];
    const memoryIn = (zone: string) =>
      sum(
        fleet.servers
          .filter((one) => one.zone === zone && one.hypervisor === 'kvm')
          .map((one) => one.vmem_size),
      );
    const atFirst = memoryIn('shanghai-a');
    for (let step = 0; step <= 120; step += 1) {
      fleet.live(startedAt + (step * minuteMs) / 2);
      sizes.add(fleet.servers.length);
      unknown.add(fleet.servers.filter(({ status }) => status === 'unknown').length);
      for (const { status } of fleet.servers) statuses.add(status);
    }
    expect(sizes.size).toBeGreaterThan(20);
    expect([Math.max(...sizes) < 500, Math.min(...sizes) > 300]).toEqual([true, true]);
    for (const status of 'start_fail deploying deleting migrating stopping'.split(' '))
      expect(statuses).toContain(status);
    expect(statuses).not.toContain('');
    expect(Math.max(...unknown) - Math.min(...unknown)).toBeGreaterThan(5);
    expect(memoryIn('shanghai-a')).toBeGreaterThan(atFirst);
  });
});

/** An enabled host of our own with servers, and the same one every time. */
function busyHost(fleet: Fleet): HostRecord {
  const used = new Set(fleet.servers.map(({ host_id }) => host_id));
  return fleet.hosts.find(
    ({ id, enabled, status, host_type }) =>
      used.has(id) && enabled && status === 'running' && host_type === 'hypervisor',
  )!;
}
