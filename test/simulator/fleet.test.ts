import { describe, expect, test } from 'vitest';
import { dayMs, minuteMs } from '../../src/simulator/answer.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { now, startedAt } from './raw-request.ts';
import { sum } from './room.ts';

const at = (fromNowMs: number) => new Date(startedAt + fromNowMs).toISOString();
const fleetOf = (servers: number, more = {}) => createFleet({ servers, now, ...more });

describe('a fleet', () => {
  test('is the same for the same size, seed and moment', () => {
    const rowsOf = (seed: number) => Object.values(fleetOf(120, { seed }).tables).map(({ rows }) => rows);
    expect(rowsOf(7)).toEqual(rowsOf(7));
    expect(rowsOf(8)).not.toEqual(rowsOf(7));
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
    expect(servers.every((one) => one.disk === sum(one.disks_info, ({ size }) => size))).toBe(true);
  });

  test('has rare cases only where they are asked for', () => {
    const [plain, rare] = [fleetOf(400).servers, fleetOf(400, { rareCases: true }).servers];
    const statuses = rare.map(({ status }) => status);
    const tasks = 'sync_fail snapshot_failed stop_fail sched_fail create_fail deploy_fail';
    expect(statuses).toEqual(expect.arrayContaining(tasks.split(' ')));
    const binned = rare.filter((one) => one.pending_deleted).map(({ status }) => status);
    const some = 'running ready unknown deploy_fail snapshot_failed';
    expect(binned).toEqual(expect.arrayContaining(some.split(' ')));
    const isUnpaid = ({ billing_type }: ServerRecord) => billing_type === 'postpaid';
    const cases: readonly ((one: ServerRecord) => boolean)[] = [
      (one) => one.status === 'sync_fail',
      (one) => one.status === 'start_fail' && one.power_states === 'on',
      ({ expired_at: end }) => end !== null && end < '0002',
      ({ backup_host_status }) => backup_host_status === 'offline',
      (one) => isUnpaid(one) && one.expired_at !== null && one.expired_at > at(0),
      (one) => isUnpaid(one) && one.expired_at !== null && one.expired_at < at(0),
    ];
    for (const is of cases) expect([rare.some(is), plain.some(is)], String(is)).toEqual([true, false]);
    expect(rare.filter((one, position) => one.status !== plain[position]?.status).length).toBeLessThan(80);
  });
});

test('its devices are those that its servers have, and some more', () => {
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
    const memory = () => sum(filled(), (one) => one.vmem_size);
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
