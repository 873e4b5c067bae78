import { expect, it } from 'vitest';
import type { Missing } from '../simulator/faults.ts';
import { isById, setUpChanges } from './changing-cloud.ts';

const inDetail = (parameters: URLSearchParams) => parameters.get('details') === 'true';
/** Hosts are not listed: they would bring most of the names. */
const setUp = (settings: object = {}) =>
  setUpChanges({ list_hosts: false, page_size: 2048, ...settings }, { servers: 80 });

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

it.each<[Missing, string]>([
  ['host', 'host'],
  ['place', 'host'],
  ['project', 'project'],
  ['domain', 'project'],
  ['disks', 'disk'],
  ['devices', 'device'],
])('answers without %s change no number, and are counted as lacking %s', async (missing, reason) => {
  const { cloud, expectTrue, fleet } = await setUp();
  const withDisks = fleet.servers.filter(({ disk, isolated_devices: [device] }) => disk > 0 && !device);
  const counted = async () => (await expectTrue()).value('cloud_list_suspect_pages_total', { reason })!;
  const before = await counted();
  const rule = cloud.faults.set({ operation: 'list', where: inDetail, fault: { kind: 'halfTold', missing } });
  for (let round = 0; round < 3; round += 1) {
    fleet.setStatus(withDisks[round]!.id, 'start_fail');
    await expectTrue();
  }
  rule.clear();
  const after = await counted();
  expect([rule.hits > 2, after > before]).toEqual([true, true]);
  expect(await counted(), 'no more than what is always so').toBeLessThanOrEqual(after + 2);
});

it.each([
  ['for a moment is read once more, and not believed', 1],
  ['for good is believed the second time', Infinity],
])('a list that loses most of the servers %s', async (_more, times) => {
  const { cloud, expectTrue, scrape } = await setUp();
  await expectTrue();
  const where = (parameters: URLSearchParams) => !isById(parameters);
  const lost = { kind: 'json', json: { servers: [], total: 0 } } as const;
  const rule = cloud.faults.set({ operation: 'list', where, times, fault: lost });
  const parsed = times === 1 ? await expectTrue() : await scrape();
  expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(times === 1 ? 80 : 0);
  expect(parsed.value('cloud_list_suspect_pages_total', { reason: 'loss' })).toBe(1);
  expect(rule.hits).toBe(times === 1 ? 1 : 2);
});
