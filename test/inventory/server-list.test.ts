import { describe, expect, it } from 'vitest';
import type { CloudPlan } from '../simulator/cloud.ts';
import { expectHostTruth } from '../support/host-truth.ts';
import { hostsOf } from '../simulator/room.ts';
import { isById, minute, setUpChanges } from './changing-cloud.ts';

const setUp = setUpChanges;

/** With two detailed lists behind it: what is new is read twice. */
async function begin(...wishes: Parameters<typeof setUp>) {
  const setting = await setUp(...wishes);
  for (let lists = 0; lists < 2; lists += 1) {
    await setting.expectTrue();
    expect(setting.asked()).toMatchObject({ plain: 0, ids: [] });
  }
  return setting;
}

it.each([
  ['plain lists', '400d'],
  ['detailed ones', '0s'],
])(
  'an end that comes near is told though the record stays the same, with %s',
  async (_words, details_max_age) => {
    const { clock, fleet, scrape, asked } = await setUp({ details_max_age });
    const day = 24 * 60 * minute;
    for (const { id } of fleet.servers) fleet.change(id, { expired_at: '', auto_renew: false });
    const running = fleet.servers.filter((one) => one.status === 'running' && !one.pending_deleted);
    const ends = { billing_type: 'prepaid', expired_at: new Date(clock.now() + 40 * day).toISOString() };
    // Nobody minds the end of the second until it has come, and that of the third at all.
    for (const [index, more] of [{}, { auto_renew: true }, { pending_deleted: true }].entries())
      fleet.change(running[index]!.id, { ...ends, ...more });
    const seen: string[] = [];
    for (const days of [0, 0, 11, 23, 5, 1]) {
      await clock.advance(days * day);
      const parsed = await scrape();
      const windows = ['30d', '7d', '1d'].map((within) => parsed.sum('cloud_servers_expiring', { within }));
      seen.push([...windows, parsed.sum('cloud_server_problems', { problem: 'expired' })].join(' '));
    }
    expect(seen).toEqual(['0 0 0 0', '0 0 0 0', '1 0 0 0', '1 1 0 0', '1 1 1 0', '0 0 0 2']);
    expect(asked().ids.length).toBeLessThan(fleet.servers.length);
  },
);

