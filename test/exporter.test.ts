import { describe, expect, it } from 'vitest';
import { printable } from '../src/printable.ts';
import { exportCloud, failuresOf } from './support/exported-cloud.ts';
import { createGate } from './support/gate.ts';
import { expectTruth } from './support/truth.ts';
import { truthOf } from './simulator/truth.ts';

const ofServers = { resource: 'servers' };

describe('every sum equals the truth of the platform', () => {
  describe.each(['document', 'platform'] as const)('in the dialect of the %s', (dialect) => {
    it.each([
      [30, 1],
      [300, 37],
      [300, 2048],
      [0, 40],
    ])('%i servers in pages of %i', async (servers, page_size) => {
      const { cloud, expectTrue } = await exportCloud({ dialect, servers, settings: { page_size } });
      const parsed = await expectTrue();
      expect(parsed.value('cloud_list_reported', ofServers)).toBe(servers);
      expect(parsed.of('cloud_servers').length > 0).toBe(servers > 0);
      expect(cloud.journal.usedDeadTokens).toEqual([]);
    });
  });

  it('when the platform cuts the page size that was asked for, and when `total` is too low', async () => {
    const settings = { page_size: 500 };
    const { cloud, expectTrue } = await exportCloud({ servers: 250, maximumPageSize: 60, settings });
    await expectTrue();
    cloud.quirks.total = (real) => Math.min(real, 10);
    await expectTrue();
  });
});

it('names with odd letters make no series twice, and none too few', async () => {
  const { cloud, scrape } = await exportCloud({ servers: 12 });
  const odd = ['a\0b|c', 'a|b\0c', 'a"b|c', 'a|b","c', 'a\u001f|b\u2028c', 'a\n|\\nb'].map((pair) =>
    pair.split('|'),
  );
  for (const [index, { id }] of cloud.fleet.servers.entries()) {
    const [project_domain = '', project = ''] = odd[index % odd.length]!;
    // Names hang on the ids; without one, the record's own count.
    cloud.fleet.change(id, { project_domain, project, tenant_id: '' });
  }
  const parsed = await scrape();
  const sets = parsed.of('cloud_servers').map(({ labels }) => JSON.stringify(labels));
  expect(new Set(sets).size).toBe(sets.length);
  for (const [project_domain = '', project = ''] of odd)
    expect(
      parsed.sum('cloud_servers', { project_domain: printable(project_domain), project: printable(project) }),
      project,
    ).toBe(2);
});

it('a list is read in ranges of the ids of the last one, side by side, each page once', async () => {
  const settings = { page_size: 10, concurrency: 4, details_max_age: 0 };
  const { cloud, expectTrue } = await exportCloud({ servers: 95, settings });
  await expectTrue();
  cloud.journal.clear();
  const gate = createGate();
  let atOnce = 0;
  cloud.hooks.beforePage = async () => {
    atOnce += 1;
    if (atOnce === 4) gate.open();
    await gate.passed;
  };
  await expectTrue();
  const ranges = cloud.journal.of('list').map(({ parameters }) => parameters.getAll('filter').join(' '));
  expect([ranges.length, new Set(ranges).size, cloud.journal.mostAtOnce('list')]).toEqual([11, 11, 4]);
});

it('a record that is no server is skipped and counted by reason, and the rest of the page counts, integers as digits too', async () => {
  const { cloud, fleet, scrape } = await exportCloud({ servers: 50, settings: { page_size: 20 } });
  const [a, b, c, d] = fleet.servers.map(({ id }) => id);
  const spoilt: Record<string, (server: Record<string, unknown>) => unknown> = {
    [a!]: () => 'not a server',
    [b!]: ({ id: _id, ...rest }) => rest,
    [c!]: (server) => ({ ...server, vcpu_count: 'many' }),
    [d!]: (server) => ({ ...server, disk: null }),
  };
  cloud.quirks.rewriteServer = (server) => {
    const sizes = ['vcpu_count', 'vmem_size', 'disk', 'disk_count'];
    const digits = Object.fromEntries(sizes.map((name) => [name, String(server[name])]));
    return spoilt[String(server['id'])]?.(server) ?? { ...server, ...digits };
  };
  const parsed = await scrape();
  const reasons = ['not_an_object', 'no_id', 'bad_number'];
  const rejected = reasons.map((reason) => parsed.value('cloud_list_rejected', { ...ofServers, reason }));
  expect(rejected).toEqual([1, 1, 2]);
  expect(parsed.value('cloud_list_reported', ofServers)).toBe(50);
  fleet.remove([a!, b!, c!, d!]);
  expectTruth(parsed, truthOf(fleet), 'one');
});

describe('every request', () => {
  it('has both required headers, asks for details and sends the configured parameters', async () => {
    const settings = { page_size: 10, query: 'scope=system&x=a+b' };
    const { cloud, scrape } = await exportCloud({ servers: 30, settings });
    await scrape();
    for (const { headers, query } of cloud.journal.of('list')) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['x-auth-token']).toMatch(/^[0-9a-f]{64}$/);
      expect(query).toMatchObject({ details: 'true', limit: '10', scope: 'system', x: 'a b' });
    }
    expect(cloud.journal.of('login')[0]!.headers['content-type']).toBe('application/json');
  });

  it('goes to base_url where one is configured, and else to the public endpoint of the catalog', async () => {
    const { cloud, fleet, scrape } = await exportCloud({ servers: 5, settings: { region_name: 'nowhere' } });
    const { auth_url, base_url } = { auth_url: cloud.authUrl, base_url: `${cloud.baseUrl}/` };
    const given = await exportCloud({ fleet, settings: { auth_url, base_url, region_name: 'nowhere' } });
    await given.expectTrue();
    expect(failuresOf(await scrape())).toEqual({ endpoint: 1 });
  });
});
