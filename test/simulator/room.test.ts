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
  const rowsOf = async (target: string) => (await list(cloud, target)).rows;
  const servers = await rowsOf('servers?pending_delete=all&details=true');
  const devices = await rowsOf('isolated_devices?details=false');
  const hosts = await rowsOf('hosts?details=true');
  const add = (rows: readonly Row[], column: string) => sum(rows.map((row) => Number(row[column])));
  expect(hosts.length).toBe(truths.size);
  for (const host of hosts) {
    const { promises, ...truth } = truths.get(String(host['id']))!;
    const number = (key: string) => Number(host[key]);
    expect(truth.cpus).toBe(number('cpu_count') - number('cpu_reserved'));
    expect(truth.memory).toBe(number('mem_size') - number('mem_reserved'));
    const isRunning = host['status'] === 'running';
    if (host['host_type'] === 'baremetal') {
      expect([promises, truth.up, truth.schedulable]).toEqual([undefined, true, false]);
      expect('server' in host).toBe(isRunning);
      continue;
    }
    const isOnHost = (row: Row) => row['host_id'] === host['id'];
    const on = servers.filter(isOnHost);
    const isCounted = /^(running|unknown|starting|deploying)$/;
    const counting = on.filter((row) => !row['pending_deleted'] && isCounted.test(String(row['status'])));
    const gpus = devices.filter((row) => isOnHost(row) && String(row['dev_type']).startsWith('GPU'));
    const holders = on.filter((row) => row['is_gpu'] === true && row['status'] !== 'ready');
    const kept = Math.max(0, add(gpus, 'reserved_cpu') - add(holders, 'vcpu_count'));
    const [cpus, memory] = [number('cpu_commit_bound'), number('mem_commit_bound')];
    expect(promises).toMatchObject({
      cpuOvercommit: cpus,
      memoryOvercommit: memory,
      vcpusAllocatable: Math.floor(number('cpu_count') * cpus) - number('cpu_reserved') - kept,
      memoryAllocatable: Math.floor((number('mem_size') - number('mem_reserved')) * memory),
      vcpusAllocated: add(counting, 'vcpu_count'),
      memoryAllocated: add(counting, 'vmem_size'),
    });
    if (host['id'] === idle?.id) expect(kept).toBe(64);
    const isUp = host['host_status'] === 'online';
    expect([truth.schedulable, truth.up]).toEqual([isRunning && isUp && host['enabled'] === true, isUp]);
  }
});

test('a storage tells what may be promised of it and what is, as each captured one does', async () => {
  const cloud = await startCloud({ servers: 400 });
  const { rows } = await list(cloud, 'storages?details=true');
  const virtualOf = (row: Row) =>
    Math.floor((Number(row['capacity']) - Number(row['reserved'])) * (Number(row['cmtbound']) || 1));
  const sizes = ['virtual_capacity', 'used_capacity', 'waste_capacity', 'free_capacity'];
  for (const row of [...rows, ...captured('room/storages-detailed-emulated').rows]) {
    const [virtual, used, waste, free] = sizes.map((key) => Number(row[key]));
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
  const kindOf = ({ storage_type, cmtbound, status, enabled }: Row) =>
    `${String(storage_type)} ${Number(cmtbound) > 1} ${status === 'online' && enabled === true}`;
  const kinds = new Set(rows.map(kindOf));
  const some = ['local true', 'local false', 'rbd true', 'vsan false', 'baremetal false'];
  for (const kind of [...some.map((one) => `${one} true`), 'local false false'])
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
  const mixed = new Set(truth.filter(({ free }) => free > 0).map(({ host }) => host));
  expect(truth.some(({ host, free }) => free === 0 && mixed.has(host))).toBe(true);
  const attached = cloud.fleet.servers.flatMap(({ isolated_devices }) =>
    isolated_devices.map(({ id }) => id),
  );
  const held = rows.filter((row) => 'guest_id' in row).map(({ id }) => id);
  expect(new Set(held)).toEqual(new Set(attached));
});

test.each([30, 400, 1000])(
  'no host of a fleet of %i is promised more than it has, however long it lives',
  (servers) => {
    const fleet = createFleet({ servers, now });
    const overfull = () =>
      hostsOf(fleet).filter(({ id, promises }) => {
        const on = fleet.servers.filter(({ host_id }) => host_id === id);
        return promises !== undefined && sum(on.map((one) => one.vmem_size)) > promises.memoryAllocatable;
      });
    expect(overfull()).toEqual([]);
    for (let minutes = 1; minutes <= (servers > 1000 ? 0 : 20); minutes += 1)
      fleet.live(startedAt + minutes * 60_000);
    expect(overfull()).toEqual([]);
  },
);
