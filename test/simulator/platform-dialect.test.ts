import { describe, expect, test } from 'vitest';
import { exporterAccount, plainAccount } from '../../src/simulator/accounts.ts';
import type { SimulatedCloud } from './cloud.ts';
import { capturedAnswer, capturedRequest, capturedServers } from './captures.ts';
import { fieldTypes } from './document-tables.ts';
import { exchange, getServers, jsonHeaders, listOf, passwordIdentity, postLogin } from './raw-request.ts';
import { projectScope, startCloud, takeToken, type RawAnswer } from './raw-request.ts';
import { signLogin } from './sign-login.ts';

const platform = {} as const;

/** The captured request with the captured accounts replaced by those that the simulator knows. */
function replay(cloud: SimulatedCloud, name: string, headers: Record<string, string> = jsonHeaders) {
  const body = capturedRequest(name)
    .replaceAll('"sysadmin"', `"${exporterAccount.name}"`)
    .replaceAll('sysadmin-pw1', exporterAccount.password)
    .replaceAll('Alice-pw-1', plainAccount.password)
    .replaceAll('projA', 'web');
  return exchange({ url: `${cloud.authUrl}/v3/auth/tokens`, method: 'POST', headers, body });
}

function expectSameError(answer: RawAnswer, name: string): void {
  const captured = capturedAnswer(name);
  expect(answer.status).toBe(captured.status);
  expect(answer.json).toMatchObject({ class: captured.json.class, code: captured.json.code });
  expect(Object.keys(answer.json as object)).toEqual(Object.keys(captured.json));
  expect(answer.headers['content-type']).toBe(captured.headers.get('content-type'));
  expect(answer.headers.location === undefined).toBe(captured.headers.get('location') === undefined);
}

