import { describe, expect, it } from 'vitest';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { exporterAccount } from '../../src/simulator/accounts.ts';
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

it('control characters in names, raw or written as JSON has it, hide nothing and are shown nowhere', async () => {
  const odd = 'a\u0001\u001b[2J\nb\u007f\u009b\u2028\u202ec';
  const { cloud, fleet, exporter, scrape } = await exportCloud({
    servers: 25,
    settings: { per_server: true, labels: { team: 'metadata.user:team' }, details_max_age: 0 },
  });
  const names = { name: odd, project: odd, tenant: odd, zone: odd, host: odd, status: `fail${odd}` };
  const metadata = { 'user:team': odd, [`user:${odd}`]: 'x' };
  for (const { id } of fleet.servers.slice(0, 3))
    fleet.change(id, { ...names, metadata, pending_deleted: false });
  cloud.quirks.rewriteToken = ({ token, ...rest }) => ({
    ...rest,
    token: { ...(token as object), user: { name: odd }, roles: [{ name: odd }], [odd]: 1 },
  });
  for (const isRaw of [false, true]) {
    if (isRaw)
      for (const operation of ['login', 'list', 'hosts'] as const)
        cloud.faults.set({ operation, fault: { kind: 'rawControls' } });
    cloud.revokeTokens();
    const parsed = await scrape();
    expect([failuresOf(parsed), parsed.sum('cloud_servers')]).toEqual([{}, 25]);
    const shown = 'a\ufffd\ufffd[2J\ufffdb\ufffd\ufffd\ufffd\ufffdc';
    expect(parsed.sum('cloud_servers', { project: shown })).toBeGreaterThan(0);
    expect(parsed.of('cloud_server_info').filter(({ labels }) => labels['name'] === shown)).toHaveLength(3);
    for (const path of ['/', '/probe?cloud=one&debug=true', '/sd/servers?cloud=one'])
      expect(await exporter.text(path)).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
  }
  expect(exporter.logged()).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
});

it('a list that cannot be read names byte and record, and blames no address that was right', async () => {
  const { cloud, fleet, exporter, scrape } = await exportCloud({ servers: 25 });
  await scrape();
  const [{ id } = { id: '' }] = fleet.servers;
  for (const [text, words] of [
    [
      `{"servers":[{"id":"${id}","name":x}]}`,
      `byte 0x78 at ${28 + id.length}, in the record with the id ${id}`,
    ],
    ['<html>', 'byte 0x3c at 0'],
    ['{"data":[]}', 'the answer has no list of servers'],
  ] as const) {
    cloud.faults.clear();
    cloud.faults.set({ operation: 'list', fault: { kind: 'text', text } });
    expect((await scrape()).value('cloud_up')).toBe(0);
    const page = await exporter.text('/');
    expect(page).toContain(words);
    expect(page).toContain('The address is right.');
    expect(page).not.toContain('base_url');
  }
});

const million = 2 ** 20;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
it.each([
  ['login', 'of 4 MiB', `{"id":"abc","token":{"x":"${'x'.repeat(4 * million)}"}}`, { oversized: 1 }],
  [
    'login',
    'with more values than an answer has',
    `{"id":"abc","token":{"x":[${'{},'.repeat(million)}1]}}`,
    { oversized: 1 },
  ],
  ['list', 'with more records than a page', `{"servers":[${'{},'.repeat(100_000)}{}]}`, { oversized: 1 }],
  ['list', 'with a record as deep as memory allows', `{"servers":[{"a":${nested(million)}}],"total":1}`, {}],
] as const)(
  'a %s %s costs one cloud a failure or a record at most',
  async (operation, _words, text, failures) => {
    const { cloud, scrape } = await exportCloud({ servers: 25 });
    cloud.faults.set({ operation, fault: { kind: 'text', text } });
    expect(failuresOf(await scrape())).toEqual(failures);
  },
);

it('an identity service that echoes token and password gets neither shown, wherever it writes them', async () => {
  const { cloud, exporter, scrape } = await exportCloud({ settings: { interface: 'missing' } });
  const secrets: string[] = [];
  for (const change of [(text: string) => text, (text: string) => text.toUpperCase()]) {
    cloud.quirks.rewriteToken = ({ id, token, ...rest }) => {
      secrets.push(String(id), exporterAccount.password);
      const endpoints = secrets.map(change).flatMap((secret) => [
        { interface: secret, region: 'r', url: 'https://a' },
        { interface: 'missing', region: `r-${secret}`, url: `https://127.0.0.1:1/${encodeURI(secret)}` },
      ]);
      const named = { name: change(String(id)) };
      const catalog = [{ type: 'compute_v2', endpoints }];
      return {
        ...rest,
        id,
        token: { ...(token as object), catalog, user: named, project: named, roles: [named] },
      };
    };
    cloud.revokeTokens();
    expect((await scrape()).value('cloud_up')).toBe(0);
    const shown = [
      exporter.logged(),
      await exporter.text('/'),
      await exporter.text('/probe?cloud=one&debug=true'),
    ];
    for (const secret of secrets) expect(shown.join().toLowerCase()).not.toContain(secret.toLowerCase());
  }
});
