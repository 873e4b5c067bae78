import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { exporterAccount } from '../../src/simulator/accounts.ts';
import { createGate } from '../support/gate.ts';
import type { Fault, Missing } from './faults.ts';
import {
  ask,
  eventually,
  exchange,
  idsOf,
  list,
  listOf,
  passwordIdentity,
  postLogin,
} from './raw-request.ts';
import { projectScope, startCloud, startedAt, takeToken, type RawAnswer, type Row } from './raw-request.ts';

const target = 'servers?scope=system&pending_delete=all';

async function listWith(fault: Fault) {
  const cloud = await startCloud();
  const token = await takeToken(cloud);
  cloud.faults.set({ operation: 'list', fault });
  return { cloud, get: () => ask(cloud, target, token) };
}

const answerTo = async (fault: Fault) => (await listWith(fault)).get();

async function loginWith(fault: Fault): Promise<RawAnswer> {
  const cloud = await startCloud();
  cloud.faults.set({ operation: 'login', fault });
  return postLogin(cloud, { identity: passwordIdentity, scope: projectScope });
}

test('the rules strike the operation, the page, the parameters and the time, as often as they say, in order', async () => {
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
  const where = (parameters: URLSearchParams) => parameters.get('details') === 'false';
  cloud.faults.set({ operation: 'list', where, until: startedAt + 1000, fault: fail(504) });
  expect([await status('details=true'), await status('details=false')]).toEqual([200, 504]);
  nowMs += 1000;
  expect(await status('details=false')).toBe(200);
  const lists = ['hosts', 'storages', 'isolated_devices', 'zones', 'cloudregions'] as const;
  for (const operation of ['show', ...lists] as const) cloud.faults.set({ operation, fault: fail(418) });
  const others = ['servers/x', ...lists];
  for (const path of others) expect((await ask(cloud, `${path}?scope=system`, token)).status).toBe(418);
  cloud.faults.clear();
  for (const path of others) expect((await ask(cloud, `${path}?scope=system`, token)).status).not.toBe(418);
  expect(cloud.journal.entries.filter(({ fault }) => fault === 'status')).toHaveLength(12);
});

test('an answer in place of the real one is a status, a redirect, other JSON, no JSON, or a mass of garbage', async () => {
  const slow = await answerTo({ kind: 'status', code: 429, retryAfter: 3, body: { slow: 'down' } });
  expect([slow.status, slow.headers['retry-after'], slow.json]).toEqual([429, '3', { slow: 'down' }]);
  const elsewhere = await answerTo({ kind: 'redirect', location: 'http://elsewhere.invalid/' });
  expect([elsewhere.status, elsewhere.headers.location]).toEqual([302, 'http://elsewhere.invalid/']);
  expect((await answerTo({ kind: 'json', json: { servers: 'none' } })).json).toEqual({ servers: 'none' });
  const page = await answerTo({ kind: 'text', text: '<html>sign in</html>' });
  expect([page.text, page.headers['content-type']]).toEqual(['<html>sign in</html>', 'text/html']);
  const mass = await answerTo({ kind: 'garbage', megabytes: 2, chunked: true });
  expect([mass.text.length, mass.headers['content-length']]).toEqual([2_000_000, undefined]);
  for (const code of [200, 400]) {
    const login = await loginWith({ kind: 'echo', code });
    expect([login.status, login.json === undefined]).toEqual([code, code === 200]);
    expect(login.text).toContain(exporterAccount.password);
    const { cloud, get } = await listWith({ kind: 'echo', code });
    expect((await get()).text).toContain(cloud.latestToken);
  }
});

describe('a connection', () => {
  test.each<[Fault, RegExp]>([
    [{ kind: 'reset' }, /ECONNRESET/],
    [{ kind: 'hangUp' }, /ECONNRESET/],
    [{ kind: 'resetInBody', afterBytes: 1000 }, /ECONNRESET/],
    [{ kind: 'contentLength', byBytes: 100 }, /ECONNRESET/],
    [{ kind: 'contentLength', byBytes: -100 }, /^HPE_/],
  ])('fails: %o', async (fault, code) => {
    await expect(answerTo(fault)).rejects.toMatchObject({ code: expect.stringMatching(code) });
  });

  test('fails only where it was used before, if that is asked, and is closed soon after', async () => {
    const cloud = await startCloud();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const request = { url: `${cloud.baseUrl}/servers?limit=1`, agent };
    const rule = cloud.faults.set({ operation: 'list', fault: { kind: 'reset', onlyReused: true } });
    expect((await exchange(request)).status).toBe(403);
    await expect(exchange(request)).rejects.toMatchObject({ code: 'ECONNRESET' });
    rule.clear();
    cloud.faults.set({ operation: 'list', fault: { kind: 'closeIdle', afterMs: 0 } });
    expect((await exchange(request)).headers.connection).toBe('keep-alive');
    await eventually(() => Object.keys(agent.freeSockets).length === 0);
    agent.destroy();
  });

  test.each(['hang', 'hangInBody'] as const)(
    'hangs until a promise is kept, or the cloud is closed: %s',
    async (kind) => {
      const gate = createGate();
      const { cloud, get } = await listWith({ kind, afterBytes: 500, until: gate.passed });
      const pending = get();
      await eventually(() => cloud.journal.count('list') === 1);
      gate.open();
      expect((await pending).json).toMatchObject({ total: 30 });
      cloud.faults.clear();
      cloud.faults.set({ operation: 'list', fault: { kind, afterBytes: 500 } });
      const outcome = get().catch((error: NodeJS.ErrnoException) => error.code);
      await eventually(() => cloud.journal.of('list')[1]?.fault === kind);
      await cloud.close();
      expect(await outcome).toBe('ECONNRESET');
    },
  );

  test('drips, ends early, and announces nothing', async () => {
    let drops = 0;
    const drip = await answerTo({ kind: 'drip', bytes: 4096, pause: async () => void (drops += 1) });
    expect(listOf(drip).rows).toHaveLength(30);
    expect(drops).toBe(Math.ceil(Number(drip.headers['content-length']) / 4096));
    const short = await answerTo({ kind: 'truncated', keepBytes: 1234 });
    expect([short.headers['content-length'], short.text.length, short.json]).toEqual([
      '1234',
      1234,
      undefined,
    ]);
    const { headers } = await answerTo({ kind: 'chunked' });
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
  });
});

