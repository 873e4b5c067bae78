import { describe, expect, it } from 'vitest';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';

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
const setUp = (settings: object = {}) =>
  exportCloud({ servers: 25, settings: { page_size: 10, per_server: true, ...settings } });

describe('a list with something odd', () => {
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
