import { describe, expect, it } from 'vitest';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { oddities } from './stage.ts';

const setUp = () => exportCloud({ servers: 25, settings: { page_size: 10, per_server: true } });

it('a list with something odd in place of `total`, and a token with it everywhere but in its catalog, change no sum', async () => {
  const { cloud, expectTrue } = await setUp();
  const keys = ['expires_at', 'user', 'project', 'roles', 'methods', 'issued_at', 'policies', 'context'];
  for (const value of oddities) {
    const odd = Object.fromEntries(keys.map((key) => [key, value]));
    cloud.quirks.total = () => value;
    cloud.quirks.rewriteToken = (body) => ({ token: { ...(body['token'] as object), ...odd } });
    cloud.revokeTokens();
    await expectTrue();
  }
});

describe('a token with', () => {
  const tokenWith = (catalog: unknown) => JSON.stringify({ id: 'abc', token: { catalog } });
  const endpointsOf = (endpoints: unknown) => ({ type: 'compute_v2', endpoints });
  const at = (url: string) => endpointsOf([{ interface: 'public', region: 'region0', url }]);
  const [depth, about] = [100_000, '{"id":"abc","token":{"catalog":'];
  const deep = `${about}${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}}}`;

  it.each([
    ['services that are none', 'endpoint', tokenWith([null, 7, [], {}])],
    ['endpoints that are none', 'endpoint', tokenWith([endpointsOf({}), endpointsOf([null, 'x', {}])])],
    ['odd addresses', 'endpoint', tokenWith([at('not an address'), at('ftp://127.0.0.1/servers')])],
    ['a catalog as deep as memory allows, of which no more is read than needed', 'endpoint', deep],
    ['lines that no header could carry', 'malformed', '{"id":"two\\r\\nlines: x","token":{}}'],
  ])('%s fails as %s', async (_words, reason, text) => {
    const { cloud, scrape } = await setUp();
    cloud.faults.set({ operation: 'login', fault: { kind: 'text', text } });
    expect(failuresOf(await scrape())).toEqual({ [reason]: 1 });
    expect(cloud.journal.count('list')).toBe(0);
  });
});
