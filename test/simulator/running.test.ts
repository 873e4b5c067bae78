import { Agent, request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { measuredCost } from './cost.ts';
import { ask, eventually, exchange, idsOf, jsonHeaders, list, startCloud, takeToken } from './raw-request.ts';

const target = 'servers?scope=system&pending_delete=all';

describe('the journal', () => {
  test('has every request with what was sent and answered', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    await ask(cloud, 'servers?details=true&limit=5', token);
    await ask(cloud, 'hosts?scope=system', 'deadbeef');
    await exchange({ url: `${cloud.baseUrl}/nothing` });
    const told = cloud.journal.entries.map(({ operation, status, tokenState }) => [
      operation,
      status,
      tokenState,
    ]);
    expect(told).toEqual([
      ['login', 200, 'missing'],
      ['list', 200, 'live'],
      ['hosts', 403, 'unknown'],
      ['other', 404, 'missing'],
    ]);
    const asked = {
      method: 'GET',
      path: '/compute/servers',
      query: { details: 'true', limit: '5' },
      tokenSent: token,
    };
    expect(cloud.journal.of('list')).toMatchObject([asked]);
    expect(cloud.journal.of('login')[0]?.body).toContain('"methods":["password"]');
    expect([cloud.journal.count(), cloud.journal.count('list'), cloud.journal.usedDeadTokens]).toEqual([
      4,
      1,
      [],
    ]);
    cloud.journal.clear();
    expect(cloud.journal.count()).toBe(0);
  });

  test('knows how many were under way at once', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const pages = [1, 2, 3].map(() => ask(cloud, target, token));
    await eventually(() => cloud.journal.count('list') === 3);
    gate.open();
    await Promise.all(pages);
    await ask(cloud, target, token);
    expect([cloud.journal.mostAtOnce('list'), cloud.journal.of('list').at(-1)?.atOnce]).toEqual([3, 1]);
  });
});

test('hooks come before each statement of a list, know where its page begins, and may hold it back', async () => {
  const cloud = await startCloud();
  const seen: unknown[] = [];
  cloud.hooks.beforePage = (page, query) => void seen.push(['count', page, query.get('details')]);
  cloud.hooks.afterCount = (page) => void seen.push(['page', page]);
  cloud.hooks.beforeList = (operation) => void seen.push(operation);
  cloud.hooks.beforeLogin = () => void seen.push('login');
  await list(cloud, 'servers?limit=10&offset=20&details=false');
  const tenth = cloud.fleet.tables.servers.byId[9]!.id;
  await list(cloud, `servers?limit=10&order_by=id&order=asc&filter=id.gt("${tenth}")`);
  await list(cloud, 'zones?');
  const [byOffset, byId] = [
    { offset: 20, limit: 10 },
    { offset: 10, limit: 10 },
  ];
  expect(seen).toEqual([
    'login',
    'list',
    ['count', byOffset, 'false'],
    ['page', byOffset],
    'login',
    'list',
    ['count', byId, null],
    ['page', byId],
    'login',
    'zones',
  ]);
});

test('quirks lie about totals, ignore offsets and parameters, shorten pages and spoil records', async () => {
  const cloud = await startCloud({ servers: 20 });
  const [first] = cloud.fleet.servers;
  cloud.quirks.total = (real) => real + 100;
  cloud.quirks.hostTotal = (real) => real + 1;
  expect((await list(cloud, target)).total).toBe(120);
  const { total, rows } = await list(cloud, 'hosts?');
  expect(total).toBe(rows.length + 1);
  cloud.quirks.total = () => undefined;
  expect(await list(cloud, target)).not.toHaveProperty('total');
  Object.assign(cloud.quirks, { total: undefined, ignoreOffset: true });
  const page = await list(cloud, `${target}&limit=5&offset=10`);
  expect([idsOf(page)[0], page.offset]).toEqual([first!.id, 10]);
  Object.assign(cloud.quirks, { ignoreOffset: false, longestPage: 7 });
  expect(await list(cloud, target)).toMatchObject({ limit: 7, total: 20 });
  cloud.quirks.takeParameters = () => new URLSearchParams({ scope: 'system' });
  expect((await list(cloud, `${target}&filter=id.in(nobody)`)).rows).toHaveLength(7);
  cloud.quirks.takeParameters = undefined;
  cloud.quirks.rewriteServer = ({ id }) => (id === first!.id ? 'not a server' : undefined);
  expect((await list(cloud, target)).rows).toEqual(['not a server']);
  cloud.quirks.rewriteToken = ({ token }) => ({ token: { ...(token as object), catalog: [] } });
  expect((await ask(cloud, target)).status).toBe(200);
});

