import { describe, expect, it } from 'vitest';
import type { Fault, Missing } from '../simulator/faults.ts';
import type { Parsed } from '../support/exposition.ts';
import { beginChanges, isById, minute, setUpChanges } from './changing-cloud.ts';

const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';
/** Detailed lists, unless the settings say otherwise. Hosts are not listed: they would bring most of the names. */
const setUp = (settings: object) =>
  setUpChanges({ list_max_age: 0, list_hosts: false, page_size: 2048, ...settings }, { servers: 80 });

type Lack = Omit<Extract<Fault, { kind: 'halfTold' }>, 'kind'>;
const lookups: readonly Missing[] = ['host', 'project', 'disks', 'devices'];
const kinds: readonly [string, Lack, string][] = [
  ['hosts', { missing: 'host' }, 'host'],
  ['places', { missing: 'place' }, 'host'],
  ['projects', { missing: 'project' }, 'project'],
  ['domains', { missing: 'domain' }, 'project'],
  ['disks', { missing: 'disks' }, 'disk'],
  ['devices', { missing: 'devices' }, 'device'],
  ['all of these', { missing: lookups }, 'disk'],
  ['all of these in some records', { missing: lookups, which: (position) => position % 3 === 0 }, 'disk'],
];
/** Devices that no record has ever told cannot be missed. */
const ofFirstLists = kinds.filter(([words]) => words !== 'devices');

it.each(ofFirstLists)('a first list without %s is asked for again, and true', async (_words, lack) => {
  const { cloud, expectTrue } = await setUp({ details_max_age: 0 });
  const where = (parameters: URLSearchParams) => inDetail(parameters) && !isById(parameters);
  cloud.faults.set({ operation: 'list', where, fault: { kind: 'halfTold', ...lack } });
  await expectTrue();
});

it('what is asked for again is a page at most, and ten witnesses', async () => {
  const { asked, cloud, expectTrue, fleet, scrape } = await setUp({ details_max_age: 0, page_size: 20 });
  await expectTrue();
  fleet.create(100, { disk: 10_240, disk_count: 1 });
  const where = (parameters: URLSearchParams) => !isById(parameters);
  // The others are as they were, and can be witnesses.
  const which = (position: number) => position % 2 === 0;
  const fault = { kind: 'halfTold', missing: 'disks', which } as const;
  const rule = cloud.faults.set({ operation: 'list', where, fault });
  expect((await scrape()).value('cloud_up')).toBe(1);
  expect(asked().ids).toHaveLength(20 + 10);
  rule.clear();
  await expectTrue();
});

it.each([0, '30m'])(
  'addresses and extra labels that are not told stay as they were, with details_max_age %s',
  async (details_max_age) => {
    const labels = { labels: { team: 'metadata.user:team' }, info_labels: { owner: 'metadata.user:owner' } };
    const { cloud, expectTrue } = await setUp({ details_max_age, per_server: true, ...labels });
    const info = async () => (await expectTrue()).of('cloud_server_info').map((sample) => sample.labels);
    const before = await info();
    expect(new Set(before.map(({ ips }) => ips)).size).toBeGreaterThan(10);
    cloud.quirks.rewriteServer = ({ ips: _ips, metadata: _metadata, ...server }) => server;
    expect(await info()).toEqual(before);
  },
);

