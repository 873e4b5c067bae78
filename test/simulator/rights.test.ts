import { describe, expect, test } from 'vitest';
import { domainAccount, plainAccount, powerlessAccount } from '../../src/simulator/accounts.ts';
import type { Release } from '../../src/simulator/answer.ts';
import { capturedAnswer } from './captures.ts';
import { getServers, listOf, startCloud, takeToken, takeTokenOf } from './raw-request.ts';

const releases: readonly Release[] = ['3.10', '3.11', '4.0'];

describe.each(releases)('on %s, who asks for the system without the right', (release) => {
  test.each([
    ['alice', plainAccount],
    ['dom', domainAccount],
    ['bob', powerlessAccount],
  ])('is refused as %s was, word for word', async (name, account) => {
    const cloud = await startCloud({ release });
    const answer = await getServers(cloud, await takeTokenOf(cloud, account), 'scope=system&limit=1');
    const captured = capturedAnswer(`releases/${release}-403-${name}`);
    expect(answer.status).toBe(403);
    expect({ ...(answer.json as object), time: '' }).toEqual({ ...captured.json, time: '' });
  });

  test('is refused as the bad token was, but for the token that the text quotes', async () => {
    const cloud = await startCloud({ release });
    const answer = await getServers(cloud, 'nonsense', 'scope=system&limit=1');
    const captured = capturedAnswer(`releases/${release}-403-bad-token`).json;
    expect((answer.json as { details: string }).details).toBe(
      `${String(captured['details'])} [token "nonsense"]`,
    );
  });
});

test('each sees as much as its rights allow', async () => {
  const cloud = await startCloud({ servers: 300, showPendingDeleted: true });
  const total = async (token: string, query: string) => listOf(await getServers(cloud, token, query)).total;
  const { servers } = cloud.fleet;
  const inDomain = servers.filter(({ domain_id }) => domain_id === 'default').length;
  const inProject = servers.filter(
    ({ domain_id, project }) => domain_id === 'default' && project === 'web',
  ).length;
  const domain = await takeTokenOf(cloud, domainAccount);
  expect(await total(domain, 'scope=domain')).toBe(inDomain);
  expect(await total(domain, '')).toBe(inProject);
  const plain = await takeTokenOf(cloud, plainAccount);
  expect(await total(plain, 'scope=project')).toBe(inProject);
  expect((await getServers(cloud, plain, 'scope=domain')).status).toBe(403);
  const powerless = await getServers(cloud, await takeTokenOf(cloud, powerlessAccount), '');
  expect(powerless.text).toContain('(require:project,allow:none,query:project)');
});

test('a misspelt scope is the project of the token, and max is known from 3.11 on', async () => {
  const scopes = ['sytem', 'max', 'system', ''];
  const totalsOf = async (release: Release) => {
    const cloud = await startCloud({ release, servers: 300, showPendingDeleted: true });
    const token = await takeToken(cloud);
    const own = cloud.fleet.servers.filter(({ project }) => project === 'system').length;
    const lists = scopes.map((scope) => getServers(cloud, token, `scope=${scope}&limit=1`));
    return { own, totals: (await Promise.all(lists)).map((answer) => listOf(answer).total) };
  };
  const { own, totals } = await totalsOf('3.10');
  expect(totals).toEqual([own, own, 300, own]);
  expect((await totalsOf('3.11')).totals).toEqual([own, 300, 300, own]);
});

test('a plain user is not told what is for administrators', async () => {
  const cloud = await startCloud({ servers: 200 });
  const [server] = listOf(await getServers(cloud, await takeTokenOf(cloud, plainAccount), '')).servers;
  for (const field of ['is_system', 'is_emulated', 'deleted']) expect(server).not.toHaveProperty(field);
  const [known] = listOf(await getServers(cloud, await takeToken(cloud), '')).servers;
  expect(known).toMatchObject({ is_system: false, is_emulated: false, deleted: false });
});
