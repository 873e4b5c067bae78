import { request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { CloudPlan } from './cloud.ts';
import { measuredCost } from './cost.ts';
import { createGate, eventually, getServers, jsonHeaders, startCloud, takeToken } from './raw-request.ts';

/** Costs that are told apart by their size, and nothing waits for. */
const cost = {
  workers: 2,
  millisecondsPerServer: 4,
  millisecondsPerPlainServer: 0.5,
  millisecondsPerRequest: 1000,
  wait: async () => {},
};

async function startCostly(platformCost: CloudPlan['platformCost'] = cost, servers = 40) {
  const cloud = await startCloud({
    release: '3.11',
    servers,
    platformCost,
    showPendingDeleted: true,
  });
  return { cloud, token: await takeToken(cloud) };
}

describe('what a list costs the platform', () => {
  test('depends on its rows, and on whether they have details', async () => {
    const { cloud, token } = await startCostly();
    const detailed = await getServers(cloud, token, 'scope=system&limit=10');
    await getServers(cloud, token, 'scope=system&limit=10&field=id');
    const plain = await getServers(cloud, token, 'scope=system&details=false');
    const ofDetailed = cloud.ledger.of('detailed');
    expect(ofDetailed).toMatchObject({ requests: 2, milliseconds: 2 * (1000 + 10 * 4), rows: 20 });
    expect(ofDetailed.bytes).toBeGreaterThan(detailed.text.length);
    expect(cloud.ledger.of('plain')).toEqual({
      requests: 1,
      milliseconds: 1000 + 40 * 0.5,
      rows: 40,
      bytes: Buffer.byteLength(plain.text),
    });
    expect(cloud.ledger.of('login')).toMatchObject({ requests: 1, milliseconds: 0 });
    expect(cloud.ledger.total).toMatchObject({ requests: 4, milliseconds: 3100, rows: 60 });
    cloud.ledger.clear();
    expect(cloud.ledger.total.requests).toBe(0);
  });

  test('grows with the cloud that is searched, and on 3.10 with the sums of every page', async () => {
    const rates = { millisecondsPerSearchedRow: 0.5, millisecondsPerSummedRow: 2, millisecondsPerRequest: 0 };
    const { cloud, token } = await startCostly({ ...cost, ...rates });
    await getServers(cloud, token, 'scope=system&filter=id.in(nobody)');
    expect(cloud.ledger.of('detailed').milliseconds).toBe(40 * 0.5);
    const older = await startCloud({ servers: 40, platformCost: { ...cost, ...rates } });
    const binned = older.fleet.servers.filter((server) => server.pending_deleted).length;
    await getServers(older, await takeToken(older), 'scope=system&limit=1&details=false');
    expect(older.ledger.of('plain').milliseconds).toBe(0.5 + 40 * 0.5 + (40 - binned) * 2);
  });

  test('is a sixth without details, as it was measured', () => {
    const { millisecondsPerServer, millisecondsPerPlainServer = 0 } = measuredCost;
    expect(millisecondsPerPlainServer / millisecondsPerServer).toBeCloseTo(1 / 6, 1);
  });

  test('passes as the test wants it to', async () => {
    const gate = createGate();
    const waits: number[] = [];
    const wait = (milliseconds: number) => {
      waits.push(milliseconds);
      return gate.opened;
    };
    const { cloud, token } = await startCostly({ ...cost, wait });
    const lists = [1, 2, 3].map(() => getServers(cloud, token, 'scope=system&limit=5'));
    await eventually(() => cloud.journal.count('list') === 3 && waits.length === 2);
    expect(waits).toEqual([1020, 1020]);
    expect(cloud.ledger.of('detailed').requests).toBe(0);
    gate.open();
    await Promise.all(lists);
    expect(cloud.ledger.of('detailed').requests).toBe(3);
  });
});

test('work goes on after the client has hung up', async () => {
  const gate = createGate();
  const { cloud, token } = await startCostly({ ...cost, workers: 1, wait: () => gate.opened });
  const abandoned = send(`${cloud.baseUrl}/servers?scope=system&limit=7`, {
    headers: { ...jsonHeaders, 'X-Auth-Token': token },
    agent: false,
  });
  abandoned.once('error', () => {}).end();
  await eventually(() => cloud.journal.count('list') === 1);
  abandoned.destroy();
  // The next one has to wait for the only worker, who still works for nobody.
  let answered = false;
  const next = getServers(cloud, token, 'scope=system&limit=3').then(() => {
    answered = true;
  });
  await eventually(() => cloud.journal.count('list') === 2);
  await takeToken(cloud);
  expect([answered, cloud.ledger.total.rows]).toEqual([false, 0]);
  gate.open();
  await next;
  expect(cloud.ledger.abandoned).toMatchObject({ requests: 1, rows: 7, milliseconds: 1028 });
  expect(cloud.ledger.of('detailed')).toMatchObject({ requests: 2, rows: 10 });
});
