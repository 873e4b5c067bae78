import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { longestWaitMs } from '../../src/inventory/host-list.ts';
import { domainAccount, plainAccount, type Account } from '../../src/simulator/accounts.ts';
import { parseExposition, type Parsed } from '../support/exposition.ts';
import { capacityFamilies, expectHostTruth } from '../support/host-truth.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { hostsOf } from '../simulator/room.ts';
import { truthOf } from '../simulator/truth.ts';

const hourMs = 3_600_000;

/** Time as it passes, and as much more as the test says; `ends` are the waits that end at once. */
function createSkippingClock(ends: readonly number[] = []): Clock & { skip(ms: number): void } {
  let skipped = 0;
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + skipped,
    wait: (ms, signal) => (ends.includes(ms) ? Promise.resolve() : systemClock.wait(ms, signal)),
    skip(ms) {
      skipped += ms;
    },
  };
}

async function stage({
  plan = {},
  settings = {},
  clock = createSkippingClock(),
}: {
  plan?: Parameters<typeof simulate>[0];
  settings?: object;
  clock?: ReturnType<typeof createSkippingClock>;
} = {}) {
  const cloud = await simulate({ servers: 60, ...plan });
  const exporter = await runExporter({ one: settingsFor(cloud, settings) }, { clock });
  const scrape = async () => parseExposition(await exporter.text('/metrics'));
  const asked = () => cloud.journal.count('hosts');
  return { cloud, exporter, scrape, asked, clock };
}

function lines(log: string, words: string, level: string): object[] {
  const parsed = log
    .split('\n')
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as { level: string });
  return parsed.filter((line) => line.level === level);
}

/** Servers and the hosts that they name are there, and nothing that only the list of hosts knows. */
function expectServersAlone(parsed: Parsed, servers: number): void {
  expect(parsed.value('cloud_up')).toBe(1);
  expect(parsed.sum('cloud_servers')).toBe(servers);
  expect(parsed.of('cloud_host_up').length).toBeGreaterThan(0);
  expect(capacityFamilies.filter((name) => parsed.of(name).length > 0)).toEqual([]);
}

/** The widest scope that the account may ask for. */
const as = ({ name, password }: Account) => ({
  username: name,
  password,
  project_name: 'web',
  query: { scope: 'max' },
});
const cannot = 'hosts cannot be listed';

