import { describe, expect, it } from 'vitest';
import type { CloudPlan } from '../simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { expectHostTruth } from '../support/host-truth.ts';
import { hostsOf } from '../simulator/room.ts';
import { isById, minute, platformCost, setUpChanges } from './changing-cloud.ts';

/** The exporter with light lists, scraped once a minute. */
const setUp = (settings: object = {}, plan: Partial<CloudPlan> = {}) =>
  setUpChanges({ list_max_age: 0, ...settings }, plan);

it.each([
  ['light lists', { details_max_age: '400d' }],
  ['detailed ones', { details_max_age: '0s' }],
])(
  'tells of a server whose end comes near though its record stays the same, with %s',
  async (_words, settings) => {
    const { clock, fleet, scrape, asked } = await setUp(settings);
    const day = 24 * 60 * minute;
    const one = fleet.servers.find(({ status }) => status === 'running');
    for (const { id } of fleet.servers) fleet.change(id, { expired_at: '', auto_renew: false });
    const end = new Date(clock.now() + 40 * day).toISOString();
    fleet.change(one!.id, { billing_type: 'prepaid', expired_at: end });
    const told = async () => {
      const parsed = await scrape();
      const windows = ['30d', '7d', '1d'].map((within) => parsed.sum('cloud_servers_expiring', { within }));
      return [...windows, parsed.sum('cloud_server_problems', { problem: 'expired' })];
    };
    expect(await told()).toEqual([0, 0, 0, 0]);
    expect(await told()).toEqual([0, 0, 0, 0]);
    const seen = [];
    for (const days of [11, 23, 5, 1]) {
      await clock.advance(days * day);
      seen.push(await told());
    }
    expect(seen).toEqual([
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 1, 0],
      [0, 0, 0, 1],
    ]);
    expect(asked().ids.length).toBeLessThan(fleet.servers.length);
  },
);

