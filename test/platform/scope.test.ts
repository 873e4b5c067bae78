import { describe, expect, it } from 'vitest';
import type { Token } from '../../src/identity/issue.ts';
import { createScopeChoice, type Scope } from '../../src/platform/scope.ts';
import {
  domainAccount,
  exporterAccount,
  listAccount,
  plainAccount,
  powerlessAccount,
  type Account,
} from '../../src/simulator/accounts.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';

const tokenOf = () => ({ widestScope: 'system' }) as unknown as Token;
const refusal = (allow: 'none' | 'user' | Scope) => ({ require: 'system', allow, query: 'system' }) as const;

describe('the choice of a scope', () => {
  it('is what a refusal allows, also for pages that were asked for beside the one that was refused first', () => {
    const scope = createScopeChoice([], silentLog);
    const token = tokenOf();
    for (const allow of ['none', 'user', 'system'] as const)
      expect(scope.narrow(token, refusal(allow), 'system'), allow).toBe(false);
    expect(scope.narrow(token, refusal('domain'), 'system')).toBe(true);
    expect(scope.narrow(token, refusal('domain'), 'system')).toBe(true);
    expect(scope.narrow(token, refusal('domain'), 'domain')).toBe(false);
    expect([scope.of(token), scope.of(tokenOf())]).toEqual(['domain', 'system']);
    expect(scope.narrow(token, refusal('project'), 'domain')).toBe(true);
    expect(scope.of(token)).toBe('project');
  });

  it('is not narrowed after a success until all is forgotten, but above what succeeded', () => {
    const scope = createScopeChoice([], silentLog);
    scope.narrow(tokenOf(), refusal('project'), 'system');
    const narrowed = tokenOf();
    scope.narrow(narrowed, refusal('domain'), 'system');
    scope.succeeded(narrowed);
    expect(scope.narrow(tokenOf(), refusal('domain'), 'system')).toBe(true);
    scope.succeeded(tokenOf());
    expect(scope.narrow(tokenOf(), refusal('domain'), 'system')).toBe(false);
    scope.forget();
    expect(scope.narrow(tokenOf(), refusal('domain'), 'system')).toBe(true);
  });
});

/** As that account, in the project where it may be. */
async function setUp(account: Account, query: Record<string, string> = {}) {
  const settings = {
    username: account.name,
    password: account.password,
    project_name: account.rights === 'system' ? 'system' : 'web',
    query: { pending_delete: 'all', ...query },
  };
  const exported = await exportCloud({ servers: 100, clock: createManualClock(), settings });
  const { servers } = exported.fleet;
  const inDomain = servers.filter(({ domain_id }) => domain_id === 'default');
  const counts = {
    system: servers.length,
    domain: inDomain.length,
    project: inDomain.filter(({ project }) => project === 'web').length,
  };
  return { ...exported, counts };
}

/** A refusal of everything wider, as the platform words it. */
function refuse(cloud: Awaited<ReturnType<typeof setUp>>['cloud'], scope: string, allow: string) {
  const details = `(require:${scope},allow:${allow},query:${scope})`;
  const body = { code: 403, class: 'ForbiddenError', details };
  return cloud.faults.set({
    operation: 'list',
    where: (parameters) => parameters.get('scope') === scope,
    fault: { kind: 'status', code: 403, body },
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
    expect(parsed.of('cloud_scope_info').map(({ labels, value }) => [labels['scope'], value])).toEqual([
      [scope, 1],
    ]);
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
    expect(parsed.value('cloud_scope_info', { scope: 'query' })).toBe(1);
  });

  it('is what the platform allows, in the same collection and with the same token, and it is said once', async () => {
    const { clock, cloud, exporter, scrape, counts } = await setUp(exporterAccount);
    const refused = refuse(cloud, 'system', 'domain');
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
    // What is wider is tried again with the next token.
    refused.clear();
    await clock.advance(2 * 86_400_000);
    const wider = await scrape();
    expect([cloud.journal.count('login'), wider.sum('cloud_servers')]).toEqual([2, counts.system]);
    expect(wider.value('cloud_scope_info', { scope: 'system' })).toBe(1);
  });

  it('is never less after a success: a refusal then fails the collection, and the last snapshot is served', async () => {
    const { clock, cloud, exporter, scrape, counts } = await setUp(exporterAccount);
    await scrape();
    const refused = refuse(cloud, 'system', 'domain');
    await clock.advance(60_000);
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(0);
    expect(parsed.sum('cloud_servers')).toBe(counts.system);
    expect(exporter.logged()).not.toContain('listing with scope=domain');
    refused.clear();
    await clock.advance(60_000);
    expect((await scrape()).value('cloud_up')).toBe(1);
  });

  it('is nothing for an account without any policy, which is a failure', async () => {
    const { scrape } = await setUp(powerlessAccount);
    const parsed = await scrape();
    expect(parsed.value('cloud_up')).toBe(0);
    expect(parsed.of('cloud_servers')).toEqual([]);
  });
});
