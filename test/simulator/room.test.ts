import { expect, test } from 'vitest';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { captured } from '../support/capture.ts';
import { list, now, startCloud, startedAt, sum, type Row } from './raw-request.ts';
import { devicesOf, hostsOf, storagesOf } from './room.ts';

test('there are hosts of each kind: bounds set, not set and for huge pages, reserved parts, silent, disabled, maintained, empty', () => {
  const { hosts, servers } = createFleet({ servers: 400, now });
  const used = new Set(servers.map(({ host_id }) => host_id));
  const kinds: Record<string, (host: HostRecord) => boolean> = {
    'bounds set': (one) => one.cpu_cmtbound > 0 && one.mem_cmtbound > 1 && one.page_size_kb === 4,
    'bounds not set': (one) =>
      one.host_type === 'hypervisor' && one.cpu_cmtbound === 0 && one.mem_cmtbound === 0,
    'huge pages': (one) => one.page_size_kb > 4 && one.mem_cmtbound > 1,
    'parts reserved': (one) => one.cpu_reserved > 0 && one.mem_reserved > 0,
    'nothing reserved': (one) => one.host_type === 'hypervisor' && one.cpu_reserved + one.mem_reserved === 0,
    silent: (one) => one.host_status === 'offline' && one.status === 'unknown',
    disabled: (one) => !one.enabled && used.has(one.id),
    'disabled and empty': (one) => !one.enabled && !used.has(one.id),
    empty: (one) => one.enabled && one.host_type === 'hypervisor' && !used.has(one.id),
    maintained: (one) => one.is_maintenance && one.status === 'maintaining' && one.host_status === 'online',
    'machine in use': (one) => one.is_baremetal && one.status === 'running' && one.host_status === 'offline',
    'machine that is free': (one) => one.is_baremetal && one.status === 'ready' && !used.has(one.id),
    emulated: (one) => one.is_emulated && one.cpu_count === 0,
    esxi: (one) => one.host_type === 'esxi' && one.manager_id !== '' && one.cpu_count > 0,
  };
  for (const [kind, is] of Object.entries(kinds)) expect(hosts.some(is), kind).toBe(true);
});

test('the truth about a host is what the formula of the platform gives of the three lists', async () => {
  const cloud = await startCloud({ servers: 400 });
  const { fleet } = cloud;
  const free = fleet.tables.isolated_devices.rows.filter(({ guest_id }) => guest_id === '');
  const idle = fleet.hosts.find(({ id }) => free.filter(({ host_id }) => host_id === id).length === 8);
  const truths = new Map(hostsOf(fleet).map((host) => [host.id, host]));
  const listed = await Promise.all(
    ['hosts?details=true', 'servers?pending_delete=all&details=true', 'isolated_devices?details=false'].map(
      (target) => list(cloud, target),
    ),
  );
  const [hosts, servers, devices] = listed.map(({ rows }) => rows) as [Row[], Row[], Row[]];
  expect(hosts.length).toBe(truths.size);
  for (const host of hosts) {
    const { promises, ...truth } = truths.get(String(host['id']))!;
    const number = (key: string) => Number(host[key]);
    expect(truth).toMatchObject({
      cpus: number('cpu_count') - number('cpu_reserved'),
      memory: number('mem_size') - number('mem_reserved'),
    });
    if (host['host_type'] === 'baremetal') {
      expect([promises, truth.up, truth.schedulable, 'server' in host]).toEqual([
        undefined,
        true,
        false,
        host['status'] === 'running',
      ]);
      continue;
    }
    const on = servers.filter((row) => row['host_id'] === host['id']);
    const counting = on.filter(
      (row) =>
        row['pending_deleted'] === false &&
        /^(running|unknown|starting|deploying)$/.test(String(row['status'])),
    );
    const gpus = devices.filter(
      (row) => row['host_id'] === host['id'] && String(row['dev_type']).startsWith('GPU'),
    );
    const holders = on.filter((row) => row['is_gpu'] === true && row['status'] !== 'ready');
    const kept = Math.max(
      0,
      sum(gpus.map((row) => Number(row['reserved_cpu']))) -
        sum(holders.map((row) => Number(row['vcpu_count']))),
    );
    expect(promises).toMatchObject({
      cpuOvercommit: number('cpu_commit_bound'),
      memoryOvercommit: number('mem_commit_bound'),
      vcpusAllocatable:
        Math.floor(number('cpu_count') * number('cpu_commit_bound')) - number('cpu_reserved') - kept,
      memoryAllocatable: Math.floor(
        (number('mem_size') - number('mem_reserved')) * number('mem_commit_bound'),
      ),
      vcpusAllocated: sum(counting.map((row) => Number(row['vcpu_count']))),
      memoryAllocated: sum(counting.map((row) => Number(row['vmem_size']))),
    });
    if (host['id'] === idle?.id) expect(kept).toBe(64);
    const isUsual =
      host['status'] === 'running' && host['host_status'] === 'online' && host['enabled'] === true;
    expect([truth.schedulable, truth.up]).toEqual([isUsual, host['host_status'] === 'online']);
  }
});

