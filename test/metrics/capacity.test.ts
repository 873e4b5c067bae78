import { describe, expect, it } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { parseExposition } from '../support/exposition.ts';
import { capacityFamilies, expectHostTruth, expectRoomTruth } from '../support/host-truth.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { hostsOf } from '../simulator/room.ts';

const query = { scope: 'system', pending_delete: 'all' };

async function stage({
  plan = {},
  settings = {},
}: { plan?: Parameters<typeof simulate>[0]; settings?: object } = {}) {
  const cloud = await simulate({ servers: 300, ...plan });
  const exporter = await runExporter({ one: settingsFor(cloud, { query, room_max_age: 0, ...settings }) });
  const scrape = async () => parseExposition(await exporter.text('/metrics'));
  return { cloud, fleet: cloud.fleet, exporter, scrape };
}

describe('hosts that are listed', () => {
  it('are all exported with what they have, the ones without servers too', async () => {
    const { fleet, scrape, cloud } = await stage();
    const parsed = await scrape();
    expectHostTruth(parsed, fleet);
    const named = new Set(fleet.servers.map(({ host_id }) => host_id));
    const empty = fleet.hosts.filter(({ id, host_type }) => host_type === 'hypervisor' && !named.has(id));
    expect(empty.length).toBeGreaterThan(0);
    for (const { name } of empty) expect(parsed.value('cloud_host_up', { host: name })).toBe(1);
    expect(cloud.journal.of('hosts').length).toBe(1);
    expect(cloud.journal.of('hosts')[0]!.query).toMatchObject({ details: 'false', scope: 'system' });
    expect(cloud.journal.of('hosts')[0]!.query).not.toHaveProperty('pending_delete');
  });

  it('stay true while they come, go, are renamed, disabled and fall silent, and servers move', async () => {
    const { fleet, scrape } = await stage();
    const own = () => fleet.hosts.filter(({ host_type }) => host_type === 'hypervisor');
    const first = own()[0]!;
    const steps = [
      () => fleet.addHost({ cpu_count: 96, cpu_reserved: 4, mem_reserved: 1024 }, first.id),
      () => fleet.enableHost(own()[1]!.id, false),
      () => fleet.silenceHost(own()[2]!.id),
      () => fleet.changeHost(own()[3]!.id, { name: 'renamed "host"' }),
      () => fleet.changeHost(own()[3]!.id, { cpu_cmtbound: 4.5, mem_size: 524_288 }),
      () => fleet.removeHost(own()[4]!.id),
      () => fleet.moveServer(fleet.servers.find(({ host_id }) => host_id !== '')!.id, own()[0]!.id),
      () => fleet.silenceHost(own()[2]!.id, false),
      () => fleet.live(Date.now() + 3_600_000),
    ];
    for (const step of steps) {
      step();
      expectHostTruth(await scrape(), fleet);
    }
  });

  it('cost at most a series in each family beside those of their servers', async () => {
    const { fleet, scrape } = await stage();
    const listed = await scrape();
    const { scrape: scrapeWithout } = await stage({ settings: { list_hosts: false } });
    const without = await scrapeWithout();
    const most = (capacityFamilies.length + 1) * hostsOf(fleet).length;
    const count = (parsed: typeof listed) =>
      ['cloud_host_up', ...capacityFamilies].reduce((sum, name) => sum + parsed.of(name).length, 0);
    expect(count(listed)).toBeLessThanOrEqual(most);
    expect(capacityFamilies.filter((name) => without.of(name).length > 0)).toEqual([]);
  });

  it('are the word on who is up, whatever older details of servers say', async () => {
    const { cloud, fleet, scrape } = await stage();
    cloud.quirks.rewriteServer = (server) => ({
      ...server,
      host_status: 'offline',
      host_service_status: 'offline',
    });
    expectHostTruth(await scrape(), fleet);
  });

  it('are found by name where servers do not have the id of their host', async () => {
    const { cloud, fleet, scrape } = await stage();
    cloud.quirks.rewriteServer = ({ host_id: _id, ...server }) => server;
    expectHostTruth(await scrape(), fleet);
  });

  it('are found by id where servers still have an older name of their host', async () => {
    const { cloud, fleet, scrape } = await stage();
    cloud.quirks.rewriteServer = (server) => ({ ...server, host: `old-${String(server['host'])}` });
    const parsed = await scrape();
    const hosts = hostsOf(fleet);
    const onListed = fleet.servers.filter(({ host_id }) => hosts.some(({ id }) => id === host_id));
    const counted = hosts.map(({ host }) => parsed.sum('cloud_host_servers', { host }));
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(onListed.length);
  });

  it('are read page by page; the last good list serves while one comes short', async () => {
    const fleet = createFleet({ servers: 1500 });
    const { cloud, scrape } = await stage({ plan: { fleet, maximumPageSize: 20 } });
    const whole = await scrape();
    expectHostTruth(whole, fleet);
    expect(whole.value('cloud_list_pages', { resource: 'hosts' })).toBeGreaterThan(2);
    let pages = 0;
    cloud.hooks.beforeHosts = () => {
      pages += 1;
      if (pages === 2) for (const { id } of hostsOf(fleet).slice(0, 2)) fleet.removeHost(id);
    };
    const short = await scrape();
    expect(short.value('cloud_list_up', { resource: 'hosts' })).toBe(0);
    expect(short.of('cloud_host_cpus')).toEqual(whole.of('cloud_host_cpus'));
    cloud.hooks.beforeHosts = undefined;
    expectHostTruth(await scrape(), fleet);
  });

  it('are part of the series budget, the newest families first to go', async () => {
    const whole = await (await stage()).scrape();
    const { scrape } = await stage({ settings: { series_limit: 900 } });
    const parsed = await scrape();
    expect(parsed.value('cloud_exporter_series_dropped')).toBeGreaterThan(0);
    expect(parsed.of('cloud_host_memory_overcommit')).toEqual([]);
    expect(parsed.sum('cloud_servers')).toBe(whole.sum('cloud_servers'));
  });
});

describe('storages and devices', () => {
  it('are exported as the platform counts them', async () => {
    const { fleet, scrape } = await stage();
    expectRoomTruth(await scrape(), fleet);
  });
});
