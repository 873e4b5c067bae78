import { describe, expect, test } from 'vitest';
import { dayMs, minuteMs } from '../../src/simulator/answer.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { list, now, startCloud, startedAt, sum } from './raw-request.ts';
import { truthOf } from './truth.ts';

const at = (fromNowMs: number) => new Date(startedAt + fromNowMs).toISOString();
const fleetOf = (servers: number, more = {}) => createFleet({ servers, now, ...more });

describe('a fleet', () => {
  test('is the same for the same size, seed and moment', () => {
    const rowsOf = (seed: number) => Object.values(fleetOf(120, { seed }).tables).map(({ rows }) => rows);
    expect(rowsOf(7)).toEqual(rowsOf(7));
    expect(rowsOf(8)).not.toEqual(rowsOf(7));
  });

  test('is in the order of created_at, name and id, newest first, while servers come, go and change', () => {
    const fleet = fleetOf(300);
    const before = fleet.servers;
    const created = fleet.create(3, { vcpu_count: 5 });
    expect(new Set(fleet.servers.slice(0, 3))).toEqual(new Set(created));
    const oldest = fleet.change(created[0]!.id, { created_at: '2001-01-01T00:00:00.000000Z' });
    expect([fleet.servers.at(-1), fleet.find(oldest.id)]).toEqual([oldest, oldest]);
    fleet.remove([oldest.id, created[1]!.id, 'nobody']);
    expect([before.length, fleet.servers.length, fleet.tables.servers.byId.length]).toEqual([300, 301, 301]);
    expect(fleet.setStatus(created[2]!.id, 'start_fail').status).toBe('start_fail');
    expect(() => fleet.setStatus('nobody', 'running')).toThrow('no server nobody');
    const keys = fleet.servers.map(({ created_at, name, id }) => `${created_at} ${name} ${id}`);
    expect(keys).toEqual(keys.toSorted().toReversed());
  });

  test('changes many servers at once as it would one by one', () => {
    const [once, often] = [fleetOf(60), fleetOf(60)];
    const ids = once.servers.slice(5, 25).map(({ id }) => id);
    const before = once.servers;
    const patchOf = ({ vcpu_count }: ServerRecord) => ({ vcpu_count: vcpu_count + 1, created_at: 'soon' });
    once.changeAll([...ids, 'nobody'], patchOf);
    for (const id of ids) often.change(id, patchOf(often.find(id)!));
    expect(once.servers).toEqual(often.servers);
    expect(once.tables.servers.byId).toEqual(often.tables.servers.byId);
    expect(before.some(({ created_at }) => created_at === 'soon')).toBe(false);
  });

  test('has the cases that trouble an exporter, from a few hundred servers on', () => {
    const { servers, projects } = fleetOf(400);
    const hypervisors = new Set(servers.map(({ hypervisor }) => hypervisor));
    expect(hypervisors).toEqual(new Set(['kvm', 'esxi', 'aliyun', 'huawei', 'aws', 'baremetal']));
    expect(projects.filter(({ name }) => name === 'web').map(({ domain }) => domain.name)).toHaveLength(2);
    const cases: readonly ((one: ServerRecord) => boolean)[] = [
      (one) => one.is_gpu && one.status === 'ready',
      (one) => one.is_gpu && one.status === 'running',
      (one) => one.host_service_status === 'offline' && one.status === 'unknown',
      (one) => one.status === 'sched_fail' && one.zone === '' && one.region === '',
      (one) => one.pending_deleted,
      (one) => one.backup_host_status === 'online',
      (one) => one.ips.includes(','),
      (one) => one.eip !== '',
      (one) => one.name.includes('"'),
      (one) => one.expired_at !== null && one.expired_at < at(0),
    ];
    for (const is of cases) expect(servers.some(is), String(is)).toBe(true);
    const isSoon = ({ expired_at: end }: ServerRecord) => end !== null && end > at(0) && end < at(7 * dayMs);
    const renewals = servers.filter(isSoon).map(({ auto_renew }) => auto_renew);
    expect(new Set(renewals)).toEqual(new Set([true, false]));
    expect(servers.every((one) => one.disk === sum(one.disks_info.map(({ size }) => size)))).toBe(true);
  });

  test('has rare cases only where they are asked for', () => {
    const [plain, rare] = [fleetOf(400).servers, fleetOf(400, { rareCases: true }).servers];
    const statuses = new Set(rare.map(({ status }) => status));
    for (const status of 'sync_fail snapshot_failed stop_fail sched_fail create_fail deploy_fail'.split(' '))
      expect(statuses).toContain(status);
    const binned = new Set(rare.filter((one) => one.pending_deleted).map(({ status }) => status));
    for (const status of 'running ready unknown deploy_fail snapshot_failed'.split(' '))
      expect(binned).toContain(status);
    expect(rare.some((one) => one.status === 'start_fail' && one.power_states === 'on')).toBe(true);
    expect(rare.some(({ expired_at }) => expired_at?.startsWith('0001-01-01'))).toBe(true);
    expect(rare.some(({ backup_host_status }) => backup_host_status === 'offline')).toBe(true);
    const planned = rare
      .filter(
        ({ billing_type, expired_at: end }) => billing_type === 'postpaid' && end !== null && end > '2000',
      )
      .map(({ expired_at }) => expired_at! > at(0));
    expect(new Set(planned)).toEqual(new Set([true, false]));
    expect(plain.some((one) => one.status === 'sync_fail' || one.power_states !== undefined)).toBe(false);
    expect(rare.filter((one, position) => one.status !== plain[position]?.status).length).toBeLessThan(80);
  });
});