describe.each([
  ['detailed lists', 0],
  ['light lists', '30m'],
])('with %s', (_words, details_max_age) => {
  it.each(kinds)('answers without %s change no number, and are counted', async (_words, lack, reason) => {
    const { cloud, expectTrue, fleet } = await setUp({ details_max_age });
    const withDisks = fleet.servers.filter(({ disk, isolated_devices: [device] }) => disk > 0 && !device);
    const before = await expectTrue();
    expect(before.sum('cloud_list_suspect_pages_total', { reason: 'device' })).toBe(0);
    const fault = { kind: 'halfTold', ...lack } as const;
    const rule = cloud.faults.set({ operation: 'list', where: inDetail, fault });
    for (let round = 0; round < 3; round += 1) {
      fleet.setStatus(withDisks[round]!.id, 'start_fail');
      await expectTrue();
    }
    rule.clear();
    const after = await expectTrue();
    expect(rule.hits).toBeGreaterThan(2);
    const count = (parsed: Parsed) => parsed.value('cloud_list_suspect_pages_total', { reason })!;
    expect(count(after)).toBeGreaterThan(count(before));
    expect(count(await expectTrue()), 'no more than what is always so').toBeLessThanOrEqual(count(after) + 2);
  });

  it('a server that loses its disks and devices has none at once, as others have theirs', async () => {
    const { expectTrue, fleet } = await setUp({ details_max_age });
    await expectTrue();
    const withDevice = fleet.servers.find(({ isolated_devices }) => isolated_devices.length > 0)!;
    const other = fleet.servers.find(({ id, disk }) => disk > 0 && id !== withDevice.id)!;
    // Its version moves with its name.
    fleet.change(other.id, { name: 'without disks', disk: 0, disk_count: 0, disks_info: [] });
    fleet.change(withDevice.id, { name: 'without devices', isolated_devices: [], is_gpu: false });
    await expectTrue();
  });

  it('one that loses them unsaid has them for half an hour, and then no longer', async () => {
    const { clock, expectTrue, fleet, scrape } = await setUp({ details_max_age });
    const before = await expectTrue();
    const { id, disk_count, updated_at, update_version } = fleet.servers.find(({ disk }) => disk > 0)!;
    fleet.change(id, { disk: 0, disk_count: 0, updated_at, update_version });
    const disks = before.sum('cloud_servers_disks');
    const seen: number[] = [];
    for (let round = 0; round < 13; round += 1) {
      await clock.advance(4 * minute);
      seen.push((await scrape()).sum('cloud_servers_disks'));
    }
    const last = seen.lastIndexOf(disks);
    expect(last).toBeGreaterThanOrEqual(5);
    expect(seen.slice(last + 1).every((sum) => sum === disks - disk_count)).toBe(true);
    await expectTrue();
  });

  it.each([
    ['for a moment is read once more, and not believed', 1],
    ['for good is believed the second time', Infinity],
  ])('a list that loses most of the servers %s', async (_more, times) => {
    const { cloud, expectTrue, scrape } = await setUp({ details_max_age });
    await expectTrue();
    await expectTrue();
    const where = (parameters: URLSearchParams) => !isById(parameters);
    const lost = { kind: 'json', json: { servers: [], total: 0 } } as const;
    const rule = cloud.faults.set({ operation: 'list', where, times, fault: lost });
    const parsed = times === 1 ? await expectTrue() : await scrape();
    expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(times === 1 ? 80 : 0);
    expect(parsed.value('cloud_list_suspect_pages_total', { reason: 'loss' })).toBe(1);
    expect(rule.hits).toBe(times === 1 ? 1 : 2);
  });
});

describe('with lists of changes', () => {
  it.each(kinds)('details without %s change no number', async (_words, lack, reason) => {
    const { cloud, expectTrue, fleet, quiet } = await beginChanges({ list_hosts: false });
    cloud.faults.set({ operation: 'list', where: inDetail, fault: { kind: 'halfTold', ...lack } });
    const ids = [fleet.servers.find(({ isolated_devices }) => isolated_devices.length > 0)!.id, ...quiet(2)];
    for (const id of ids) {
      fleet.setStatus(id, fleet.find(id)!.status === 'ready' ? 'running' : 'ready');
      await expectTrue('changes');
    }
    cloud.faults.clear();
    const parsed = await expectTrue();
    expect(parsed.value('cloud_list_suspect_pages_total', { reason })).toBeGreaterThan(0);
  });

  it('a loss of most servers is followed by the full list, and true', async () => {
    const { asked, expectTrue, fleet } = await beginChanges();
    fleet.remove(fleet.servers.slice(30).map(({ id }) => id));
    const parsed = await expectTrue('whole');
    expect(asked().changes.length).toBeGreaterThan(0);
    expect(parsed.value('cloud_list_suspect_pages_total', { reason: 'loss' })).toBe(1);
  });
});