describe('a list of hosts', () => {
  it("that a domain's administrator asks for has the hosts of the domain", async () => {
    const { cloud, scrape } = await stage({ plan: { servers: 300 }, settings: as(domainAccount) });
    const listed = (await scrape()).of('cloud_host_cpus').length;
    expect(listed).toBe(hostsOf(cloud.fleet).length);
  });

  it('that a plain user may not see costs one request an hour and no login', async () => {
    const { cloud, exporter, scrape, asked, clock } = await stage({
      plan: { servers: 300 },
      settings: as(plainAccount),
    });
    const servers = (await scrape()).sum('cloud_servers');
    expect(servers).toBeGreaterThan(0);
    for (let more = 0; more < 2; more += 1) expectServersAlone(await scrape(), servers);
    expect([asked(), cloud.journal.count('login')]).toEqual([1, 1]);
    expect(lines(exporter.logged(), cannot, 'info')).toMatchObject([
      { cloud: 'one', reason: 'forbidden', operation: 'list_hosts' },
    ]);
    expect(await exporter.text('/')).toContain('they cannot be listed');
    clock.skip(hourMs - 60_000);
    await scrape();
    expect(asked()).toBe(1);
    clock.skip(120_000);
    await scrape();
    expect(asked()).toBe(2);
    expect(exporter.logged().split(cannot).length - 1, 'said once, but for debug').toBe(2);
    expect(lines(exporter.logged(), cannot, 'info').length).toBe(1);
  });

  it('that the platform does not have is asked for again after a reload', async () => {
    const { cloud, exporter, scrape, asked } = await stage({ plan: { without: ['hosts'] } });
    expectServersAlone(await scrape(), truthOf(cloud.fleet).total);
    await scrape();
    expect(asked()).toBe(1);
    expect(lines(exporter.logged(), cannot, 'info')).toMatchObject([{ reason: 'rejected' }]);
    await exporter.reload();
    await scrape();
    await scrape();
    expect(asked()).toBe(2);
  });

  it('is not asked for if list_hosts or per_host is off, or if servers of other projects are not seen', async () => {
    for (const settings of [{ list_hosts: false }, { per_host: false }, { query: {} }]) {
      const { scrape, asked, exporter } = await stage({ settings });
      await scrape();
      expect(asked()).toBe(0);
      expect(exporter.logged()).not.toContain(cannot);
    }
  });

  it('that hangs is waited for a few seconds, then less and less often', async () => {
    const clock = createSkippingClock([longestWaitMs]);
    const { cloud, scrape, asked, exporter } = await stage({ clock });
    const { total } = truthOf(cloud.fleet);
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'hang' } });
    for (let scrapes = 0; scrapes < 4; scrapes += 1) expectServersAlone(await scrape(), total);
    expect(asked()).toBe(2);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'timeout' }]);
    clock.skip(61_000);
    await scrape();
    clock.skip(61_000);
    await scrape();
    expect(asked()).toBe(3);
  });

  it('that fails by chance is there again with the next scrape', async () => {
    const { cloud, exporter, scrape } = await stage({ settings: { query: everything } });
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 500 }, times: 3 });
    expectServersAlone(await scrape(), cloud.fleet.servers.length);
    expectHostTruth(await scrape(), cloud.fleet);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'upstream' }]);
    expect(lines(exporter.logged(), 'hosts can be listed again', 'info').length).toBe(1);
  });

  it('that is short of what was announced is no list', async () => {
    const { cloud, exporter, scrape, asked } = await stage();
    cloud.quirks.hostTotal = (real) => real + 1;
    expectServersAlone(await scrape(), truthOf(cloud.fleet).total);
    expect(asked()).toBe(2);
    expect(lines(exporter.logged(), cannot, 'warn')).toMatchObject([{ reason: 'truncated' }]);
  });

  it('refused while the token is replaced is asked for again at once', async () => {
    const { cloud, scrape, asked } = await stage({
      settings: { page_size: 10, concurrency: 1, query: everything },
    });
    cloud.hooks.beforePage = ({ offset }) => {
      if (offset > 0 && cloud.issuedTokens === 1) cloud.revokeTokens();
    };
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 }, times: 1 });
    await scrape();
    expect([asked(), cloud.issuedTokens]).toEqual([1, 2]);
    expectHostTruth(await scrape(), cloud.fleet);
  });

  it('has a connection of its own, so that pages of servers never wait for it', async () => {
    const clock = createSkippingClock([longestWaitMs]);
    const { cloud, scrape } = await stage({ clock, settings: { page_size: 10, concurrency: 1 } });
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'hang' } });
    expectServersAlone(await scrape(), truthOf(cloud.fleet).total);
  });

  it('is read to the end of the servers only: if these fail, nobody waits for hosts', async () => {
    const { cloud, scrape } = await stage({ settings: { page_size: 10, query: everything } });
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'hang' }, times: 1 });
    cloud.faults.set({ operation: 'list', page: 2, fault: { kind: 'status', code: 400 }, times: 1 });
    expect((await scrape()).value('cloud_up')).toBe(0);
    const next = await scrape();
    expectHostTruth(next, cloud.fleet);
    const ended = next.of('cloud_exporter_api_requests_total').filter(({ labels, value }) => {
      return labels['operation'] === 'list_hosts' && labels['code'] !== '200' && value > 0;
    });
    expect(ended.length, 'the request that hung was given up').toBe(1);
  });
});

describe('the zone of a host without servers', () => {
  it('is read once from the details of one host, and kept for an hour', async () => {
    const { cloud, scrape, clock } = await stage({ settings: { query: everything } });
    const { fleet } = cloud;
    const model = fleet.hosts.find(({ is_emulated }) => !is_emulated);
    const place = { zone_id: 'z-new', zone: 'new-zone', region: 'new-region', cloudregion: 'new-region' };
    for (const name of ['new-1', 'new-2']) fleet.addHost({ name, ...place }, model!.id);
    const shows = () => cloud.journal.of('hosts').filter(({ path }) => !path.endsWith('/hosts')).length;
    for (let scrapes = 0; scrapes < 3; scrapes += 1) expectHostTruth(await scrape(), fleet);
    expect(shows()).toBe(1);
    clock.skip(hourMs + 1);
    expectHostTruth(await scrape(), fleet);
    expect(shows()).toBe(2);
  });
});

const everything = { scope: 'system', pending_delete: 'all' };
