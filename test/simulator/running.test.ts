import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  createGate,
  eventually,
  exchange,
  getServers,
  listOf,
  startCloud,
  takeToken,
} from './raw-request.ts';

describe('the journal', () => {
  test('has every request with what was sent and answered', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    await getServers(cloud, token, 'details=true&limit=5');
    await getServers(cloud, 'deadbeef');
    await exchange({ url: `${cloud.baseUrl}/nothing` });
    expect(
      cloud.journal.entries.map(({ operation, status, tokenState }) => [operation, status, tokenState]),
    ).toEqual([
      ['login', 201, 'missing'],
      ['list', 200, 'live'],
      ['list', 401, 'unknown'],
      ['other', 404, 'missing'],
    ]);
    expect(cloud.journal.of('list')[0]).toMatchObject({
      method: 'GET',
      path: '/compute/servers',
      query: { details: 'true', limit: '5' },
      tokenSent: token,
    });
    expect(cloud.journal.of('login')[0]?.body).toContain('"methods":["password"]');
    expect([cloud.journal.count(), cloud.journal.count('list')]).toEqual([4, 2]);
    expect(cloud.journal.usedDeadTokens).toEqual([]);
    cloud.journal.clear();
    expect(cloud.journal.count()).toBe(0);
  });

  test('knows how many were under way at once', async () => {
    const cloud = await startCloud();
    const token = await takeToken(cloud);
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.opened;
    const pages = [getServers(cloud, token), getServers(cloud, token), getServers(cloud, token)];
    await eventually(() => cloud.journal.count('list') === 3);
    gate.open();
    await Promise.all(pages);
    await getServers(cloud, token);
    expect(cloud.journal.mostAtOnce('list')).toBe(3);
    expect(cloud.journal.of('list').at(-1)?.atOnce).toBe(1);
  });
});

describe('the hooks', () => {
  test('let servers come and go between the pages', async () => {
    const cloud = await startCloud({ servers: 20 });
    const token = await takeToken(cloud);
    const pages: object[] = [];
    cloud.hooks.beforePage = (page) => {
      pages.push(page);
      if (page.offset > 0) cloud.fleet.create(1);
    };
    const first = listOf(await getServers(cloud, token, 'limit=10'));
    const second = listOf(await getServers(cloud, token, 'limit=10&offset=10'));
    expect(second.servers[0]?.id).toBe(first.servers[9]?.id);
    expect([first.total, second.total]).toEqual([20, 21]);
    expect(pages).toEqual([
      { offset: 0, limit: 10 },
      { offset: 10, limit: 10 },
    ]);
  });

  test('come before a login, and can be taken away', async () => {
    const cloud = await startCloud();
    let logins = 0;
    cloud.hooks.beforeLogin = () => {
      logins += 1;
    };
    await takeToken(cloud);
    cloud.hooks.beforeLogin = undefined;
    await takeToken(cloud);
    expect([logins, cloud.issuedTokens]).toEqual([1, 2]);
    expect(cloud.latestToken).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the quirks', () => {
  test('lie about the total, ignore the offset and spoil records', async () => {
    const cloud = await startCloud({ servers: 20 });
    const token = await takeToken(cloud);
    cloud.quirks.total = (real) => real + 100;
    expect(listOf(await getServers(cloud, token)).total).toBe(120);
    cloud.quirks.total = () => undefined;
    expect(listOf(await getServers(cloud, token))).not.toHaveProperty('total');
    cloud.quirks.total = undefined;
    cloud.quirks.ignoreOffset = true;
    const { servers, offset } = listOf(await getServers(cloud, token, 'limit=5&offset=10'));
    expect([servers[0]?.id, offset]).toEqual([cloud.fleet.servers[0]?.id, 10]);
    cloud.quirks.rewriteServer = ({ id }) => (id === cloud.fleet.servers[0]?.id ? 'not a server' : undefined);
    expect(listOf(await getServers(cloud, token)).servers).toEqual(['not a server']);
  });

  test('rewrite the token answer', async () => {
    const cloud = await startCloud();
    cloud.quirks.rewriteToken = ({ token }) => ({ token: { ...(token as object), catalog: [] } });
    const token = await takeToken(cloud);
    expect((await getServers(cloud, token)).status).toBe(200);
  });
});

test('a slow platform with one worker takes up the next list when the first is done', async () => {
  const cloud = await startCloud({ servers: 10, platformCost: { millisecondsPerServer: 0.1, workers: 1 } });
  const token = await takeToken(cloud);
  const gate = createGate();
  let begun = 0;
  cloud.hooks.beforePage = () => {
    begun += 1;
    return gate.opened;
  };
  const lists = [1, 2, 3].map(() => getServers(cloud, token));
  await eventually(() => cloud.journal.count('list') === 3);
  expect(begun).toBe(1);
  gate.open();
  expect((await Promise.all(lists)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(begun).toBe(3);
});

test('a connection is kept for the next request, without a promise how long', async () => {
  const cloud = await startCloud();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${cloud.baseUrl}/servers`;
  const first = await exchange({ url, agent });
  await exchange({ url, agent });
  expect(first.headers['keep-alive']).toBeUndefined();
  agent.destroy();
});