describe('its hosts', () => {
  const isOn = (host: HostRecord) => (server: ServerRecord) => server.host_id === host.id;

  test('fall silent, are renamed, and take their servers with them', () => {
    const fleet = fleetOf(200);
    const host = busyHost(fleet);
    const before = fleet.servers.filter(isOn(host));
    fleet.silenceHost(host.id);
    fleet.changeHost(host.id, { name: 'renamed' });
    const silent = { host_service_status: 'offline', host_status: 'unknown', host: 'renamed' };
    for (const { id, update_version, status } of before)
      expect(fleet.find(id)).toMatchObject({ ...silent, update_version, status });
    fleet.silenceHost(host.id, false);
    const heard = { host_service_status: 'online', host_status: 'running' };
    expect(fleet.find(before[0]!.id)).toMatchObject(heard);
    fleet.removeHost(host.id);
    expect(fleet.tables.hosts.find(host.id)).toBeUndefined();
    expect(new Set(fleet.tombstones.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
    expect(fleet.create(60).some(isOn(host))).toBe(false);
    expect(() => fleet.enableHost(host.id, true)).toThrow('no host');
  });

  test('get new servers only while they are enabled and have room, and a machine gets one', () => {
    const fleet = fleetOf(200);
    const host = busyHost(fleet);
    expect(fleet.create(60).some(isOn(host))).toBe(true);
    fleet.enableHost(host.id, false);
    expect(fleet.create(60).some(isOn(host))).toBe(false);
    const machines = fleet.hosts.filter(({ is_baremetal }) => is_baremetal);
    const counts = machines.map((machine) => fleet.servers.filter(isOn(machine)).length);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
  });

  test('are left and joined by servers that move, with all that these say of their place', () => {
    const fleet = fleetOf(200);
    const server = fleet.servers.find((one) => one.zone === 'beijing-a' && one.hypervisor === 'kvm')!;
    const like = fleet.hosts.find(({ zone }) => zone === 'shanghai-a')!.id;
    const { id, zone_id } = fleet.addHost({ name: 'new', zone: 'new zone' }, like);
    const zone = { name: 'new zone', cloudregion_id: 'default' };
    expect(fleet.tables.zones.find(zone_id)).toMatchObject(zone);
    const update_version = server.update_version + 1;
    const told = { host: 'new', host_id: id, zone: 'new zone', zone_id, update_version };
    expect(fleet.moveServer(server.id, id)).toMatchObject(told);
  });

  test('and its devices are those that its servers have, and some more', () => {
    const fleet = fleetOf(400);
    const holder = fleet.servers.find(({ isolated_devices }) => isolated_devices.length > 1)!;
    const rows = () => fleet.tables.isolated_devices.rows;
    const held = () => rows().flatMap(({ guest_id, id }) => (guest_id === holder.id ? [id] : []));
    const had = holder.isolated_devices.map(({ id }) => id);
    expect(held().toSorted()).toEqual(had.toSorted());
    const count = rows().length;
    fleet.change(holder.id, { isolated_devices: holder.isolated_devices.slice(1) });
    expect(held()).toHaveLength(had.length - 1);
    fleet.remove([holder.id]);
    expect([held(), rows().length]).toEqual([[], count]);
  });
});

test.each([true, false])(
  'its truth is what a recount over the pages gives, recycle bin shown: %s',
  async (shown) => {
    const cloud = await startCloud({ servers: 300, maximumPageSize: 64 });
    const seen: Record<string, unknown>[] = [];
    for (let offset = 0; offset < 320; offset += 64)
      seen.push(...(await list(cloud, `servers?offset=${offset}&pending_delete=${shown ? 'all' : ''}`)).rows);
    const truth = truthOf(cloud.fleet, { pendingDeleted: shown });
    const columns = {
      vcpus: 'vcpu_count',
      memoryMiB: 'vmem_size',
      diskMiB: 'disk',
      disks: 'disk_count',
      gpuServers: 'is_gpu',
      pendingDeletion: 'pending_deleted',
    } as const;
    expect([truth.total, sum(truth.rows.map(({ servers }) => servers))]).toEqual([seen.length, seen.length]);
    for (const [field, column] of Object.entries(columns)) {
      const counted = truth.rows.map((row) => row[field as keyof typeof columns]);
      expect(sum(counted), field).toBe(sum(seen.map((row) => Number(row[column]))));
    }
    const devices = seen.flatMap((row) => (row['isolated_devices'] ?? []) as object[]);
    expect(sum(truth.devices.map(({ count }) => count))).toBe(devices.length);
    const keys = truth.rows.map(({ region, zone, hypervisor, project_domain, project, status }) =>
      [region, zone, hypervisor, project_domain, project, status].join('|'),
    );
    expect(new Set(keys).size).toBe(keys.length);
  },
);

describe('its life', () => {
  test('stands still until it is asked, and is the same whether it is asked once or often', () => {
    const [once, often] = [fleetOf(200), fleetOf(200)];
    const before = once.servers;
    once.live(startedAt);
    once.live(startedAt - minuteMs);
    expect(once.servers).toBe(before);
    once.live(startedAt + 10 * minuteMs);
    for (let second = 0; second < 607; second += 7)
      often.live(startedAt + Math.min(second * 1000, 10 * minuteMs));
    expect(often.servers).toEqual(once.servers);
    const times = once.servers.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(times[0]! > at(0)).toBe(true);
  });

  test('moves within minutes: sizes, statuses, a silent host and its return, and a zone that gets full', () => {
    const fleet = fleetOf(400);
    const [sizes, statuses, unknown] = [new Set<number>(), new Set<string>(), new Set<number>()];
    const filled = () => fleet.servers.filter((one) => one.zone === 'shanghai-a' && one.hypervisor === 'kvm');
    const memory = () => sum(filled().map((one) => one.vmem_size));
    const atFirst = memory();
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
    expect(memory()).toBeGreaterThan(atFirst);
  });
});

/** An enabled host of our own with servers, and the same one every time. */
function busyHost({ servers, hosts }: Fleet): HostRecord {
  const used = new Set(servers.map(({ host_id }) => host_id));
  const isWell = ({ enabled, status, host_type }: HostRecord) =>
    enabled && status === 'running' && host_type === 'hypervisor';
  return hosts.find((host) => used.has(host.id) && isWell(host))!;
}