/** Every key on the way down, lists by their first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

describe('a login to the running platform', () => {
  test.each(['token-password-Domain-upper', 'token-password-unscoped', 'token-by-aksk'])(
    'is answered in the shape of %s',
    async (name) => {
      const cloud = await startCloud(platform);
      const captured = capturedAnswer(name);
      const { displayname: _omitted, ...user } = (captured.json.token as { user: Record<string, unknown> })
        .user;
      const answer = name === 'token-by-aksk' ? await loginByKey(cloud) : await replay(cloud, name);
      expect(answer.status).toBe(200);
      expect(shapeOf(answer.json)).toEqual(
        shapeOf({ ...captured.json, token: { ...(captured.json.token as object), user } }),
      );
      expect((answer.json as { id: string }).id).toBe(answer.headers['x-subject-token']);
      expect(answer.headers['content-type']).toBe(captured.headers.get('content-type'));
      expect(answer.headers.vary).toBe('Origin');
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{6}$/);
    },
  );

  test('echoes a request id that was sent', async () => {
    const cloud = await startCloud(platform);
    const headers = { ...jsonHeaders, 'X-Request-Id': 'mine' };
    const answer = await replay(cloud, 'token-password-Domain-upper', headers);
    expect(answer.headers['x-request-id']).toMatch(/^mine-[0-9a-f]{6}$/);
  });

  test.each([
    'token-wrong-password',
    'token-unknown-user',
    'token-methods-two',
    'token-body-empty',
    'token-by-token-bad',
    'token-by-aksk-wrong-secret',
  ])('is refused as %s was', async (name) => {
    expectSameError(await replay(await startCloud(platform), name), name);
  });

  test('is refused as token-no-content-type was', async () => {
    const name = 'token-no-content-type';
    expectSameError(await replay(await startCloud(platform), name, {}), name);
  });

  test('is refused as token-password-scope-domain was, for who has no role there', async () => {
    const cloud = await startCloud(platform);
    const { name, password, domain } = plainAccount;
    const identity = { methods: ['password'], password: { user: { name, password, domain } } };
    const answer = await postLogin(cloud, { identity, scope: { domain: { id: 'default' } } });
    expectSameError(answer, 'token-password-scope-domain');
  });
});

function loginByKey(cloud: SimulatedCloud): Promise<RawAnswer> {
  return postLogin(cloud, { identity: { methods: ['aksk'], access_key_secret: signLogin() } });
}

describe('the list of the running platform', () => {
  test('leaves a zero offset out', async () => {
    const cloud = await startCloud(platform);
    const token = await takeToken(cloud);
    const first = await getServers(cloud, token, 'scope=system&limit=3');
    const later = await getServers(cloud, token, 'scope=system&limit=3&offset=6');
    expect(Object.keys(listOf(first))).toEqual(
      Object.keys(capturedAnswer('servers-q__details_true_limit_3_scope_system').json),
    );
    expect(Object.keys(listOf(later))).toEqual(
      Object.keys(capturedAnswer('servers-limit_10_offset_70').json),
    );
    expect(first.headers['content-type']).toBe('application/json;charset=utf-8');
  });

  test('past its end is an empty page that still says its total', async () => {
    const cloud = await startCloud({ ...platform, servers: 77, showPendingDeleted: true });
    const answer = await getServers(cloud, await takeToken(cloud), 'scope=system&limit=10&offset=77');
    expect(shapeOf(answer.json)).toEqual(shapeOf(capturedAnswer('servers-limit_10_offset_77').json));
    expect(answer.json).toMatchObject({ servers: [], total: 77, limit: 10, offset: 77 });
  });

  test('of nothing is nothing but an empty list', async () => {
    const cloud = await startCloud(platform);
    const token = await takeToken(cloud, { project: { name: 'empty', domain: { id: 'default' } } });
    const answer = await getServers(cloud, token, 'details=true&limit=5');
    expect(answer.text).toBe(JSON.stringify(capturedAnswer('servers-empty-project').json));
  });

  test('shows the project of the token only, unless the system is asked for', async () => {
    const cloud = await startCloud({ ...platform, servers: 200, showPendingDeleted: true });
    const token = await takeToken(cloud);
    const own = listOf(await getServers(cloud, token, 'limit=200'));
    const all = listOf(await getServers(cloud, token, 'limit=200&scope=system'));
    const domain = listOf(await getServers(cloud, token, 'limit=200&scope=domain'));
    expect(new Set(own.servers.map(({ project }) => project))).toEqual(new Set(['system']));
    expect(new Set(domain.servers.map(({ domain_id }) => domain_id))).toEqual(new Set(['default']));
    expect(all.total).toBe(200);
  });

  test('hides the recycle bin unless it is asked for', async () => {
    const cloud = await startCloud({ ...platform, servers: 200 });
    const token = await takeToken(cloud);
    const total = async (query: string) =>
      listOf(await getServers(cloud, token, `scope=system&${query}`)).total;
    const binned = cloud.fleet.servers.filter((server) => server.pending_deleted).length;
    expect(binned).toBeGreaterThan(0);
    expect(await total('')).toBe(200 - binned);
    expect(await total('pending_delete=true')).toBe(binned);
    expect(await total('pending_delete=all')).toBe(200);
  });

  test('can be had oldest first', async () => {
    const cloud = await startCloud({ ...platform, showPendingDeleted: true });
    const token = await takeToken(cloud);
    const newest = listOf(await getServers(cloud, token, 'scope=system')).servers.map(({ id }) => id);
    const oldest = listOf(await getServers(cloud, token, 'scope=system&order=asc')).servers.map(
      ({ id }) => id,
    );
    expect(oldest).toEqual(newest.toReversed());
  });

  test('cuts a large limit only when there is more to send', async () => {
    const cloud = await startCloud({ ...platform, servers: 200, maximumPageSize: 50 });
    const token = await takeToken(cloud);
    expect(listOf(await getServers(cloud, token, 'scope=system&limit=5000')).limit).toBe(50);
    expect(listOf(await getServers(cloud, token, 'limit=5000')).limit).toBe(5000);
  });

  test('has on every server what every captured server has, and nothing that is neither documented nor captured', async () => {
    const cloud = await startCloud({ ...platform, servers: 400 });
    const { servers } = listOf(await getServers(cloud, await takeToken(cloud), 'scope=system'));
    const seen = capturedServers();
    const always = Object.keys(seen[0] ?? {}).filter((key) => seen.every((server) => key in server));
    const known = new Set([
      ...fieldTypes('Server\n', { names: 1, type: 0 }).keys(),
      ...seen.flatMap((server) => Object.keys(server)),
    ]);
    expect(always.length).toBeGreaterThan(30);
    for (const server of servers) {
      expect(always.filter((key) => !(key in server))).toEqual([]);
      expect(Object.keys(server).filter((key) => !known.has(key))).toEqual([]);
      expect(Object.values(server).filter((value) => value === null || value === '')).toEqual([]);
    }
  });

  test.each([
    ['servers-limit_abc', 'scope=system&limit=abc'],
    ['servers-invalid-token', 'details=true'],
    ['servers-unscoped-token', 'details=true'],
    ['servers-alice-scope_system', 'scope=system'],
  ])('is refused as %s was', async (name, query) => {
    const cloud = await startCloud(platform);
    const web = { project: { name: 'web', domain: { id: 'default' } } };
    const { password, name: user, domain } = plainAccount;
    const alice = { methods: ['password'], password: { user: { name: user, password, domain } } };
    const tokens: Record<string, () => Promise<string>> = {
      'servers-limit_abc': () => takeToken(cloud),
      'servers-invalid-token': async () => 'deadbeef',
      'servers-unscoped-token': () => takeToken(cloud, {}),
      'servers-alice-scope_system': async () =>
        String((await postLogin(cloud, { identity: alice, scope: web })).headers['x-subject-token']),
    };
    expectSameError(await getServers(cloud, (await tokens[name]?.()) ?? '', query), name);
  });

  test('quotes a refused token in its error', async () => {
    const answer = await getServers(await startCloud(platform), 'a-token-that-leaks');
    expect(answer.text).toContain('a-token-that-leaks');
  });
});

describe('one server of the running platform', () => {
  test('is refused as server-no-token and server-unknown-uuid were', async () => {
    const cloud = await startCloud(platform);
    const url = `${cloud.baseUrl}/servers/00000000-0000-4000-8000-000000000000`;
    expectSameError(await exchange({ url, headers: jsonHeaders }), 'server-no-token');
    const headers = { ...jsonHeaders, 'X-Auth-Token': await takeToken(cloud) };
    expectSameError(await exchange({ url, headers }), 'server-unknown-uuid');
  });

  test('is known to the administrator without a scope, and never scheduled it has no place', async () => {
    const cloud = await startCloud({ ...platform, servers: 60 });
    const lost = cloud.fleet.servers.find((server) => server.status === 'sched_fail');
    const headers = { 'X-Auth-Token': await takeToken(cloud) };
    const answer = await exchange({ url: `${cloud.baseUrl}/servers/${lost?.id}`, headers });
    const { server } = answer.json as { server: Record<string, unknown> };
    expect(server).toMatchObject({ status: 'sched_fail', brand: 'Unknown', provider: 'Unknown', disk: 0 });
    for (const field of ['zone', 'region', 'host', 'disks_info', 'project_id'])
      expect(server).not.toHaveProperty(field);
  });

  test('of another project is refused to a plain user', async () => {
    const cloud = await startCloud({ ...platform, servers: 60 });
    const identity = { methods: ['password'], password: { user: { ...plainAccount } } };
    const scope = { project: { name: 'web', domain: { id: 'default' } } };
    const token = String((await postLogin(cloud, { identity, scope })).headers['x-subject-token']);
    const foreign = cloud.fleet.servers.find(({ project }) => project !== 'web');
    const url = `${cloud.baseUrl}/servers/${foreign?.id}`;
    expect((await exchange({ url, headers: { 'X-Auth-Token': token } })).status).toBe(403);
  });
});

test('the running platform knows neither 201 nor a catalog for a token without a scope', async () => {
  const cloud = await startCloud(platform);
  const answer = await postLogin(cloud, { identity: passwordIdentity });
  expect(answer.status).toBe(200);
  expect((answer.json as { token: object }).token).not.toHaveProperty('catalog');
  expect((await postLogin(cloud, { identity: passwordIdentity, scope: projectScope })).status).toBe(200);
});