describe('a plain list', () => {
  it('follows two detailed ones, has no details itself but for the next on the cursor, and is as right', async () => {
    const { asked, expectTrue } = await begin();
    const third = await expectTrue();
    expect(asked()).toMatchObject({ plain: 2, detailed: 0 });
    expect(asked().ids).toHaveLength(Math.ceil(100 / 29));
    expect(third.value('cloud_list_reported', { resource: 'servers' })).toBe(100);
    expect(third.value('cloud_list_pages', { resource: 'servers' })).toBe(3);
  });

  it.each([
    ['the list of hosts, at once', true],
    ['its servers, within details_max_age', false],
  ])('hears of a silent host from %s', async (_from, list_hosts) => {
    const { fleet, expectTrue, scrape } = await begin({ list_hosts, details_max_age: '5m' });
    const turns = list_hosts ? 0 : 4;
    const on = (id: string) => fleet.servers.filter(({ host_id }) => host_id === id);
    const { id, name } = fleet.hosts.find((one) => one.host_status === 'online' && on(one.id).length > 3)!;
    const told = async () => {
      const parsed = await expectTrue();
      const down = parsed.value('cloud_server_problems', { problem: 'host_down' })!;
      return [parsed.value('cloud_host_up', { host: name }), down] as const;
    };
    const [, calm] = await told();
    fleet.silenceHost(id);
    for (let scrapes = 0; scrapes < turns; scrapes += 1) await scrape();
    expect(await told()).toEqual([0, calm + on(id).filter((server) => !server.pending_deleted).length]);
    fleet.silenceHost(id, false);
    for (let scrapes = 0; scrapes < turns; scrapes += 1) await scrape();
    expect(await told()).toEqual([1, calm]);
  });

  it('asks no server for the news of a host that is listed, and has hosts true whatever becomes of them', async () => {
    const { fleet, asked, scrape } = await begin();
    const [first, second, third] = hostsOf(fleet);
    fleet.changeHost(first!.id, { name: 'renamed' });
    fleet.enableHost(second!.id, false);
    fleet.removeHost(third!.id);
    fleet.addHost({}, first!.id);
    expectHostTruth(await scrape(), fleet);
    expect(asked().ids.length).toBeLessThan(20);
  });

  it('asks for the details of each in turn, and tells what no version tells at the latest after details_max_age', async () => {
    const { clock, fleet, asked, scrape, expectTrue, changeFirst } = await begin({ details_max_age: '10m' });
    changeFirst(100, ({ disk }) => ({ disk: disk + 1024 }));
    const times = new Map(fleet.servers.map(({ id }) => [id, 0]));
    const share = Math.ceil(fleet.servers.length / 9);
    for (let round = 0; round < 20; round += 1) {
      const told = round < 9 ? await scrape() : await expectTrue();
      const oldest = told.value('cloud_details_timestamp_seconds')! * 1000;
      expect(clock.now() - oldest).toBeLessThanOrEqual(9 * minute);
      for (const id of asked().ids) times.set(id, times.get(id)! + 1);
    }
    expect(Math.min(...times.values())).toBeGreaterThanOrEqual(2);
    const all = [...times.values()].reduce((sum, one) => sum + one, 0);
    expect(all).toBeLessThanOrEqual(20 * 2 * share);
  });

  it('has the details of all that changed, though the platform sends few at a time', async () => {
    const { cloud, expectTrue, asked, changeFirst } = await begin();
    changeFirst(32, ({ disk }) => ({ disk: disk + 1024, name: 'changed' }));
    cloud.quirks.longestPage = 10;
    await expectTrue();
    expect(asked().detailed).toBe(0);
  });

  it('is a detailed one when too much has changed', async () => {
    const { expectTrue, asked, changeFirst } = await begin();
    changeFirst(100, () => ({ name: 'all renamed' }));
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 2, ids: [] });
    expect(asked().detailed).toBeGreaterThan(3);
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 2, detailed: 0 });
  });

  it('does not miss a server that is deleted or changed between the list and its details', async () => {
    const { cloud, fleet, expectTrue } = await begin();
    const [created] = fleet.create(1);
    const other = fleet.servers[9]!;
    fleet.setStatus(other.id, 'start_fail');
    cloud.hooks.beforePage = (_page, parameters) => {
      if (!isById(parameters)) return;
      cloud.hooks.beforePage = undefined;
      fleet.remove([created!.id]);
      fleet.setStatus(other.id, 'sched_fail');
    };
    await expectTrue();
    await expectTrue();
  });

  it('reads single servers in detail once more when these are asked for', async () => {
    const { exporter, fleet, expectTrue } = await begin();
    const targets = JSON.parse(await exporter.text('/sd/servers?cloud=one')) as { targets: string[] }[];
    const addressed = fleet.servers.filter(({ ips, pending_deleted }) => ips !== '' && !pending_deleted);
    expect(targets.length).toBeGreaterThan(addressed.length / 2);
    await expectTrue();
  });
});

describe('a platform that', () => {
  type Rewrite = (server: Record<string, unknown>) => unknown;

  it.each<[string, string, object, Partial<CloudPlan>, Rewrite?]>([
    ['sends details nevertheless', 'details=false', {}, {}, (server) => ({ host: 'here', ...server })],
    ['has no versions', 'update_version', {}, {}, ({ update_version: _none, ...server }) => server],
    ['ignores filters', 'filter=id.gt', { query: {} }, { dialect: 'document' }],
  ])(
    '%s has detailed lists, and it is said once a day',
    async (_words, ignored, settings, plan, rewriteServer) => {
      const { clock, cloud, exporter, fleet, expectTrue, asked } = await begin(settings, plan);
      cloud.quirks.rewriteServer = rewriteServer;
      fleet.setStatus(fleet.servers[3]!.id, 'start_fail');
      const said = () =>
        exporter.logged().split(`the platform ignores ${ignored}: servers are listed`).length - 1;
      for (const times of [1, 1, 1]) {
        await expectTrue();
        expect(asked().detailed).toBeGreaterThan(3);
        expect(said()).toBe(times);
      }
      expect(asked()).toMatchObject({ plain: 0, ids: [] });
      // So that the next list is a plain one again, if it may be.
      for (let hours = 0; hours < 25; hours += 1) await clock.advance(60 * minute);
      await expectTrue();
      await expectTrue();
      await expectTrue();
      expect(said()).toBe(2);
    },
  );
});
