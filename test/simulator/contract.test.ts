import { describe, expect, test } from 'vitest';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { fieldTypes, hasType, tableUnder } from './document-tables.ts';
import { exchange, getServers, jsonHeaders, listOf, passwordIdentity, postLogin } from './raw-request.ts';
import { projectScope, startCloud, takeToken } from './raw-request.ts';

const serverFields = fieldTypes('Server\n', { names: 1, type: 0 });
const nested = {
  disks_info: fieldTypes('Disk object', { names: 0, type: 1 }),
  isolated_devices: fieldTypes('Isolated device object', { names: 0, type: 1 }),
  nics: fieldTypes('NIC object', { names: 0, type: 1 }),
  secgroups: fieldTypes('Security group object', { names: 0, type: 1 }),
};

function misfits(record: Record<string, unknown>, fields: Map<string, string>): string[] {
  const wrong = [...fields].filter(([name, type]) => !hasType(record[name], type)).map(([name]) => name);
  const unknown = Object.keys(record).filter((name) => !fields.has(name));
  return [...wrong, ...unknown];
}

describe('the server object of the document', () => {
  test('has 106 fields, and every server has exactly those, each of its type', async () => {
    const cloud = await startCloud({ servers: 600 });
    const { servers } = listOf(
      await getServers(cloud, await takeToken(cloud), 'details=true&with_meta=true'),
    );
    expect(serverFields.size).toBe(106);
    expect(servers).toHaveLength(600);
    expect(servers.flatMap((server) => misfits(server, serverFields))).toEqual([]);
  });

  test.each(Object.entries(nested))('%s holds exactly the documented elements', async (field, fields) => {
    const cloud = await startCloud({ servers: 600 });
    const { servers } = listOf(await getServers(cloud, await takeToken(cloud)));
    const elements = servers.flatMap((server) => server[field] as Record<string, unknown>[]);
    expect(elements.length).toBeGreaterThan(10);
    expect(elements.flatMap((element) => misfits(element, fields))).toEqual([]);
  });

  test('is about 4.4 KB of JSON', () => {
    const { servers } = createFleet({ servers: 500 });
    const bytes = Buffer.byteLength(JSON.stringify(servers)) / servers.length;
    expect(Math.abs(bytes - 4400)).toBeLessThan(250);
  });

  test('is shown alone under one key', async () => {
    const cloud = await startCloud();
    const id = cloud.fleet.servers[3]?.id;
    const headers = { ...jsonHeaders, 'X-Auth-Token': await takeToken(cloud) };
    const answer = await exchange({ url: `${cloud.baseUrl}/servers/${id}`, headers });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ server: cloud.fleet.servers[3] });
  });
});

describe('the list of the document', () => {
  test('answers limit, offset, servers and total, and the documented headers', async () => {
    const cloud = await startCloud();
    const answer = await getServers(cloud, await takeToken(cloud), 'details=true&limit=7&offset=14');
    expect(Object.keys(listOf(answer))).toEqual(['limit', 'offset', 'servers', 'total']);
    expect(answer.json).toMatchObject({ limit: 7, offset: 14, total: 30 });
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(answer.headers['x-request-id']).toMatch(/.+/);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  test('includes the metadata only when it is asked for', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const plain = listOf(await getServers(cloud, token)).servers[0];
    const full = listOf(await getServers(cloud, token, 'details=true&with_meta=true')).servers[0];
    expect(plain).not.toHaveProperty('metadata');
    expect(full?.metadata).toHaveProperty('login_key');
  });

  test('has only columns without details', async () => {
    const cloud = await startCloud();
    const { servers } = listOf(await getServers(cloud, await takeToken(cloud), 'details=false'));
    expect(servers[0]).toMatchObject({ hypervisor: expect.any(String), vcpu_count: expect.any(Number) });
    for (const field of ['zone', 'region', 'project', 'host', 'disk', 'nics', 'metadata', 'is_gpu']) {
      expect(servers[0]).not.toHaveProperty(field);
    }
  });

  test('cuts a limit above the maximum, and says so', async () => {
    const cloud = await startCloud({ maximumPageSize: 10 });
    const list = listOf(await getServers(cloud, await takeToken(cloud), 'limit=5000'));
    expect(list).toMatchObject({ limit: 10, total: 30 });
    expect(list.servers).toHaveLength(10);
  });

  test.each([
    ['without a token', {}, 401],
    ['with a token nobody issued', { 'X-Auth-Token': 'deadbeef' }, 401],
  ])('refuses a request %s', async (_, headers, status) => {
    const cloud = await startCloud();
    const answer = await exchange({
      url: `${cloud.baseUrl}/servers`,
      headers: { ...jsonHeaders, ...headers },
    });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ class: 'UnauthorizedError', code: status });
  });

  test('refuses an expired token, a revoked one and one without a scope', async () => {
    let now = 0;
    const cloud = await startCloud({ now: () => now, tokenLifetimeSeconds: 60 });
    const token = await takeToken(cloud);
    now = 59_999;
    expect((await getServers(cloud, token)).status).toBe(200);
    now = 60_000;
    expect((await getServers(cloud, token)).status).toBe(401);
    expect(cloud.journal.usedDeadTokens).toHaveLength(1);
    const revoked = await takeToken(cloud);
    cloud.revokeTokens();
    expect((await getServers(cloud, revoked)).status).toBe(401);
    expect((await getServers(cloud, await takeToken(cloud, {}))).status).toBe(403);
  });

  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'PATCH'])('refuses %s', async (method) => {
    const cloud = await startCloud();
    const headers = { ...jsonHeaders, 'X-Auth-Token': await takeToken(cloud) };
    for (const path of ['/servers', '/servers/some-id']) {
      const answer = await exchange({ url: cloud.baseUrl + path, method, headers });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
    }
  });

  test('insists on its Content-Type, and on numbers where it wants numbers', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const bare = await exchange({ url: `${cloud.baseUrl}/servers`, headers: { 'X-Auth-Token': token } });
    expect(bare.status).toBe(400);
    for (const query of ['limit=abc', 'limit=-1', 'offset=x', 'details=yes']) {
      expect((await getServers(cloud, token, query)).status).toBe(400);
    }
  });

  test('knows no server by an unknown id, and no other path', async () => {
    const cloud = await startCloud();
    const headers = { ...jsonHeaders, 'X-Auth-Token': await takeToken(cloud) };
    const unknown = `${cloud.baseUrl}/servers/00000000-0000-4000-8000-000000000000`;
    expect((await exchange({ url: unknown, headers })).status).toBe(404);
    expect((await exchange({ url: `${cloud.baseUrl}/hosts`, headers })).status).toBe(404);
  });
});