test('a storage tells what may be promised of it and what is, as each captured one does', async () => {
  const cloud = await startCloud({ servers: 400 });
  const { rows } = await list(cloud, 'storages?details=true');
  const virtualOf = (row: Row) =>
    Math.floor((Number(row['capacity']) - Number(row['reserved'])) * (Number(row['cmtbound']) || 1));
  for (const row of [...rows, ...captured('room/storages-detailed-emulated').rows]) {
    const [virtual, used, waste, free] = [
      'virtual_capacity',
      'used_capacity',
      'waste_capacity',
      'free_capacity',
    ].map((key) => Number(row[key]));
    expect([virtual, free]).toEqual([virtualOf(row), virtual! - used! - waste!]);
  }
  const truths = new Map(storagesOf(cloud.fleet).map((one) => [one.storage, one]));
  expect(truths.size).toBe(rows.length);
  for (const row of rows)
    expect(truths.get(String(row['name']))).toMatchObject({
      allocatable: virtualOf(row),
      allocated: Number(row['used_capacity']) + Number(row['waste_capacity']),
      used: Number(row['actual_capacity_used']) || undefined,
    });
  const kinds = new Set(
    rows.map(
      (row) =>
        `${String(row['storage_type'])} ${Number(row['cmtbound']) > 1} ${row['status'] === 'online' && row['enabled'] === true}`,
    ),
  );
  for (const kind of [
    'local true true',
    'local false true',
    'local false false',
    'rbd true true',
    'vsan false true',
    'baremetal false true',
  ])
    expect(kinds).toContain(kind);
  expect(rows.some((row) => Number(row['waste_capacity']) > 0)).toBe(true);
  const shared = rows.find((row) => row['storage_type'] === 'rbd')!;
  expect(Number(shared['host_count'])).toBeGreaterThan(1);
});

test('a device is free or of a server, and counts on its host', async () => {
  const cloud = await startCloud({ servers: 400 });
  const { rows } = await list(cloud, 'isolated_devices?details=false');
  const truth = devicesOf(cloud.fleet);
  expect(sum(truth.map(({ count }) => count))).toBe(rows.length);
  expect(sum(truth.map(({ free }) => free))).toBe(rows.filter((row) => !('guest_id' in row)).length);
  expect(truth.some(({ count, free }) => free > 0 && free < count)).toBe(true);
  const attached = new Set(
    cloud.fleet.servers.flatMap(({ isolated_devices }) => isolated_devices.map(({ id }) => id)),
  );
  expect(new Set(rows.filter((row) => 'guest_id' in row).map(({ id }) => id))).toEqual(attached);
});

test.each([30, 400, 3000])(
  'no host of a fleet of %i is promised more than it has, however long it lives',
  (servers) => {
    const fleet = createFleet({ servers, now });
    const overfull = () =>
      hostsOf(fleet).filter(({ id, promises }) => {
        const on = fleet.servers.filter(({ host_id }) => host_id === id);
        return (
          promises !== undefined && sum(on.map(({ vmem_size }) => vmem_size)) > promises.memoryAllocatable
        );
      });
    expect(overfull()).toEqual([]);
    for (let minutes = 1; minutes <= (servers > 1000 ? 0 : 20); minutes += 1)
      fleet.live(startedAt + minutes * 60_000);
    expect(overfull()).toEqual([]);
  },
);
