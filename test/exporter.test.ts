import { describe, expect, it } from 'vitest';
import { parseExposition } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate, type RunningExporter } from './support/simulated.ts';
import { expectTruth } from './support/truth.ts';
import { truthOf } from './simulator/truth.ts';

async function scrape(exporter: RunningExporter, headers: Record<string, string> = {}) {
  return parseExposition(await exporter.text('/metrics', headers));
}

const dialects = ['document', 'platform'] as const;

describe('every sum equals the truth of the platform', () => {
  it.each(dialects.flatMap((dialect) => [1, 37, 500, 2048].map((limit) => ({ dialect, limit }))))(
    'in the dialect of the $dialect, in pages of $limit',
    async ({ dialect, limit }) => {
      const cloud = await simulate({ servers: limit === 1 ? 60 : 1300, dialect });
      const exporter = await runExporter({ one: settingsFor(cloud, { page_size: limit }) });
      const parsed = await scrape(exporter);
      const truth = truthOf(cloud.fleet);
      expectTruth(parsed, truth, 'one');
      expect(parsed.value('cloud_up', { cloud: 'one' })).toBe(1);
      expect(parsed.value('cloud_list_reported', { cloud: 'one', resource: 'servers' })).toBe(truth.total);
      expect(cloud.journal.usedDeadTokens).toEqual([]);
    },
  );

  it('when the fleet is an exact number of pages', async () => {
    const cloud = await simulate({ servers: 120 });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 40 }) });
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
  });

  it.each(dialects)('when there are no servers, in the dialect of the %s', async (dialect) => {
    const cloud = await simulate({ servers: 0, dialect });
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.value('cloud_list_reported', { resource: 'servers' })).toBe(0);
    expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(0);
    expect(parsed.of('cloud_servers')).toEqual([]);
  });

  it('when the platform cuts the page size that was asked for', async () => {
    const cloud = await simulate({ servers: 250, maximumPageSize: 60 });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 500 }) });
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
  });

  it.each([
    ['too low', () => 10],
    ['that of the page', (real: number) => Math.min(real, 37)],
    ['not there', () => undefined],
    ['a little too high', (real: number) => real + 5],
  ])('when `total` is %s', async (_words, total) => {
    const cloud = await simulate({ servers: 400 });
    cloud.quirks.total = total;
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 37 }) });
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
  });
});

describe('a list is read in ranges of the ids of the last one', () => {
  const rangesOf = (cloud: Awaited<ReturnType<typeof simulate>>) =>
    cloud.journal.of('list').map(({ parameters }) => parameters.getAll('filter').join(' '));

  async function scrapedOnce(servers: number, more: object = {}) {
    const cloud = await simulate({ servers });
    const exporter = await runExporter({
      one: settingsFor(cloud, { page_size: 10, concurrency: 4, details_max_age: 0, ...more }),
    });
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
    return { cloud, exporter, before: cloud.journal.count('list') };
  }

  it('side by side, each page once', async () => {
    const { cloud, exporter, before } = await scrapedOnce(95);
    const gate = createGate();
    let atOnce = 0;
    cloud.hooks.beforePage = async () => {
      atOnce += 1;
      if (atOnce === 4) gate.open();
      await gate.passed;
    };
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
    const ranges = rangesOf(cloud).slice(before);
    expect(ranges).toHaveLength(11);
    expect(new Set(ranges).size).toBe(11);
  });

  it('and what fits one page is one request', async () => {
    const { cloud, exporter, before } = await scrapedOnce(8);
    await scrape(exporter);
    expect(rangesOf(cloud).slice(before)).toEqual(['']);
  });

  it.each([
    ['grew', (cloud) => cloud.fleet.create(57)],
    ['shrank', (cloud) => cloud.fleet.remove(cloud.fleet.servers.slice(0, 60).map(({ id }) => id))],
    ['fits one page', (cloud) => cloud.fleet.remove(cloud.fleet.servers.slice(4).map(({ id }) => id))],
    ['is empty', (cloud) => cloud.fleet.remove(cloud.fleet.servers.map(({ id }) => id))],
  ] satisfies [string, (cloud: Awaited<ReturnType<typeof simulate>>) => unknown][])(
    'and every sum is right when the fleet %s',
    async (_words, change) => {
      const { cloud, exporter } = await scrapedOnce(95);
      change(cloud);
      for (let round = 0; round < 2; round += 1)
        expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
    },
  );

  it.each([undefined, 95])('and when pages are shorter than they were, with `total` %s', async (total) => {
    const { cloud, exporter } = await scrapedOnce(95);
    cloud.quirks.total = () => total;
    cloud.quirks.longestPage = 7;
    for (let round = 0; round < 2; round += 1)
      expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
  });
});

describe('a list that cannot be right is not published', () => {
  it('when the platform ignores offset', async () => {
    const cloud = await simulate({ servers: 400, dialect: 'document' });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 50, concurrency: 4 }) });
    cloud.quirks.ignoreOffset = true;
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_up')).toBe(0);
    expect(parsed.of('cloud_servers')).toEqual([]);
    expect(parsed.value('cloud_exporter_collection_failures_total', { reason: 'truncated' })).toBe(1);
    expect(exporter.logged()).toContain('50 arrived, 400 were announced');
    expect(cloud.journal.count('list')).toBeLessThanOrEqual(2 * (1 + 4));
  });

  it('when `total` is far too high, after a second reading', async () => {
    const cloud = await simulate({ servers: 100 });
    cloud.quirks.total = () => 1000;
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_exporter_collection_failures_total', { reason: 'truncated' })).toBe(1);
  });

  it('when it does not end within the page limit', async () => {
    const cloud = await simulate({ servers: 100 });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 2, page_limit: 10 }) });
    expect((await scrape(exporter)).value('cloud_up')).toBe(0);
    expect(exporter.logged()).toContain('did not end within 10 pages');
  });

  it('but a small shortfall is, and can be seen', async () => {
    const cloud = await simulate({ servers: 100, dialect: 'document' });
    cloud.quirks.total = (real) => real + 4;
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_list_reported', { resource: 'servers' })).toBe(104);
    expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(100);
  });
});