describe('the token answer of the document', () => {
  test('has every documented key in the documented spelling', async () => {
    const cloud = await startCloud();
    const answer = await postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
    const { token } = answer.json as { token: Record<string, unknown> };
    expect(Object.keys(answer.json as object)).toEqual(['token']);
    expect(new Set(Object.keys(token))).toEqual(new Set(tableUnder('Token object').map(([name]) => name)));
    const domain = { id: expect.any(String), name: expect.any(String) };
    const project = { Domain: domain, Id: expect.any(String), Name: expect.any(String) };
    const party = { domain, id: expect.any(String), name: expect.any(String) };
    expect(token).toMatchObject({
      access_key: { AccessKey: expect.any(String), expire: expect.any(Number), secret: expect.any(String) },
      context: { ip: expect.any(String), source: expect.any(String) },
      policies: { Domain: expect.any(Array), Project: expect.any(Array), System: expect.any(Array) },
      project,
      user: {
        ...project,
        Displayname: expect.any(String),
        Email: expect.any(String),
        Mobile: expect.any(String),
      },
    });
    expect(token.projects).toContainEqual(project);
    expect(token.role_assignments).toContainEqual({
      group: party,
      role: party,
      user: party,
      policies: { domain: [], project: [], system: ['sysadmin'] },
      scope: { domain, project: party },
    });
    const times = [
      token.expires_at,
      token.issued_at,
      (token.user as Record<string, unknown>).PasswordExpiresAt,
    ];
    expect(times.every((time) => typeof time === 'string' && hasType(time, 'timestamp'))).toBe(true);
  });

  test('is 201 with the documented headers', async () => {
    const cloud = await startCloud();
    const { status, headers } = await postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
    expect(status).toBe(201);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': expect.stringMatching(/^\d+$/),
      'x-subject-token': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-platform-request-id': expect.stringMatching(/^req-[0-9a-f-]{36}$/),
      'x-request-id': expect.any(String),
      vary: 'X-Auth-Token',
      date: 'Sun, 15 Nov 2026 00:00:00 GMT',
    });
  });

  test('advertises the compute endpoint in a catalog whose order changes', async () => {
    const cloud = await startCloud();
    const orders = new Set<string>();
    for (let turn = 0; turn < 8; turn += 1) {
      const answer = await postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
      const { catalog } = (answer.json as { token: { catalog: { type: string; name: string }[] } }).token;
      orders.add(catalog.map(({ type }) => type).join());
      expect(catalog).toContainEqual({
        id: expect.any(String),
        name: 'region2',
        type: 'compute_v2',
        endpoints: expect.arrayContaining([
          expect.objectContaining({ interface: 'public', region_id: 'region0', url: cloud.baseUrl }),
          expect.objectContaining({ interface: 'internal', region_id: 'region0' }),
        ]),
      });
    }
    expect(orders.size).toBeGreaterThan(1);
  });
});
