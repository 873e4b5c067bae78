import { describe, expect, it } from 'vitest';
import type { CloudPlan } from '../simulator/cloud.ts';
import { minute, setUpChanges } from './changing-cloud.ts';

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

  it('is a detailed one when too much has changed', async () => {
    const { expectTrue, asked, changeFirst } = await begin();
    changeFirst(100, () => ({ name: 'all renamed' }));
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 2, ids: [] });
    expect(asked().detailed).toBeGreaterThan(3);
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 2, detailed: 0 });
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
