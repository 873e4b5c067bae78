import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { SimulatedCloud } from './cloud.ts';
import type { Fault } from './faults.ts';
import {
  createGate,
  eventually,
  exchange,
  getServers,
  jsonHeaders,
  listOf,
  passwordIdentity,
  postLogin,
} from './raw-request.ts';
import { projectScope, startCloud, startedAt, takeToken, type RawAnswer } from './raw-request.ts';

async function listWith(fault: Fault): Promise<{ cloud: SimulatedCloud; list: () => Promise<RawAnswer> }> {
  const cloud = await startCloud();
  const token = await takeToken(cloud);
  cloud.faults.set({ operation: 'list', fault });
  return { cloud, list: () => getServers(cloud, token) };
}

async function loginWith(fault: Fault): Promise<RawAnswer> {
  const cloud = await startCloud();
  cloud.faults.set({ operation: 'login', fault });
  return postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
}

describe('the rules', () => {
  test('strike the operation, the page and as often as they say, in their order', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const page = cloud.faults.set({ operation: 'list', page: 2, fault: { kind: 'status', code: 500 } });
    const first = cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code: 502 } });
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'status', code: 503 } });
    const status = async (offset: number) =>
      (await getServers(cloud, token, `limit=10&offset=${offset}`)).status;
    expect([await status(20), await status(0), await status(0), await status(0), await status(19)]).toEqual([
      500, 502, 503, 200, 500,
    ]);
    expect([page.hits, first.hits]).toEqual([2, 1]);
    page.clear();
    expect(await status(20)).toBe(200);
    cloud.faults.set({ operation: 'show', fault: { kind: 'status', code: 418 } });
    const show = { url: `${cloud.baseUrl}/servers/x`, headers: { ...jsonHeaders, 'X-Auth-Token': token } };
    expect((await exchange(show)).status).toBe(418);
    cloud.faults.clear();
    expect((await exchange(show)).status).toBe(404);
    expect(cloud.journal.entries.filter(({ fault }) => fault === 'status')).toHaveLength(5);
  });
});

describe('an answer in place of the real one', () => {
  test('a status, with Retry-After and a body', async () => {
    const { list } = await listWith({ kind: 'status', code: 429, retryAfter: 3, body: { slow: 'down' } });
    const answer = await list();
    expect([answer.status, answer.headers['retry-after'], answer.json]).toEqual([429, '3', { slow: 'down' }]);
  });

  test('a redirect', async () => {
    const answer = await (await listWith({ kind: 'redirect', location: 'http://elsewhere.invalid/' })).list();
    expect([answer.status, answer.headers.location]).toEqual([302, 'http://elsewhere.invalid/']);
  });

  test('other JSON, no JSON, and a mass of garbage', async () => {
    expect((await (await listWith({ kind: 'json', json: { servers: 'none' } })).list()).json).toEqual({
      servers: 'none',
    });
    const page = await (await listWith({ kind: 'text', text: '<html>sign in</html>' })).list();
    expect([page.text, page.headers['content-type']]).toEqual(['<html>sign in</html>', 'text/html']);
    expect((await (await listWith({ kind: 'garbage', megabytes: 2 })).list()).text).toHaveLength(2_000_000);
    const unannounced = await (await listWith({ kind: 'garbage', megabytes: 2, chunked: true })).list();
    expect([unannounced.text.length, unannounced.headers['content-length']]).toEqual([2_000_000, undefined]);
  });

  test.each([200, 400])('the request itself, quoted with every secret in it, as %i', async (code) => {
    const { password } = passwordIdentity.password.user;
    const login = await loginWith({ kind: 'echo', code });
    expect([login.status, login.json === undefined]).toEqual([code, code === 200]);
    expect(login.text).toContain(password);
    const { cloud, list } = await listWith({ kind: 'echo', code });
    expect((await list()).text).toContain(cloud.latestToken);
  });
});

describe('a connection without an answer', () => {
  test.each<Fault>([{ kind: 'reset' }, { kind: 'hangUp' }])('fails: $kind', async (fault) => {
    const { cloud, list } = await listWith(fault);
    await expect(list()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(cloud.journal.of('list')[0]?.status).toBeUndefined();
  });

  test('fails only where it was used before, if that is asked', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { ...jsonHeaders, 'X-Auth-Token': token };
    const request = { url: `${cloud.baseUrl}/servers?limit=1`, headers, agent };
    cloud.faults.set({ operation: 'list', fault: { kind: 'reset', onlyReused: true } });
    expect((await exchange(request)).status).toBe(200);
    await expect(exchange(request)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await exchange(request)).status).toBe(200);
    agent.destroy();
  });

  test('hangs until the cloud is closed', async () => {
    const { cloud, list } = await listWith({ kind: 'hang' });
    const outcome = list().catch((error: NodeJS.ErrnoException) => error.code);
    await eventually(() => cloud.journal.of('list')[0]?.fault === 'hang');
    await cloud.close();
    expect(await outcome).toBe('ECONNRESET');
  });

  test('hangs until a promise is kept, and is answered then', async () => {
    const gate = createGate();
    const { cloud, list } = await listWith({ kind: 'hang', until: gate.opened });
    const pending = list();
    await eventually(() => cloud.journal.count('list') === 1);
    expect(cloud.journal.of('list')[0]?.status).toBeUndefined();
    gate.open();
    expect((await pending).status).toBe(200);
  });
});

