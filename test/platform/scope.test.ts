import { describe, expect, it } from 'vitest';
import type { Token } from '../../src/identity/issue.ts';
import { createScopeChoice } from '../../src/platform/scope.ts';
import {
  domainAccount,
  exporterAccount,
  listAccount,
  plainAccount,
  powerlessAccount,
  type Account,
} from '../simulator/accounts.ts';
import { exportCloud, failuresOf } from '../support/exported-cloud.ts';
import { createShortPauses } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

const nextTokenMs = 2 * 86_400_000;

/** As that account, in the project where it may be. */
async function setUp(account: Account, query: Record<string, string> = {}) {
  const settings = {
    username: account.name,
    password: account.password,
    project_name: account.rights === 'system' ? 'system' : 'web',
    query: { pending_delete: 'all', ...query },
  };
  const exported = await exportCloud({ servers: 100, clock: createShortPauses(), settings });
  const { servers } = exported.fleet;
  const inDomain = servers.filter(({ domain_id }) => domain_id === 'default');
  const counts = {
    system: servers.length,
    domain: inDomain.length,
    project: inDomain.filter(({ project }) => project === 'web').length,
  };
  return { ...exported, counts };
}

/** A refusal of that scope, as the platform words it: it may quote the token. */
function refuse(
  { faults, latestToken }: Awaited<ReturnType<typeof setUp>>['cloud'],
  allow: string,
  scope = 'system',
) {
  const words = `token ${latestToken}: not enough privilege to do compute:servers:list`;
  const details = `${words} (require:${scope},allow:${allow},query:${scope})`;
  return faults.set({
    operation: 'list',
    where: (parameters) => parameters.get('scope') === scope,
    fault: { kind: 'status', code: 403, body: { code: 403, class: 'ForbiddenError', details } },
  });
}

describe('what is listed', () => {
  it.each([
    ['system', exporterAccount],
    ['system', listAccount],
    ['domain', domainAccount],
    ['project', plainAccount],
  ] as const)('is the widest scope of the account, %s, and said in a metric', async (scope, account) => {
    const { cloud, scrape, counts } = await setUp(account);
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.sum('cloud_servers')).toBe(counts[scope]);
    expect(parsed.of('cloud_scope_info')).toMatchObject([{ labels: { scope }, value: 1 }]);
    expect(cloud.journal.count('login')).toBe(1);
  });

  it('is the own project if query says so, though the account may see all', async () => {
    const { cloud, scrape } = await setUp(exporterAccount, { scope: 'project' });
    const parsed = await scrape();
    const own = cloud.fleet.servers.filter(
      ({ project, domain_id }) => project === 'system' && domain_id === 'default',
    );
    expect(parsed.sum('cloud_servers')).toBe(own.length);
    const asked = cloud.journal.of('list').map(({ parameters }) => parameters.get('scope'));
    expect(new Set(asked)).toEqual(new Set(['project']));
  });

  it.each([
    ['system', 'system'],
    ['max', 'system'],
    ['domain', 'domain'],
    ['project', 'project'],
  ])('is what query names, scope=%s, and said as %s', async (word, scope) => {
    const { scrape } = await setUp(exporterAccount, { scope: word });
    expect((await scrape()).of('cloud_scope_info')).toMatchObject([{ labels: { scope }, value: 1 }]);
  });

  it('is what the platform allows, in the same collection and with the same token, and it is said once', async () => {
    const { clock, cloud, exporter, scrape, counts } = await setUp(exporterAccount);
    const refused = refuse(cloud, 'domain');
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(1);
    expect(parsed.sum('cloud_servers')).toBe(counts.domain);
    expect(parsed.value('cloud_scope_info', { scope: 'domain' })).toBe(1);
    expect(cloud.journal.count('login')).toBe(1);
    const hits = refused.hits;
    await clock.advance(60_000);
    await scrape();
    expect(refused.hits, 'not asked for again with this token').toBe(hits);
    const words = 'the account may not list with scope=system; listing with scope=domain';
    expect(exporter.logged().split(words)).toHaveLength(2);
  });

  it('is never less than what succeeded, whatever a passing refusal allows; after a reload it is decided anew', async () => {
    const { clock, cloud, exporter, scrape, counts } = await setUp(exporterAccount);
    async function expectAfter(ms: number, up: 0 | 1, servers: number): Promise<void> {
      await clock.advance(ms);
      const parsed = await scrape();
      expect([parsed.value('cloud_up'), parsed.sum('cloud_servers')]).toEqual([up, servers]);
    }
    refuse(cloud, 'domain');
    await expectAfter(0, 1, counts.domain);
    // What is above it may be refused to the next token, too.
    await expectAfter(nextTokenMs, 1, counts.domain);
    // Else the collection fails, and the last snapshot is served.
    refuse(cloud, 'project', 'domain');
    await expectAfter(60_000, 0, counts.domain);
    cloud.faults.clear();
    await expectAfter(nextTokenMs, 1, counts.system);
    refuse(cloud, 'domain');
    await expectAfter(60_000, 0, counts.system);
    expect(exporter.logged().split('; listing with scope=')).toHaveLength(2);
    await exporter.reload();
    await expectAfter(60_000, 1, counts.domain);
  });

  it.each([
    ['domain', 0, 'the account may see scope=domain at most; set query to scope=domain'],
    ['project', 0, 'the account may see scope=project at most; set query to scope=project'],
    // It may be the token that has no rights.
    ['none', 1, 'ForbiddenError'],
  ])('is nothing where query asks for more than %s: that costs %i logins', async (allow, logins, words) => {
    const { cloud, exporter, scrape } = await setUp(exporterAccount, { scope: 'system' });
    await scrape();
    const rule = refuse(cloud, allow);
    cloud.journal.clear();
    expect(failuresOf(await scrape())).toEqual({ forbidden: 1 });
    expect([cloud.journal.count('login'), rule.hits]).toEqual([logins, 1 + logins]);
    expect(exporter.logged()).toContain(words);
    cloud.faults.clear();
    expect((await scrape()).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('login'), 'the token is kept').toBe(logins);
  });

  it('is nothing for an account without any policy, which is a failure', async () => {
    const { scrape } = await setUp(powerlessAccount);
    const parsed = await scrape();
    expect([parsed.value('cloud_up'), parsed.of('cloud_servers')]).toEqual([0, []]);
  });
});

describe('a token that says less than has been proven', () => {
  type Widest = Token['widestScope'];
  const tokenOf = (widestScope: Widest) => ({ widestScope }) as Token;
  const choice = (proven: Widest, query: readonly [string, string][] = []) =>
    createScopeChoice(query, { proven, narrowed: undefined }, silentLog);

  it.each<[string, Widest, Widest, [string, string][], boolean]>([
    ['less', 'system', 'project', [], true],
    ['less, as a domain', 'system', 'domain', [], true],
    ['as much', 'domain', 'domain', [], false],
    ['more', 'domain', 'system', [], false],
    [
      'less, which is nothing to a scope that is configured',
      'system',
      'project',
      [['scope', 'system']],
      false,
    ],
  ])('%s is asked for once more', (_words, proven, widest, query, isNarrower) =>
    expect(choice(proven, query).isNarrower(tokenOf(widest))).toBe(isNarrower),
  );

  it('counts the second time', () => {
    const [scope, second] = [choice('system'), tokenOf('project')];
    scope.accept(second);
    expect([scope.isNarrower(second), scope.of(second)]).toEqual([false, 'project']);
    expect(scope.provenWith(second)).toEqual({ proven: 'project', narrowed: undefined });
  });
});