describe('a light list', () => {
  it('follows a detailed one, has no details itself, and tells the same', async () => {
    const { asked, expectTrue, fleet } = await setUp();
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 0, ids: [] });
    const second = await expectTrue();
    expect(asked()).toMatchObject({ plain: 5, detailed: 0 });
    expect(asked().ids.length).toBeLessThan(fleet.servers.length / 2);
    expect(second.value('cloud_list_reported', { resource: 'servers' })).toBe(100);
    expect(second.value('cloud_list_pages', { resource: 'servers' })).toBe(6);
  });

  it('is followed by details of what is new or has changed, and of nothing that is gone', async () => {
    const { fleet, expectTrue, asked, quiet } = await setUp();
    await expectTrue();
    const [status, owner, bin, moved, gone, name] = quiet(20);
    fleet.setStatus(status!, 'start_fail');
    const { id: tenant_id, name: project, domain } = fleet.projects[3]!;
    fleet.change(owner!, {
      tenant_id,
      project,
      project_domain: domain.name,
      domain_id: domain.id,
    });
    fleet.change(bin!, { pending_deleted: !fleet.find(bin!)!.pending_deleted });
    fleet.moveServer(moved!, fleet.hosts.find(({ id }) => id !== fleet.find(moved!)!.host_id)!.id);
    fleet.change(name!, { name: 'renamed', disk: 77, disk_count: 3 });
    fleet.remove([gone!]);
    const [created] = fleet.create(1);
    await expectTrue();
    expect(asked().ids).toEqual(expect.arrayContaining([status, owner, bin, moved, name, created!.id]));
    expect(asked().ids).not.toContain(gone);
  });

  it.each([
    ['the list of hosts', true],
    ['one of its servers', false],
  ])(
    'hears of every host from %s, and tells of all of its servers when it falls silent',
    async (_from, list_hosts) => {
      const { fleet, expectTrue, scrape } = await setUp({ list_hosts });
      await expectTrue();
      const host = fleet.hosts.find(
        ({ id, host_status }) =>
          host_status === 'online' && fleet.servers.filter(({ host_id }) => host_id === id).length > 3,
      )!;
      const calm = (await scrape()).value('cloud_server_problems', { problem: 'host_down' })!;
      fleet.silenceHost(host.id);
      const on = fleet.servers.filter(
        (server) => server.host_id === host.id && !server.pending_deleted,
      ).length;
      const silent = await expectTrue();
      expect(silent.value('cloud_host_up', { host: host.name })).toBe(0);
      expect(silent.value('cloud_server_problems', { problem: 'host_down' })).toBe(calm + on);
      fleet.silenceHost(host.id, false);
      const back = await expectTrue();
      expect(back.value('cloud_host_up', { host: host.name })).toBe(1);
      expect(back.value('cloud_server_problems', { problem: 'host_down' })).toBe(calm);
    },
  );

  it('asks no server for the news of a host that is listed, and has hosts true whatever becomes of them', async () => {
    const { fleet, asked, scrape } = await setUp();
    await scrape();
    await scrape();
    const hosts = hostsOf(fleet);
    const listed = new Set(hosts.map(({ id }) => id));
    const others = new Set(fleet.servers.map(({ host_id }) => host_id).filter((id) => id && !listed.has(id)));
    const share = Math.ceil(fleet.servers.length / 29);
    expect(asked().ids.length).toBeLessThanOrEqual(share + others.size);
    expect(hosts.length).toBeGreaterThan(share + others.size);
    const [first, second, third] = hosts;
    fleet.changeHost(first!.id, { name: 'renamed' });
    fleet.enableHost(second!.id, false);
    fleet.removeHost(third!.id);
    fleet.addHost({}, first!.id);
    expectHostTruth(await scrape(), fleet);
  });

  it('asks for the details of each in turn, and tells what no version tells at the latest after details_max_age', async () => {
    const { clock, fleet, asked, scrape, expectTrue } = await setUp({ details_max_age: '10m' });
    await scrape();
    fleet.changeAll(
      fleet.servers.map(({ id }) => id),
      ({ disk }) => ({ disk: disk + 1024 }),
    );
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

  it('costs about the same each time, and a fraction of a detailed one; one of changes costs still less', async () => {
    const shares: Record<string, number[]> = {};
    for (const list_max_age of [0, '5m']) {
      const fleet = createFleet({ servers: 400, now: () => Date.parse('2026-11-14T00:00:00Z') });
      const { clock, cloud, expectTrue } = await setUp(
        { page_size: 200, list_max_age },
        { fleet, platformCost },
      );
      await expectTrue();
      const detailed = cloud.ledger.total.milliseconds;
      if (list_max_age !== 0) await expectTrue();
      const costs = (shares[list_max_age] = [] as number[]);
      for (let round = 0; round < 10; round += 1) {
        cloud.ledger.clear();
        const some = fleet.servers.filter((_, index) => index % 100 === round).map(({ id }) => id);
        const flip = ({ status }: { status: string }) => ({
          status: status === 'running' ? 'ready' : 'running',
        });
        fleet.changeAll(some, flip, { at: clock.now() + 30_000 });
        await expectTrue();
        costs.push(cloud.ledger.total.milliseconds / detailed);
      }
      costs.sort((a, b) => a - b);
    }
    const [light, changes] = [shares[0]!, shares['5m']!];
    expect(light[9]! / light[4]!).toBeLessThan(1.5);
    expect(light[4]!).toBeLessThan(0.32);
    expect(changes[5]!).toBeLessThan(0.08);
    expect(changes.reduce((sum, cost) => sum + cost, 0) / 10).toBeLessThan(0.15);
  });

  it('has the details of all that changed, though the platform sends few at a time', async () => {
    const { cloud, fleet, expectTrue, asked } = await setUp();
    await expectTrue();
    fleet.changeAll(
      fleet.servers.slice(0, 32).map(({ id }) => id),
      ({ disk }) => ({ disk: disk + 1024, name: 'changed' }),
    );
    cloud.quirks.longestPage = 10;
    await expectTrue();
    expect(asked().detailed).toBe(0);
  });

  it('is a detailed one when too much has changed', async () => {
    const { fleet, expectTrue, asked } = await setUp();
    await expectTrue();
    fleet.changeAll(
      fleet.servers.map(({ id }) => id),
      () => ({ name: 'all renamed' }),
    );
    await expectTrue();
    // One to see whether they can be asked for by id.
    expect(asked().ids).toHaveLength(1);
    expect(asked().plain).toBe(5);
    expect(asked().detailed).toBeGreaterThan(3);
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 5, detailed: 0 });
  });

  it('that fails leaves what is known as it was', async () => {
    const { cloud, fleet, scrape, expectTrue, asked } = await setUp();
    await expectTrue();
    fleet.setStatus(fleet.servers[7]!.id, 'start_fail');
    const rule = { operation: 'list', times: 10 } as const;
    cloud.faults.set({ ...rule, fault: { kind: 'status', code: 400 } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    cloud.faults.clear();
    await expectTrue();
    expect(asked().detailed).toBe(0);
    expect(asked().ids).toContain(fleet.servers[7]!.id);
  });

  it('does not miss a server that is deleted or changed between the list and its details', async () => {
    const { cloud, fleet, expectTrue } = await setUp();
    await expectTrue();
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
    const { exporter, fleet, expectTrue } = await setUp();
    await expectTrue();
    await expectTrue();
    const targets = JSON.parse(await exporter.text('/sd/servers?cloud=one')) as { targets: string[] }[];
    const addressed = fleet.servers.filter(({ ips, pending_deleted }) => ips !== '' && !pending_deleted);
    expect(targets.length).toBeGreaterThan(addressed.length / 2);
    await expectTrue();
  });

  it('says in a trace what was read how', async () => {
    const { exporter, expectTrue } = await setUp();
    await expectTrue();
    const text = await exporter.text('/probe?cloud=one&debug=true');
    expect(text).toContain('reading: without details');
    expect(text).toMatch(/reading: details of some servers: 0 new or changed, \d+ due/);
  });
});

describe('a platform that does not play along', () => {
  it.each<[string, string, (server: Record<string, unknown>) => unknown]>([
    ['sends details nevertheless', 'details=false', (server) => ({ host: 'here', ...server })],
    ['has no versions', 'update_version', ({ update_version: _none, ...server }) => server],
  ])('%s: lists are detailed, and it is said once', async (_words, ignored, rewriteServer) => {
    const { cloud, exporter, expectTrue, asked } = await setUp();
    cloud.quirks.rewriteServer = rewriteServer;
    await expectTrue();
    await expectTrue();
    expect(asked().detailed).toBeGreaterThan(3);
    await expectTrue();
    expect(asked()).toMatchObject({ plain: 0, ids: [] });
    expect(exporter.logged().split(`platform ignores ${ignored}; using detailed lists`)).toHaveLength(2);
  });

  it('ignores filters: lists are detailed, and it is said once', async () => {
    const { exporter, fleet, expectTrue, asked } = await setUp({ query: {} }, { dialect: 'document' });
    await expectTrue();
    fleet.setStatus(fleet.servers[3]!.id, 'start_fail');
    await expectTrue();
    await expectTrue();
    expect(asked().plain).toBe(0);
    expect(exporter.logged().split('platform ignores ')).toHaveLength(2);
  });
});
