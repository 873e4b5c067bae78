import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { minuteMs } from '../../src/simulator/answer.ts';
import { exporterAccount } from './accounts.ts';
import type { Fault } from './faults.ts';
import { ask, eventually, exchange, idsOf, list, passwordIdentity } from './raw-request.ts';
import { postLogin, projectScope, startCloud, startedAt, takeToken } from './raw-request.ts';
import type { RawAnswer, Row } from './raw-request.ts';

const target = 'servers?scope=system&pending_delete=all';

async function listWith(fault: Fault) {
  const cloud = await startCloud();
  const token = await takeToken(cloud);
  cloud.faults.set({ operation: 'list', fault });
  return { cloud, get: () => ask(cloud, target, token) };
}

async function loginWith(fault: Fault): Promise<RawAnswer> {
  const cloud = await startCloud();
  cloud.faults.set({ operation: 'login', fault });
  return postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
}

// What each fault makes of a client is the matrix of test/faults; here is what a client bears without a word.

test('the rules strike the page that they say, as often or as long as they say, in order', async () => {
  let nowMs = startedAt;
  const cloud = await startCloud({ now: () => nowMs });
  const token = await takeToken(cloud);
  const fail = (code: number) => ({ kind: 'status', code }) as const;
  const page = cloud.faults.set({ operation: 'list', page: 2, fault: fail(500) });
  const first = cloud.faults.set({ operation: 'list', times: 1, fault: fail(502) });
  cloud.faults.set({ operation: 'list', times: 1, fault: fail(503) });
  const status = async (query: string) => (await ask(cloud, `${target}&limit=10&${query}`, token)).status;
  const statuses = [];
  for (const offset of [20, 0, 0, 0, 19]) statuses.push(await status(`offset=${offset}`));
  expect(statuses).toEqual([500, 502, 503, 200, 500]);
  const twentieth = cloud.fleet.tables.servers.byId[19]!.id;
  expect(await status(`order_by=id&order=asc&filter=id.gt("${twentieth}")`)).toBe(500);
  expect([page.hits, first.hits]).toEqual([3, 1]);
  page.clear();
  expect(await status('offset=20')).toBe(200);
  cloud.faults.set({ operation: 'list', until: startedAt + 20 * minuteMs, fault: fail(504) });
  const later = [];
  for (nowMs of [0, 19, 20].map((minutes) => startedAt + minutes * minuteMs)) later.push(await status(''));
  expect(later).toEqual([504, 504, 200]);
});

test('an echo quotes the secrets that came with the request', async () => {
  for (const code of [200, 400]) {
    const login = await loginWith({ kind: 'echo', code });
    expect([login.status, login.json === undefined]).toEqual([code, code === 200]);
    expect(login.text).toContain(exporterAccount.password);
    const { cloud, get } = await listWith({ kind: 'echo', code });
    expect((await get()).text).toContain(cloud.latestToken);
  }
});

test('a connection fails only where it was used before, or is closed soon after', async () => {
  const cloud = await startCloud();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = { url: `${cloud.baseUrl}/servers?limit=1`, agent };
  const rule = cloud.faults.set({ operation: 'list', fault: { kind: 'reset', onlyReused: true } });
  expect((await exchange(request)).status).toBe(403);
  await expect(exchange(request)).rejects.toMatchObject({ code: 'ECONNRESET' });
  rule.clear();
  cloud.faults.set({ operation: 'list', fault: { kind: 'closeIdle' } });
  expect((await exchange(request)).headers.connection).toBe('keep-alive');
  await eventually(() => Object.keys(agent.freeSockets).length === 0);
  agent.destroy();
});

test('an answer announces no length, or a login lies: without its end, or by another clock', async () => {
  const { headers } = await (await listWith({ kind: 'chunked' })).get();
  expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
  const endOf = ({ json }: RawAnswer) => (json as { token: Row }).token['expires_at'];
  expect(endOf(await loginWith({ kind: 'noExpiry' }))).toBeUndefined();
  const skewed = await loginWith({ kind: 'clockSkew', byMs: 3_600_000 });
  const hence = new Date(startedAt + 3_600_000).toUTCString();
  expect([skewed.headers.date, endOf(skewed)]).toEqual([hence, '2026-11-16T01:00:00.000000Z']);
});

test('a lookup that fails leaves the ids to hosts; a list is cut short, and its total stays', async () => {
  const cloud = await startCloud({ servers: 60 });
  cloud.faults.set({ operation: 'hosts', times: 1, fault: { kind: 'halfTold', missing: 'place' } });
  const [without, hosts] = [await list(cloud, 'hosts'), await list(cloud, 'hosts')];
  expect(without.rows.some((row) => 'zone' in row || 'region' in row)).toBe(false);
  expect(without.rows.map(({ zone_id }) => zone_id)).toEqual(hosts.rows.map(({ zone_id }) => zone_id));
  cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'short', rows: 4 } });
  const [short, whole] = [await list(cloud, target), await list(cloud, target)];
  expect([short.total, idsOf(short)]).toEqual([60, idsOf(whole).slice(0, 4)]);
});

test('the ledger has what lists cost by their rows and details', async () => {
  const platformCost = { millisecondsPerServer: 4, millisecondsPerPlainServer: 0.5 };
  const cloud = await startCloud({ servers: 40, platformCost });
  const token = await takeToken(cloud);
  for (const query of ['limit=10&field=id', 'details=false']) await ask(cloud, `${target}&${query}`, token);
  expect(cloud.ledger.total).toEqual({ milliseconds: 60 });
});