describe('an answer that goes wrong on its way', () => {
  test('breaks off inside the body', async () => {
    const { list } = await listWith({ kind: 'resetInBody', afterBytes: 1000 });
    await expect(list()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('hangs inside the body until a promise is kept', async () => {
    const gate = createGate();
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    cloud.faults.set({
      operation: 'list',
      fault: { kind: 'hangInBody', afterBytes: 500, until: gate.opened },
    });
    const sizes: number[] = [];
    const answer = await exchange({
      url: `${cloud.baseUrl}/servers`,
      headers: { ...jsonHeaders, 'X-Auth-Token': token },
      onBytes(bytes) {
        sizes.push(bytes.length);
        gate.open();
      },
    });
    expect(sizes[0]).toBe(500);
    expect(listOf(answer).total).toBe(30);
  });

  test('hangs inside the body until the cloud is closed', async () => {
    const { cloud, list } = await listWith({ kind: 'hangInBody', afterBytes: 500 });
    const outcome = list().catch((error: NodeJS.ErrnoException) => error.code);
    await eventually(() => cloud.journal.of('list')[0]?.status === 200);
    await cloud.close();
    expect(await outcome).toBe('ECONNRESET');
  });

  test('drips', async () => {
    let drops = 0;
    const pause = async () => void (drops += 1);
    const { list } = await listWith({ kind: 'drip', bytes: 4096, pause });
    const answer = await list();
    expect(listOf(answer).servers).toHaveLength(30);
    expect(drops).toBe(Math.ceil(Number(answer.headers['content-length']) / 4096));
  });

  test('is cut short with a Content-Length that agrees', async () => {
    const answer = await (await listWith({ kind: 'truncated', keepBytes: 1234 })).list();
    expect([answer.headers['content-length'], answer.text.length, answer.json]).toEqual([
      '1234',
      1234,
      undefined,
    ]);
  });

  test('has a Content-Length that is too short', async () => {
    const { list } = await listWith({ kind: 'contentLength', byBytes: -100 });
    await expect(list()).rejects.toMatchObject({ code: expect.stringMatching(/^HPE_/) });
  });

  test('has a Content-Length that is too long', async () => {
    const { list } = await listWith({ kind: 'contentLength', byBytes: 100 });
    await expect(list()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('has no Content-Length', async () => {
    const { headers, json } = await (await listWith({ kind: 'chunked' })).list();
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
    expect(json).toMatchObject({ total: 30 });
  });

  test('is whole, and its connection is closed soon after, unannounced', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const agent = new Agent({ keepAlive: true });
    cloud.faults.set({ operation: 'list', fault: { kind: 'closeIdle', afterMs: 0 } });
    const headers = { ...jsonHeaders, 'X-Auth-Token': token };
    const answer = await exchange({ url: `${cloud.baseUrl}/servers`, headers, agent });
    expect([answer.status, answer.headers.connection]).toEqual([200, 'keep-alive']);
    await eventually(() => Object.keys(agent.freeSockets).length === 0);
    agent.destroy();
  });
});

describe('a login that lies', () => {
  test('without the token', async () => {
    const answer = await loginWith({ kind: 'noSubjectToken' });
    expect([answer.status, answer.headers['x-subject-token']]).toEqual([201, undefined]);
    expect(answer.json).not.toHaveProperty('id');
  });

  test('without the expiry', async () => {
    expect(tokenOf(await loginWith({ kind: 'noExpiry' }))).not.toHaveProperty('expires_at');
  });

  test('with an expiry in the past', async () => {
    const { expires_at } = tokenOf(await loginWith({ kind: 'expiredAlready', byMs: 5000 }));
    expect(expires_at).toBe('2026-11-14T23:59:55.000000Z');
  });

  test('with another clock', async () => {
    const answer = await loginWith({ kind: 'clockSkew', byMs: 3_600_000 });
    expect(answer.headers.date).toBe(new Date(startedAt + 3_600_000).toUTCString());
    expect(tokenOf(answer).expires_at).toBe('2026-11-16T01:00:00.000000Z');
  });
});

function tokenOf({ json }: RawAnswer): { expires_at?: string } {
  return (json as { token: { expires_at?: string } }).token;
}
