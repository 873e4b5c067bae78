import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { ask, eventually, exchange, startCloud, takeToken } from './raw-request.ts';

const target = 'servers?scope=system&pending_delete=all';

test('the journal has what was sent, and how many requests were under way', async () => {
  const cloud = await startCloud();
  const { journal } = cloud;
  const token = await takeToken(cloud);
  const gate = createGate();
  cloud.hooks.beforePage = () => gate.passed;
  const pages = [1, 2, 3].map(() => ask(cloud, target, token));
  await eventually(() => journal.count('list') === 3);
  gate.open();
  await Promise.all(pages);
  await ask(cloud, target, 'deadbeef');
  expect([journal.mostAtOnce('list'), journal.of('list').at(-1)?.atOnce]).toEqual([3, 1]);
  const sent = journal.entries.map(({ operation, tokenState }) => `${operation} ${tokenState}`);
  expect(sent).toEqual(['login missing', 'list live', 'list live', 'list live', 'list unknown']);
  const query = { scope: 'system', pending_delete: 'all' };
  expect(journal.of('list')[0]).toMatchObject({ path: '/compute/servers', query, tokenSent: token });
});

test('the ledger has what lists cost by their rows and details', async () => {
  const platformCost = { millisecondsPerServer: 4, millisecondsPerPlainServer: 0.5 };
  const cloud = await startCloud({ servers: 40, platformCost });
  const token = await takeToken(cloud);
  for (const query of ['limit=10&field=id', 'details=false']) await ask(cloud, `${target}&${query}`, token);
  expect(cloud.ledger.total).toMatchObject({ requests: 3, milliseconds: 60, rows: 50 });
});

test('a connection is kept, without a promise how long; an id that was sent comes back', async () => {
  const cloud = await startCloud();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'X-Request-Id': 'mine' };
  const { headers: told } = await exchange({ url: `${cloud.baseUrl}/servers`, agent, headers });
  agent.destroy();
  const id = expect.stringMatching(/^mine-[0-9a-f]{6}$/);
  expect([told.connection, told['keep-alive'], told['x-request-id']]).toEqual(['keep-alive', undefined, id]);
});