describe('what a list costs the platform', () => {
  const cost = {
    workers: 2,
    millisecondsPerServer: 4,
    millisecondsPerPlainServer: 0.5,
    millisecondsPerRequest: 1000,
    wait: async () => {},
  };

  test('depends on its rows, on whether they have details, and on what is searched and summed', async () => {
    const cloud = await startCloud({ servers: 40, platformCost: cost });
    const token = await takeToken(cloud);
    for (const query of ['limit=10', 'limit=10&field=id', 'details=false'])
      await ask(cloud, `${target}&${query}`, token);
    expect(cloud.ledger.of('detailed')).toMatchObject({
      requests: 2,
      milliseconds: 2 * (1000 + 10 * 4),
      rows: 20,
    });
    expect(cloud.ledger.of('plain')).toMatchObject({ requests: 1, milliseconds: 1000 + 40 * 0.5, rows: 40 });
    expect(cloud.ledger.of('login')).toMatchObject({ requests: 1, milliseconds: 0 });
    expect(cloud.ledger.total).toMatchObject({ requests: 4, milliseconds: 3100, rows: 60 });
    cloud.ledger.clear();
    expect(cloud.ledger.total.requests).toBe(0);
    const rates = { millisecondsPerSearchedRow: 0.5, millisecondsPerSummedRow: 2, millisecondsPerRequest: 0 };
    const older = await startCloud({ servers: 40, release: '3.10', platformCost: { ...cost, ...rates } });
    await ask(older, `${target}&limit=1&details=false`);
    expect(older.ledger.of('plain').milliseconds).toBe(0.5 + 40 * 0.5 + 40 * 2);
    const { millisecondsPerServer, millisecondsPerPlainServer = 0 } = measuredCost;
    expect(millisecondsPerPlainServer / millisecondsPerServer).toBeCloseTo(1 / 6, 1);
  });

  test('passes as the test wants it to, and goes on after the client has hung up', async () => {
    const gate = createGate();
    const waits: number[] = [];
    const wait = (milliseconds: number) => {
      waits.push(milliseconds);
      return gate.passed;
    };
    const cloud = await startCloud({ servers: 40, platformCost: { ...cost, workers: 1, wait } });
    const token = await takeToken(cloud);
    const headers = { ...jsonHeaders, 'X-Auth-Token': token };
    const abandoned = send(`${cloud.baseUrl}/${target}&limit=7`, { headers, agent: false });
    abandoned.once('error', () => {}).end();
    await eventually(() => waits.length === 1);
    abandoned.destroy();
    // The next one has to wait for the only worker, who still works for nobody.
    const next = ask(cloud, `${target}&limit=3`, token);
    await eventually(() => cloud.journal.count('list') === 2);
    await takeToken(cloud);
    expect([waits, cloud.ledger.total.rows]).toEqual([[1028], 0]);
    gate.open();
    await next;
    expect(cloud.ledger.abandoned).toMatchObject({ requests: 1, rows: 7, milliseconds: 1028 });
    expect(cloud.ledger.of('detailed')).toMatchObject({ requests: 2, rows: 10 });
  });
});

test('a connection is kept for the next request, without a promise how long; a request id that was sent comes back', async () => {
  const cloud = await startCloud();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${cloud.baseUrl}/servers`;
  const first = await exchange({ url, agent, headers: { 'X-Request-Id': 'mine' } });
  await exchange({ url, agent });
  expect([first.headers['keep-alive'], first.headers['x-request-id']]).toEqual([
    undefined,
    expect.stringMatching(/^mine-[0-9a-f]{6}$/),
  ]);
  agent.destroy();
});

test('the platform may be without some paths', async () => {
  const cloud = await startCloud({ without: ['hosts', 'zones'] });
  expect((await ask(cloud, 'hosts?scope=system')).status).toBe(404);
  expect(cloud.journal.count('hosts')).toBe(1);
  expect((await ask(cloud, 'storages?scope=system')).status).toBe(200);
});
