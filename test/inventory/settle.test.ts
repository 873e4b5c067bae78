import { describe, expect, it } from 'vitest';
import type { Fault, Missing } from '../simulator/faults.ts';
import type { Parsed } from '../support/exposition.ts';
import { isById, minute, setUpChanges } from './changing-cloud.ts';

const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';
/** Detailed lists, unless the settings say otherwise. Hosts are not listed: they would bring most of the names. */
const setUp = (settings: object) =>
  setUpChanges({ list_hosts: false, page_size: 2048, ...settings }, { servers: 80 });

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

  it('a server that loses its disks has none at once, as others have theirs', async () => {
    const { expectTrue, fleet } = await setUp({ details_max_age });
    for (let lists = 0; lists < 3; lists += 1) await expectTrue();
    const { id } = fleet.servers.find(({ disk }) => disk > 0)!;
    // Its version moves with its name.
    fleet.change(id, { name: 'without disks', disk: 0, disk_count: 0, disks_info: [] });
    await expectTrue();
  });

  it('the only one with a device that loses it has it for half an hour, and then no longer', async () => {
    const { clock, expectTrue, fleet, scrape } = await setUp({ details_max_age });
    const holders = fleet.servers.filter(({ isolated_devices: [device] }) => device);
    const none = { name: 'without devices', isolated_devices: [], is_gpu: false };
    for (const { id } of holders.slice(1)) fleet.change(id, none);
    for (let lists = 0; lists < 3; lists += 1) await expectTrue();
    fleet.change(holders[0]!.id, none);
    const seen: string[] = [];
    for (let round = 0; round < 9; round += 1) {
      seen.push(String((await scrape()).sum('cloud_servers_gpu')));
      await clock.advance(4 * minute);
    }
    expect(seen.join('')).toBe('111111000');
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