describe('a record that is no server', () => {
  it('is skipped and counted by reason, and the rest of the page counts', async () => {
    const cloud = await simulate({ servers: 50 });
    const [a, b, c, d] = cloud.fleet.servers.map(({ id }) => id);
    const spoilt: Record<string, (server: Record<string, unknown>) => unknown> = {
      [a!]: () => 'not a server',
      [b!]: ({ id: _id, ...rest }) => rest,
      [c!]: (server) => ({ ...server, vcpu_count: 'many' }),
      [d!]: (server) => ({ ...server, disk: null }),
    };
    cloud.quirks.rewriteServer = (server) => spoilt[String(server['id'])]?.(server) ?? server;
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 20 }) });
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'not_an_object' })).toBe(1);
    expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'no_id' })).toBe(1);
    expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'bad_number' })).toBe(2);
    expect(parsed.value('cloud_list_received', { resource: 'servers' })).toBe(46);
    expect(parsed.value('cloud_list_reported', { resource: 'servers' })).toBe(50);
    cloud.fleet.remove([a!, b!, c!, d!]);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  });

  it('is not one whose integers come as digits', async () => {
    const cloud = await simulate({ servers: 50 });
    const numbers = ['vcpu_count', 'vmem_size', 'disk', 'disk_count'];
    cloud.quirks.rewriteServer = (server) => ({
      ...server,
      ...Object.fromEntries(numbers.map((name) => [name, String(server[name])])),
    });
    const exporter = await runExporter({ one: settingsFor(cloud) });
    expectTruth(await scrape(exporter), truthOf(cloud.fleet), 'one');
  });
});

describe('the cost of scrapes', () => {
  it('twenty at once cost one login and one list', async () => {
    const cloud = await simulate({ servers: 100 });
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const gate = createGate();
    cloud.hooks.beforeLogin = () => gate.passed;
    const scrapes = Array.from({ length: 20 }, () => scrape(exporter));
    // These came after the twenty, so when they are answered the twenty have joined.
    for (let round = 0; round < 20; round += 1) await exporter.text('/-/healthy');
    gate.open();
    const answers = await Promise.all(scrapes);
    expect(cloud.journal.count('login')).toBe(1);
    // A first list has sixteen ranges.
    expect(cloud.journal.count('list')).toBe(16);
    for (const parsed of answers) expect(parsed.sum('cloud_servers')).toBe(100);
  });

  it('one after the other, the token is used again', async () => {
    const cloud = await simulate({ servers: 10 });
    const exporter = await runExporter({ one: settingsFor(cloud, { details_max_age: 0 }) });
    for (let round = 0; round < 5; round += 1) await scrape(exporter);
    expect(cloud.journal.count('login')).toBe(1);
    expect(cloud.journal.count('list')).toBe(16 + 4);
  });

  it('a token that dies in the middle of the list costs one login', async () => {
    const cloud = await simulate({ servers: 200 });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 10, concurrency: 8 }) });
    let pages = 0;
    cloud.hooks.beforePage = () => {
      pages += 1;
      if (pages === 12) cloud.revokeTokens();
    };
    const parsed = await scrape(exporter);
    expect(parsed.value('cloud_up')).toBe(1);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
    expect(parsed.value('cloud_exporter_logins_total', { trigger: 'rejected' })).toBeGreaterThanOrEqual(1);
  });

  it('no more pages are asked for at once than concurrency allows', async () => {
    const cloud = await simulate({ servers: 300 });
    const exporter = await runExporter({ one: settingsFor(cloud, { page_size: 10, concurrency: 3 }) });
    await scrape(exporter);
    expect(cloud.journal.mostAtOnce('list')).toBeLessThanOrEqual(3);
    const pages = cloud.journal.of('list').map(({ parameters }) => parameters.toString());
    expect(new Set(pages).size).toBe(pages.length);
  });
});

describe('every request', () => {
  it('has both required headers, asks for details and sends the configured parameters', async () => {
    const cloud = await simulate({ servers: 30 });
    const exporter = await runExporter({
      one: settingsFor(cloud, { page_size: 10, query: 'scope=system&x=a+b' }),
    });
    await scrape(exporter);
    for (const { headers, query } of cloud.journal.of('list')) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['x-auth-token']).toMatch(/^[0-9a-f]{64}$/);
      expect(query).toMatchObject({ details: 'true', limit: '10', scope: 'system', x: 'a b' });
    }
    expect(cloud.journal.of('login')[0]!.headers['content-type']).toBe('application/json');
  });

  it('goes to base_url where one is configured, and else to the public endpoint of the catalog', async () => {
    const cloud = await simulate({ servers: 5 });
    const given = await runExporter({ one: settingsFor(cloud, { base_url: `${cloud.baseUrl}/` }) });
    expect((await scrape(given)).value('cloud_up')).toBe(1);
    const wrong = await runExporter({ one: settingsFor(cloud, { region_name: 'nowhere' }) });
    expect(
      (await scrape(wrong)).value('cloud_exporter_collection_failures_total', { reason: 'endpoint' }),
    ).toBe(1);
    expect(wrong.logged()).toContain('no compute_v2 endpoint with interface public in region nowhere');
  });
});
