import { expect, test } from 'vitest';
import type { HostRecord } from '../../src/simulator/fleet/host.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { captured } from '../support/capture.ts';
import { list, now, startCloud, type Row } from './raw-request.ts';
import { storagesOf } from './room.ts';

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

test('a storage tells what may be promised of it and what is, as each captured one does', async () => {
  const cloud = await startCloud({ servers: 400 });
  const { rows } = await list(cloud, 'storages?details=true');
  const truths = new Map(storagesOf(cloud.fleet).map((one) => [one.storage, one]));
  expect(truths.size).toBe(rows.length);
  for (const row of [...rows, ...captured('room/storages-detailed-emulated').rows]) {
    const number = (key: string) => Number(row[key]);
    const promised = number('used_capacity') + number('waste_capacity');
    const allocatable = Math.floor((number('capacity') - number('reserved')) * (number('cmtbound') || 1));
    const virtual = [allocatable, allocatable - promised];
    expect([number('virtual_capacity'), number('free_capacity')]).toEqual(virtual);
    const used = number('actual_capacity_used') || undefined;
    if (rows.includes(row))
      expect(truths.get(String(row['name']))).toMatchObject({ allocatable, allocated: promised, used });
  }
  const kindOf = ({ storage_type, cmtbound, status, enabled }: Row) =>
    `${String(storage_type)} ${Number(cmtbound) > 1} ${status === 'online' && enabled === true}`;
  const some = ['local true', 'local false', 'rbd true', 'vsan false', 'baremetal false'];
  const kinds = [...some.map((one) => `${one} true`), 'local false false'];
  expect(rows.map(kindOf)).toEqual(expect.arrayContaining(kinds));
  expect(rows.some((row) => Number(row['waste_capacity']) > 0)).toBe(true);
});