test('a login may lie: without the token, without its end, with an end that is past, by another clock', async () => {
  const endOf = ({ json }: RawAnswer) => (json as { token: Row }).token['expires_at'];
  const none = await loginWith({ kind: 'noSubjectToken' });
  expect([none.status, none.headers['x-subject-token'], (none.json as Row)['id']]).toEqual([
    200,
    undefined,
    undefined,
  ]);
  expect(endOf(await loginWith({ kind: 'noExpiry' }))).toBeUndefined();
  expect(endOf(await loginWith({ kind: 'expiredAlready', byMs: 5000 }))).toBe('2026-11-14T23:59:55.000000Z');
  const skewed = await loginWith({ kind: 'clockSkew', byMs: 3_600_000 });
  const hence = new Date(startedAt + 3_600_000).toUTCString();
  expect([skewed.headers.date, endOf(skewed)]).toEqual([hence, '2026-11-16T01:00:00.000000Z']);
});

describe('a lookup that fails', () => {
  const blank = { disk: 0, disk_count: 0, is_gpu: false };
  test.each<[Missing, string, string]>([
    ['host', 'host zone region brand host_service_status', 'host_id tenant ips'],
    ['hostState', 'host_status host_service_status', 'host zone'],
    ['place', 'zone region', 'host_id host tenant'],
    ['project', 'project tenant project_domain', 'tenant_id host'],
    ['domain', 'project_domain', 'domain_id project'],
    ['addresses', 'ips nics', 'host disks_info'],
    ['disks', 'disk disk_count disks_info', 'host is_gpu'],
    ['devices', 'isolated_devices is_gpu', 'disk host'],
  ])('leaves out the %s of all records of one answer, and nothing else', async (missing, lacks, kept) => {
    const cloud = await startCloud({ servers: 60 });
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'halfTold', missing } });
    const [half, whole] = [await list(cloud, target), await list(cloud, target)];
    expect(idsOf(half)).toEqual(idsOf(whole));
    for (const [position, row] of half.rows.entries()) {
      for (const field of lacks.split(' ')) expect(row[field]).toBe(blank[field as keyof typeof blank]);
      for (const field of kept.split(' ')) expect(row[field]).toEqual(whole.rows[position]![field]);
    }
    const [first = ''] = lacks.split(' ');
    expect(whole.rows.some((row) => row[first] !== undefined && row[first] !== 0)).toBe(true);
  });

  test('may be of some records, of several things, of hosts, and for minutes', async () => {
    let nowMs = startedAt;
    const cloud = await startCloud({ servers: 60, now: () => nowMs });
    const which = (position: number) => position === 2;
    const fault = { kind: 'halfTold', missing: ['host', 'project'], which } as const;
    cloud.faults.set({ operation: 'list', until: startedAt + 1, fault });
    cloud.faults.set({ operation: 'hosts', times: 1, fault: { kind: 'halfTold', missing: 'place' } });
    const half = await list(cloud, target);
    expect(half).toEqual(await list(cloud, target));
    nowMs += 1;
    const whole = await list(cloud, target);
    expect(half.rows.toSpliced(2, 1)).toEqual(whole.rows.toSpliced(2, 1));
    expect(['host', 'tenant', 'disk'].map((field) => field in half.rows[2]!)).toEqual([false, false, true]);
    const [without, hosts] = [await list(cloud, 'hosts'), await list(cloud, 'hosts')];
    expect(without.rows.some((row) => 'zone' in row || 'region' in row)).toBe(false);
    expect(without.rows.map(({ zone_id }) => zone_id)).toEqual(hosts.rows.map(({ zone_id }) => zone_id));
  });

  test('may cut the list short, whose total stays', async () => {
    const cloud = await startCloud();
    cloud.faults.set({ operation: 'list', times: 1, fault: { kind: 'short', rows: 4 } });
    const [short, whole] = [await list(cloud, target), await list(cloud, target)];
    expect([short.total, idsOf(short)]).toEqual([30, idsOf(whole).slice(0, 4)]);
  });
});
