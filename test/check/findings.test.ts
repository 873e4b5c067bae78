import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recipe } from '../../src/check/recipe.ts';
import { systemClock } from '../../src/clock.ts';
import type { Token } from '../../src/identity/issue.ts';
import { plainAccount } from '../simulator/accounts.ts';
import { createAuthority, selfSigned } from '../support/certificates.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { simulate } from '../support/simulated.ts';
import { checkAsJson } from './run-check.ts';

const dayMs = 86_400_000;

/** What a check of one cloud finds, and the reason for which it failed, if it did. */
async function findings(settings: object, clock = systemClock) {
  const { code, clouds } = await checkAsJson({ one: settings }, clock);
  const [{ failure, findings: found } = { findings: [] }] = clouds;
  for (const { what, cure } of found)
    for (const sentence of [what, cure]) expect(sentence).toMatch(/^[A-Z0-9a-z].*\.$/s);
  expect(code).toBe(failure ? 1 : 0);
  return { reason: failure?.reason, whats: found.map(({ what }) => what) };
}

const nothing = { reason: undefined, whats: [] };
/** Pauses between attempts are over at once. */
const hurried = () => createEagerClock((ms) => ms <= 1000);

function withoutProject(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !key.startsWith('project_')));
}

interface Finding {
  readonly plan?: Parameters<typeof simulate>[0];
  readonly spoil?: (cloud: Awaited<ReturnType<typeof simulate>>) => void;
  readonly settings?: object;
  readonly whats: readonly unknown[];
}

const endsIn = (days: number): Finding['plan'] => ({ passwordExpiresAt: Date.now() + days * dayMs });

const cases: Readonly<Record<string, Finding>> = {
  'nothing wrong with a healthy cloud': { plan: endsIn(15), whats: [] },
  'a password that ends soon': {
    plan: endsIn(5.5),
    whats: [expect.stringMatching(/^The password of this account expires in 5 days, on 20\S+Z\.$/)],
  },
  'a password that has ended': {
    plan: endsIn(-1),
    whats: [expect.stringMatching(/^The password of this account expired on 20\S+Z\.$/)],
  },
  'an empty list': { plan: { servers: 0 }, whats: ['The list is empty.'] },
  'lists beside the servers that the account may not have, or that fail': {
    spoil({ faults }) {
      for (const operation of ['hosts', 'cloudproviderregions'] as const)
        faults.set({ operation, fault: { kind: 'status', code: 403 } });
      faults.set({ operation: 'storages', fault: { kind: 'status', code: 500 } });
    },
    whats: [
      'The account may not list hosts, cloudproviderregions.',
      expect.stringMatching(/^These lists failed: storages \(upstream: GET \S+: status 500.*\)\.$/),
      '2 requests were made again (upstream).',
    ],
  },
  'records that were skipped, and a list that is a little short': {
    spoil({ fleet, quirks }) {
      quirks.total = (real) => real + 3;
      quirks.rewriteServer = (server) =>
        server['id'] === fleet.servers[0]!.id ? { ...server, disk: 'much' } : server;
    },
    whats: ['Records were skipped: 1 bad_number.', '30 servers arrived, the platform announced 33.'],
  },
  'labels that are empty on every server': {
    settings: {
      labels: { team: 'metadata.user:team', owner: 'metadata.user:onwer' },
      info_labels: { env: 'metadata.user:env', os: 'os_typ' },
    },
    whats: ['No server has a value for owner (metadata.user:onwer), os (os_typ).'],
  },
  'series that the budget leaves out': {
    settings: { per_server: true, series_limit: 300 },
    whats: [expect.stringMatching(/^series_limit \(300\) leaves out [1-9]\d* series\.$/)],
  },
};

