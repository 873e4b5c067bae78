import { Agent, request as send } from 'node:http';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { ask, eventually, exchange, idsOf, jsonHeaders, list, startCloud, takeToken } from './raw-request.ts';

const target = 'servers?scope=system&pending_delete=all';

test('the journal has every request with what was sent and answered, and how many were under way', async () => {
  const cloud = await startCloud();
  const token = await takeToken(cloud);
  await ask(cloud, 'servers?details=true&limit=5', token);
  await ask(cloud, 'hosts?scope=system', 'deadbeef');
  await exchange({ url: `${cloud.baseUrl}/nothing` });
  const { journal } = cloud;
  expect(journal.entries.map(({ operation, status, tokenState }) => [operation, status, tokenState])).toEqual(
    [
      ['login', 200, 'missing'],
      ['list', 200, 'live'],
      ['hosts', 403, 'unknown'],
      ['other', 404, 'missing'],
    ],
  );
  const query = { details: 'true', limit: '5' };
  const asked = { method: 'GET', path: '/compute/servers', query, tokenSent: token };
  expect(journal.of('list')).toMatchObject([asked]);
  expect(journal.of('login')[0]?.body).toContain('"methods":["password"]');
  expect([journal.count(), journal.count('list'), journal.usedDeadTokens]).toEqual([4, 1, []]);
  journal.clear();
  expect(journal.count()).toBe(0);
  const gate = createGate();
  cloud.hooks.beforePage = () => gate.passed;
  const pages = [1, 2, 3].map(() => ask(cloud, target, token));
  await eventually(() => journal.count('list') === 3);
  gate.open();
  await Promise.all(pages);
  await ask(cloud, target, token);
  expect([journal.mostAtOnce('list'), journal.of('list').at(-1)?.atOnce]).toEqual([3, 1]);
});

test('hooks come before each statement of a list, know where its page begins, and may hold it back', async () => {
  const cloud = await startCloud();
  const seen: unknown[] = [];
  cloud.hooks.beforePage = (page, query) => void seen.push(['count', page, query.get('details')]);
  cloud.hooks.afterCount = (page) => void seen.push(['page', page]);
  cloud.hooks.beforeHosts = (page) => void seen.push(['hosts', page]);
  cloud.hooks.beforeLogin = () => void seen.push('login');
  await list(cloud, 'servers?limit=10&offset=20&details=false');
  const tenth = cloud.fleet.tables.servers.byId[9]!.id;
  await list(cloud, `servers?limit=10&order_by=id&order=asc&filter=id.gt("${tenth}")`);
  await list(cloud, 'hosts?limit=10&offset=20');
  const [byOffset, byId] = [20, 10].map((offset) => ({ offset, limit: 10 }));
  const first = ['login', ['count', byOffset, 'false'], ['page', byOffset]];
  const second = ['login', ['count', byId, null], ['page', byId]];
  expect(seen).toEqual([...first, ...second, 'login', ['hosts', byOffset]]);
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

test('what a list costs depends on its rows and their details, and goes on after the client has hung up', async () => {
  const gate = createGate();
  const waits: number[] = [];
  const wait = (milliseconds: number) => {
    waits.push(milliseconds);
    return waits.length < 3 ? Promise.resolve() : gate.passed;
  };
  const costs = { workers: 1, millisecondsPerServer: 4, millisecondsPerPlainServer: 0.5, wait };
  const cloud = await startCloud({ servers: 40, platformCost: costs });
  const token = await takeToken(cloud);
  for (const query of ['limit=10&field=id', 'details=false']) await ask(cloud, `${target}&${query}`, token);
  expect(waits).toEqual([40, 20]);
  expect(cloud.ledger.total).toMatchObject({ requests: 3, milliseconds: 60, rows: 50 });
  cloud.ledger.clear();
  const headers = { ...jsonHeaders, 'X-Auth-Token': token };
  const abandoned = send(`${cloud.baseUrl}/${target}&limit=7`, { headers, agent: false });
  abandoned.once('error', () => {}).end();
  await eventually(() => waits.length === 3);
  abandoned.destroy();
  // The next one has to wait for the only worker, who still works for nobody.
  const next = ask(cloud, `${target}&limit=3`, token);
  await eventually(() => cloud.journal.count('list') === 4);
  await takeToken(cloud);
  expect([waits.length, cloud.ledger.total.rows]).toEqual([3, 0]);
  gate.open();
  await next;
  expect(cloud.ledger.total).toMatchObject({ rows: 10, milliseconds: 40 });
});

test('a connection is kept, without a promise how long; an id that was sent comes back; some paths may be missing', async () => {
  const cloud = await startCloud({ without: ['hosts', 'zones'] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${cloud.baseUrl}/servers`;
  const first = await exchange({ url, agent, headers: { 'X-Request-Id': 'mine' } });
  await exchange({ url, agent });
  const id = expect.stringMatching(/^mine-[0-9a-f]{6}$/);
  expect([first.headers['keep-alive'], first.headers['x-request-id']]).toEqual([undefined, id]);
  agent.destroy();
  expect((await ask(cloud, 'hosts?scope=system')).status).toBe(404);
  expect(cloud.journal.count('hosts')).toBe(1);
  expect((await ask(cloud, 'storages?scope=system')).status).toBe(200);
});
