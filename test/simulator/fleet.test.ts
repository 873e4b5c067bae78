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

  test('has rare cases where they are asked for', () => {
    const [plain, rare] = [fleetOf(400).servers, fleetOf(400, { rareCases: true }).servers];
    const statuses = rare.map(({ status, pending_deleted }) => `${status} ${pending_deleted}`);
    const some =
      'sync_fail false,stop_fail false,create_fail false,running true,unknown true,deploy_fail true';
    expect(statuses).toEqual(expect.arrayContaining(some.split(',')));
    const isUnpaid = ({ billing_type }: ServerRecord) => billing_type === 'postpaid';
    const cases: readonly ((one: ServerRecord) => boolean)[] = [
      (one) => one.status === 'start_fail' && one.power_states === 'on',
      ({ expired_at: end }) => end !== null && end < '0002',
      ({ backup_host_status }) => backup_host_status === 'offline',
      (one) => isUnpaid(one) && one.expired_at !== null && one.expired_at > at(0),
    ];
    for (const is of cases) expect([rare.some(is), plain.some(is)], String(is)).toEqual([true, false]);
  });

  test('lives, and moves within minutes: sizes, statuses, a silent host and its return, and a zone that gets full', () => {
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