describe('check finds', () => {
  it.each(Object.keys(cases))('%s', async (name) => {
    const { plan, spoil, settings, whats } = cases[name]!;
    const cloud = await simulate({ servers: 30, ...plan });
    spoil?.(cloud);
    expect(await findings(settingsFor(cloud, settings), hurried())).toEqual({ reason: undefined, whats });
  });

  it('a token without a scope, which is why the catalog is empty, but not one of a domain', async () => {
    const cloud = await simulate({ servers: 5 });
    const unscoped = withoutProject(settingsFor(cloud));
    expect(await findings({ ...unscoped, domain_name: 'Default' })).toEqual(nothing);
    const whats = [expect.stringContaining('The token has no scope')];
    expect(await findings(unscoped)).toEqual({ reason: 'endpoint', whats });
    const refused = await findings({ ...unscoped, base_url: cloud.baseUrl });
    expect(refused).toEqual({ reason: 'forbidden', whats });
  });

  it.each([
    [7_200_000, "The platform's clock is 7200 s ahead of the one here."],
    [-90_000, "The platform's clock is 90 s behind the one here."],
  ])('clocks that differ by %i ms', async (byMs, words) => {
    const now = Date.now();
    const cloud = await simulate({ servers: 5, now: () => now + byMs });
    const clock = { ...systemClock, now: () => now - (now % 1000) };
    const { whats } = await findings(settingsFor(cloud), clock);
    expect(whats).toEqual([words]);
  });

  it('an account that may not list anything, with the account that it should be', async () => {
    const cloud = await simulate({ servers: 5 });
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
    const { clouds } = await checkAsJson({ one: settingsFor(cloud) });
    const [found] = clouds[0]?.findings.filter(({ what }) => what.includes('may not list servers')) ?? [];
    expect(found?.what).toContain('half a minute');
    expect(found?.cure).toContain('log in with it to the project system');
  });

  const roles = [['admin'], ['exporter', 'project_owner'], ['exporter'], []];
  it.each(roles)('no policy is bound but to the role that the recipe makes: %s, %s', (...own) => {
    for (const project of ['system', 'web']) {
      const text = recipe(['hosts', 'storages'], { roles: own, project } as unknown as Token);
      const [, created] = /policy-create .* (\S+) \S+\.yaml/.exec(text) ?? [];
      const bound = [...text.matchAll(/policy-bind-role --role-id (\S+) --project-id (\S+) (\S+)/g)];
      expect(bound.map(([, ...words]) => words)).toEqual([['exporter', 'system', created]]);
      expect(text.includes('climc role-create')).toBe(own.join() !== 'exporter' || project !== 'system');
      expect(text.match(/\w+(?=:\\n {6}list: allow)/g)).toEqual(['hosts', 'storages']);
    }
  });

  it('the recipe is that of the handbook', () => {
    const page = readFileSync('docs/account.md', 'utf8');
    const text = recipe(['servers', 'hosts', 'storages', 'isolated_devices'], undefined);
    for (const [command] of text.matchAll(/^climc .*$/gm)) expect(page).toContain(command);
    expect(page).toContain('half a minute');
  });

  it('an account that sees one project only, unless that was asked for', async () => {
    const cloud = await simulate({ servers: 200 });
    const account = { username: plainAccount.name, password: plainAccount.password, project_name: 'web' };
    const narrow = { ...settingsFor(cloud, account), query: '' };
    expect((await findings(narrow)).whats).toEqual([
      'Only servers of one project, web are listed, and nothing beside them: the account may see no more.',
    ]);
    expect((await findings({ ...narrow, query: { scope: 'project' } })).whats).toEqual([]);
  });

  it('a login that travels unencrypted, but not within one machine', async () => {
    const isFound = async (auth_url: string) => {
      // Nobody listens there, so nothing travels.
      const settings = { auth_url, username: 'exporter', password: 'x', proxy_url: 'http://127.0.0.1:9' };
      const { whats } = await findings(settings, hurried());
      return whats.includes('The login travels unencrypted: auth_url starts with http://.');
    };
    for (const address of ['http://cloud.example.com:30500/v3', 'http://127.evil.example.com/v3'])
      expect(await isFound(address), address).toBe(true);
    for (const host of ['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'https://cloud.example.com'])
      expect(await isFound(`${host}:30500/v3`), host).toBe(false);
  });

  it('lists that take longer than Prometheus waits by default, with or without details', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now, monotonic: () => now };
    const cloud = await simulate({ servers: 30, now: clock.now });
    let secondsOfPlain = 12;
    cloud.hooks.beforePage = (_page, query) => {
      if (query.get('filter')?.startsWith('id.in')) return;
      now += 1000 * (query.get('details') === 'true' ? 12 : secondsOfPlain);
    };
    const found = async (more: object = {}) => (await findings(settingsFor(cloud, more), clock)).whats;
    const late = expect.stringMatching(/^The list took 1\d\.0 s, longer than Prometheus waits by default/);
    const dear = (kind: string) => expect.stringMatching(`^${kind} took 1\\d\\.0 s, most of it platform CPU`);
    expect(await found()).toEqual([late, dear('A list of 30 servers without details')]);
    expect(await found({ max_age: '5m' })).toEqual([late]);
    expect(await found({ details_max_age: 0 })).toEqual([late, dear('A detailed list of 30 servers')]);
    secondsOfPlain = 1;
    expect(await found()).toEqual([]);
  });
});

describeWith(['openssl'], 'check of a platform with a certificate of its own', () => {
  it.each([
    ['is self-signed', async () => ({ ca: await selfSigned() })],
    [
      'signed by a CA that is not known here',
      async () => {
        const ca = await createAuthority();
        return { ca, own: await ca.issue('platform') };
      },
    ],
  ] as const)('fails and names the cure, until it is trusted: %s', async (words, issue) => {
    const { ca, own: tls = ca } = { own: undefined, ...(await issue()) };
    const cloud = await simulate({ servers: 30, tls });
    const whats = [expect.stringContaining(words)];
    expect(await findings(settingsFor(cloud))).toEqual({ reason: 'tls', whats });
    expect(await findings(settingsFor(cloud, { cacert: ca.certFile }))).toEqual(nothing);
    expect((await findings(settingsFor(cloud, { insecure_skip_verify: true }))).whats).toEqual([
      expect.stringContaining("The platform's certificate is not verified"),
    ]);
  });
});
