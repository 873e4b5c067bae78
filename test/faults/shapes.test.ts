import { describe, expect, it } from 'vitest';
import { countServers } from '../simulator/truth.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { expectTruth } from '../support/truth.ts';
import { truthOf } from '../simulator/truth.ts';

const oddities: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  'text',
  '',
  [],
  [[]],
  {},
  { a: { b: [1] } },
];
const numbers = ['vcpu_count', 'vmem_size', 'disk', 'disk_count'];
const others =
  'status region zone hypervisor project project_domain name host ips eip nics isolated_devices metadata is_gpu pending_deleted auto_renew created_at updated_at expired_at host_status backup_host_status'.split(
    ' ',
  );

type Cloud = Awaited<ReturnType<typeof simulate>>;

async function openScrape(cloud: Cloud, settings: object = {}) {
  const exporter = await runExporter({
    one: settingsFor(cloud, { page_size: 10, per_server: true, ...settings }),
  });
  return async () => parseExposition(await exporter.text('/metrics'));
}

async function scrapeOnce(cloud: Cloud, settings: object = {}) {
  return (await openScrape(cloud, settings))();
}

/** One odd value for each of some servers; returns which. */
function spoil(cloud: Cloud, field: string, values: readonly unknown[]): readonly string[] {
  const spoilt = cloud.fleet.servers.slice(5, 5 + values.length).map(({ id }) => id);
  cloud.quirks.rewriteServer = (server) => {
    const index = spoilt.indexOf(String(server['id']));
    return index < 0 ? server : { ...server, [field]: values[index] };
  };
  return spoilt;
}

describe('a record with something odd', () => {
  it('in a field that no number needs is counted, with an empty label', async () => {
    const cloud = await simulate({ servers: 25 });
    const scrape = await openScrape(cloud, { labels: { team: 'metadata.user:team' } });
    const vcpus = cloud.fleet.servers.reduce((sum, server) => sum + server.vcpu_count, 0);
    for (const field of others) {
      spoil(cloud, field, oddities);
      const parsed = await scrape();
      expect(parsed.value('cloud_up'), field).toBe(1);
      expect(parsed.sum('cloud_servers'), field).toBe(25);
      expect(parsed.sum('cloud_list_rejected', { resource: 'servers' }), field).toBe(0);
      expect(parsed.sum('cloud_servers_vcpus'), field).toBe(vcpus);
    }
  });

  it('in a number is rejected, and the others are counted', async () => {
    const cloud = await simulate({ servers: 25 });
    const scrape = await openScrape(cloud);
    const wrong = [...oddities.filter((value) => value !== 1.5), '9'.repeat(400), '-1', '1e3', 2 ** 53];
    const kept = cloud.fleet.servers.filter((_, index) => index < 5 || index >= 5 + wrong.length);
    for (const field of numbers) {
      spoil(cloud, field, wrong);
      const parsed = await scrape();
      expect(parsed.value('cloud_list_rejected', { resource: 'servers', reason: 'bad_number' }), field).toBe(
        wrong.length,
      );
      expectTruth(parsed, countServers(kept), 'one');
    }
  });

  it('in place of the record is rejected, and the others are counted', async () => {
    const cloud = await simulate({ servers: 25 });
    const strange = cloud.fleet.servers.slice(5, 5 + oddities.length).map(({ id }) => id);
    cloud.quirks.rewriteServer = (server) => {
      const index = strange.indexOf(String(server['id']));
      return index < 0 ? server : oddities[index];
    };
    const parsed = await scrapeOnce(cloud);
    expect(parsed.sum('cloud_list_rejected', { resource: 'servers' })).toBe(oddities.length);
    cloud.fleet.remove(strange);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  });

  it('in place of `total` changes no sum', async () => {
    const cloud = await simulate({ servers: 25 });
    const scrape = await openScrape(cloud);
    for (const value of oddities) {
      cloud.quirks.total = () => value;
      expectTruth(await scrape(), truthOf(cloud.fleet), 'one');
    }
  });
});

describe('a list that says nothing of itself', () => {
  it('is read to its end, though the platform cut the pages and gave neither limit nor total', async () => {
    const cloud = await simulate({ servers: 25, maximumPageSize: 7 });
    cloud.quirks.total = () => 0;
    expectTruth(await scrapeOnce(cloud), truthOf(cloud.fleet), 'one');
    expect(cloud.journal.of('list').length).toBeGreaterThan(3);
  });
});

describe('a token with something odd', () => {
  const keys = ['expires_at', 'user', 'project', 'roles', 'methods', 'issued_at', 'policies', 'context'];

  it.each(oddities.map((value) => [value]))('everywhere but in its catalog (%j) is used', async (value) => {
    const cloud = await simulate({ servers: 25 });
    const odd = Object.fromEntries(keys.map((key) => [key, value]));
    cloud.quirks.rewriteToken = (body) => ({ token: { ...(body['token'] as object), ...odd } });
    expectTruth(await scrapeOnce(cloud), truthOf(cloud.fleet), 'one');
  });

  it.each([
    ['a text', 'none'],
    ['services that are none', [null, 7, [], {}]],
    ['a service without endpoints', [{ type: 'compute_v2', endpoints: {} }]],
    ['endpoints that are none', [{ type: 'compute_v2', endpoints: [null, 'x', {}] }]],
    ['an address that is none', endpointAt('not an address')],
    ['an address that is not of the web', endpointAt('ftp://127.0.0.1/servers')],
  ])('in its catalog (%s) fails as endpoint, unless `base_url` is given', async (_words, catalog) => {
    const cloud = await simulate({ servers: 25 });
    cloud.quirks.rewriteToken = (body) => ({ token: { ...(body['token'] as object), catalog } });
    const failed = await scrapeOnce(cloud);
    expect(failed.value('cloud_exporter_collection_failures_total', { reason: 'endpoint' })).toBe(1);
    expect(cloud.journal.count('list')).toBe(0);
    const parsed = await scrapeOnce(cloud, { base_url: cloud.baseUrl });
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  });

  it('as deep as memory allows is read no deeper than needed', async () => {
    const cloud = await simulate({ servers: 25 });
    const depth = 100_000;
    const text = `{"id":"abc","token":{"catalog":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}}`;
    cloud.faults.set({ operation: 'login', fault: { kind: 'text', text } });
    const parsed = await scrapeOnce(cloud);
    expect(parsed.value('cloud_exporter_collection_failures_total', { reason: 'endpoint' })).toBe(1);
  });

  it('in itself is not sent: a header could not carry it', async () => {
    const cloud = await simulate({ servers: 25 });
    const json = { id: 'two\r\nlines: x', token: {} };
    cloud.faults.set({ operation: 'login', fault: { kind: 'json', json } });
    const failed = await scrapeOnce(cloud);
    expect(failed.value('cloud_exporter_collection_failures_total', { reason: 'malformed' })).toBe(1);
    expect(cloud.journal.count('list')).toBe(0);
    cloud.faults.clear();
    const parsed = await scrapeOnce(cloud);
    expectTruth(parsed, truthOf(cloud.fleet), 'one');
  });
});

function endpointAt(url: string): object[] {
  return [{ type: 'compute_v2', endpoints: [{ interface: 'public', region: 'region0', url }] }];
}
