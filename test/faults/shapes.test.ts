import { describe, expect, it } from 'vitest';
import { countServers } from '../simulator/truth.ts';
import type { SimulatedCloud } from '../simulator/cloud.ts';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { expectTruth } from '../support/truth.ts';

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

const setUp = (settings: object = {}) =>
  exportCloud({ servers: 25, settings: { page_size: 10, per_server: true, ...settings } });

/** One odd value for each of some servers, in a field or in place of the whole record; returns the others. */
function spoil(cloud: SimulatedCloud, values: readonly unknown[], field?: string) {
  const spoilt = cloud.fleet.servers.slice(5, 5 + values.length).map(({ id }) => id);
  cloud.quirks.rewriteServer = (server) => {
    const index = spoilt.indexOf(String(server['id']));
    if (index < 0) return server;
    return field === undefined ? values[index] : { ...server, [field]: values[index] };
  };
  return cloud.fleet.servers.filter(({ id }) => !spoilt.includes(id));
}

describe('a record with something odd', () => {
  it('in a field that no number needs is counted, with an empty label', async () => {
    const { cloud, fleet, scrape } = await setUp({ labels: { team: 'metadata.user:team' } });
    const vcpus = fleet.servers.reduce((sum, server) => sum + server.vcpu_count, 0);
    for (const field of others) {
      spoil(cloud, oddities, field);
      const parsed = await scrape();
      expect(parsed.value('cloud_up'), field).toBe(1);
      expect(parsed.sum('cloud_list_rejected', { resource: 'servers' }), field).toBe(0);
      expect([parsed.sum('cloud_servers'), parsed.sum('cloud_servers_vcpus')], field).toEqual([25, vcpus]);
    }
  });

  it('in a number, or in place of the record, is rejected, and the others are counted', async () => {
    const { cloud, scrape } = await setUp();
    const wrong = [...oddities.filter((value) => value !== 1.5), '9'.repeat(400), '-1', '1e3', 2 ** 53];
    const ofServers = { resource: 'servers' };
    for (const field of numbers) {
      const kept = spoil(cloud, wrong, field);
      const parsed = await scrape();
      const rejected = parsed.value('cloud_list_rejected', { ...ofServers, reason: 'bad_number' });
      expect(rejected, field).toBe(wrong.length);
      expectTruth(parsed, countServers(kept), 'one');
    }
    const kept = spoil(cloud, oddities);
    const parsed = await scrape();
    expect(parsed.sum('cloud_list_rejected', ofServers)).toBe(oddities.length);
    expectTruth(parsed, countServers(kept), 'one');
  });

  it('in place of `total` changes no sum', async () => {
    const { cloud, expectTrue } = await setUp();
    for (const value of oddities) {
      cloud.quirks.total = () => value;
      await expectTrue();
    }
  });
});

describe('a token with something odd', () => {
  const keys = ['expires_at', 'user', 'project', 'roles', 'methods', 'issued_at', 'policies', 'context'];

  it('everywhere but in its catalog is used', async () => {
    const { cloud, expectTrue } = await setUp();
    for (const value of oddities) {
      const odd = Object.fromEntries(keys.map((key) => [key, value]));
      cloud.quirks.rewriteToken = (body) => ({ token: { ...(body['token'] as object), ...odd } });
      cloud.revokeTokens();
      await expectTrue();
    }
  });

  it.each([
    ['a text', 'none'],
    ['services that are none', [null, 7, [], {}]],
    ['a service without endpoints', [{ type: 'compute_v2', endpoints: {} }]],
    ['endpoints that are none', [{ type: 'compute_v2', endpoints: [null, 'x', {}] }]],
    ['an address that is none', endpointAt('not an address')],
    ['an address that is not of the web', endpointAt('ftp://127.0.0.1/servers')],
  ])('in its catalog (%s) fails as endpoint, unless `base_url` is given', async (_words, catalog) => {
    const { cloud, fleet, scrape } = await setUp();
    const rewriteToken = (body: Record<string, unknown>) => ({
      token: { ...(body['token'] as object), catalog },
    });
    cloud.quirks.rewriteToken = rewriteToken;
    expect(failuresOf(await scrape())).toEqual({ endpoint: 1 });
    expect(cloud.journal.count('list')).toBe(0);
    const other = await exportCloud({
      fleet,
      settings: { base_url: cloud.baseUrl, auth_url: cloud.authUrl },
    });
    await other.expectTrue();
  });

  const depth = 100_000;
  const deep = `{"id":"abc","token":{"catalog":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}}`;

  it.each([
    ['as deep as memory allows is read no deeper than needed', deep, 'endpoint'],
    [
      'in itself is not sent: a header could not carry it',
      '{"id":"two\\r\\nlines: x","token":{}}',
      'malformed',
    ],
  ])('%s', async (_words, text, reason) => {
    const { cloud, scrape } = await setUp();
    cloud.faults.set({ operation: 'login', fault: { kind: 'text', text } });
    expect(failuresOf(await scrape())).toEqual({ [reason]: 1 });
    expect(cloud.journal.count('list')).toBe(0);
  });
});

function endpointAt(url: string): object[] {
  return [{ type: 'compute_v2', endpoints: [{ interface: 'public', region: 'region0', url }] }];
}
