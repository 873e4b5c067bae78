import { expect, it } from 'vitest';
import { createGroups } from '../../src/inventory/groups.ts';
import { joinHosts } from '../../src/inventory/hosts.ts';
import { copyNames } from '../../src/inventory/names.ts';
import { readHost, readNetwork, readStorage, readSync } from '../../src/platform/side-records.ts';
import { sideSeries } from '../../src/inventory/side-series.ts';
import { states } from '../../src/platform/state.ts';
import { createSlices } from '../../src/yield-to-event-loop.ts';
import { snapshotOf, textOf, viewOf } from '../metrics/hand-made.ts';
import { captured } from '../support/capture.ts';
import { parseExposition } from '../support/exposition.ts';

const byText = (one: unknown, other: unknown) => (String(one) < String(other) ? -1 : 1);
const usual = { cpu: 8, memory: 1, storage: 1 };
/** What becomes of these lists. */
const seriesOf = (lists: Parameters<typeof sideSeries>[0]) =>
  sideSeries(
    lists,
    undefined,
    createGroups(),
    usual,
    createSlices(() => Promise.resolve()),
  );
const netOf = (id: string, name: string) => readNetwork({ id, name, region: 'r', ports: 6 })!;

it('networks of the real platform are all read, with what is left of them', async () => {
  const listed = captured('lists/networks-detailed').rows.map((row) => readNetwork(row)!);
  const told = (await seriesOf({ networks: { items: listed } })).networks!.map(
    ({ labels: [, zone, vpc, network, type], ...one }) => {
      return [zone, vpc, network, type, one.isUp && one.addresses! - one.used!];
    },
  );
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

it('networks that would share all labels have their id behind their name, whatever others are called', async () => {
  const listed = [netOf('1', 'net'), netOf('2', 'net'), netOf('3', 'net (2)'), netOf('4', 'other')];
  const names = (await seriesOf({ networks: { items: listed } })).networks!.map(({ labels }) => labels[3]);
  expect(names).toEqual(['net (1)', 'net (2) (2)', 'net (2) (3)', 'other']);
});

it('what the real platform synchronises is as old as its end, or its beginning, and never from the future', async () => {
  const listed = captured('lists/cloudproviderregions-detailed').rows.map((row) => readSync(row)!);
  const ending = Date.parse('2026-11-19T17:20:10Z');
  const { syncs } = await seriesOf({ cloudproviderregions: { items: listed } });
  const toldAt = async (takenAt: number) => {
    const parsed = parseExposition(await textOf([viewOf(snapshotOf({ syncs, takenAt }))]));
    return parsed
      .of('cloud_sync_timestamp_seconds')
      .map(({ labels: { cloud: _cloud, account, ...rest }, value }) => {
        const { subscription, region } = rest;
        return [
          subscription,
          region,
          parsed.value('cloud_sync_enabled', { account, ...rest }) === 1,
          value - ending / 1000,
        ];
      })
      .toSorted(byText);
  };
  const all = (newest: number) => [
    ['ali-account', 'Aliyun China East 1 (Hangzhou)', true, 0],
    ['ali-account', 'Default', false, -5 * 86_400 + 120],
    ['vm-account', 'Default', true, newest],
  ];
  expect(await toldAt(ending + 3_600_000)).toEqual(all(60));
  expect(await toldAt(ending + 30_000)).toEqual(all(30));
});

it('hosts and storages that would share all labels have their id behind their name, each of them', async () => {
  const records = ['1', '2', '3'].map((id) => ({ id, name: id === '3' ? 'other' : 'same' }));
  const named = ['same (1)', 'same (2)', 'other'];
  const storages = records.map((record) => readStorage(record)!);
  expect(
    (await seriesOf({ storages: { items: storages } })).storages!.map(({ labels }) => labels[2]),
  ).toEqual(named);
  const none = new Float64Array(states.length);
  const allocated = { vcpusAllocated: none, memoryAllocated: none, vcpusWithDevices: none };
  const joined = {
    groups: createGroups(),
    sums: { names: [undefined], hypervisors: [''], servers: none, byState: [], ...allocated },
    listed: records.map((record) => readHost({ ...record, host_type: 'hypervisor' })!),
    devices: undefined,
    devicesInUse: new Set<string>(),
    names: copyNames(),
    overcommit: usual,
  };
  const slices = createSlices(() => Promise.resolve());
  expect((await joinHosts(joined, slices)).all.map(({ labels }) => labels[2])).toEqual(named);
});
