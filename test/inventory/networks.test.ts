import { expect, it } from 'vitest';
import { joinHosts } from '../../src/inventory/hosts.ts';
import { copyNames } from '../../src/inventory/names.ts';
import { joinNetworks, joinSyncs } from '../../src/inventory/networks.ts';
import { joinStorages } from '../../src/inventory/storages.ts';
import { readHost, readNetwork, readStorage, readSync } from '../../src/platform/side-records.ts';
import { captured } from '../support/capture.ts';

const byText = (one: unknown, other: unknown) => (String(one) < String(other) ? -1 : 1);
const nowhere = () => ({ region: '', zone: '' });
const netOf = (id: string, name: string) => readNetwork({ id, name, region: 'r', ports: 6 })!;

it('networks of the real platform are all read, with what is left of them', () => {
  const listed = captured('lists/networks-detailed').rows.map((row) => readNetwork(row)!);
  const told = joinNetworks(listed, nowhere).map(({ labels: [, zone, vpc, network, type], ...one }) => {
    return [zone, vpc, network, type, one.isUp && one.addresses! - one.used!];
  });
  expect(told.toSorted(byText)).toEqual([
    ['Aliyun China East 1 Zone I', 'vpc-ali', 'vsw-ali', 'guest', 254],
    ['zone-a', 'Default', 'eip-pool', 'eip', 8],
    ['zone-a', 'Default', 'net-a', 'guest', 65_534 - 9263],
    ['zone-b', 'Default', 'net-6', 'guest', 254],
    ['zone-b', 'Default', 'net-bm', 'baremetal', 20],
    ['zone-b', 'Default', 'net-broken', 'guest', false],
    ['zone-b', 'Default', 'net-small', 'guest', 1],
  ]);
});

it('networks that would share all labels have their id behind their name, whatever others are called', () => {
  const listed = [netOf('1', 'net'), netOf('2', 'net'), netOf('3', 'net (2)'), netOf('4', 'other')];
  const names = joinNetworks(listed, nowhere).map(({ labels }) => labels[3]);
  expect(names).toEqual(['net (1)', 'net (2) (2)', 'net (2) (3)', 'other']);
});

it('what the real platform synchronises is as old as its end, or its beginning, and never from the future', () => {
  const listed = captured('lists/cloudproviderregions-detailed').rows.map((row) => readSync(row)!);
  const ending = Date.parse('2026-11-19T17:20:10Z');
  const toldAt = (now: number) =>
    joinSyncs(listed, now)
      .map(({ labels: [, ...rest], isEnabled, syncedAt }) => {
        return [...rest, isEnabled, (syncedAt! - ending) / 1000];
      })
      .toSorted(byText);
  const all = (newest: number) => [
    ['ali-account', 'Aliyun China East 1 (Hangzhou)', true, 0],
    ['ali-account', 'Default', false, -5 * 86_400 + 120],
    ['vm-account', 'Default', true, newest],
  ];
  expect(toldAt(ending + 3_600_000)).toEqual(all(60));
  expect(toldAt(ending + 30_000)).toEqual(all(30));
});

it('hosts and storages that would share all labels have their id behind their name, each of them', () => {
  const usual = { cpu: 8, memory: 1, storage: 1 };
  const records = ['1', '2', '3'].map((id) => ({ id, name: id === '3' ? 'other' : 'same' }));
  const named = ['same (1)', 'same (2)', 'other'];
  const storages = records.map((record) => readStorage(record)!);
  expect(joinStorages(storages, nowhere, usual).map(({ labels }) => labels[2])).toEqual(named);
  const hosts = joinHosts({
    servers: [],
    listed: records.map((record) => readHost({ ...record, host_type: 'hypervisor' })!),
    devices: undefined,
    devicesInUse: new Set(),
    names: copyNames(),
    overcommit: usual,
  });
  expect(hosts.map(({ labels }) => labels[2])).toEqual(named);
});
