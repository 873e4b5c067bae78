import { describe, expect, it } from 'vitest';
import { findingsOf, type Facts } from '../../src/check/findings.ts';
import { check } from '../../src/check/check.ts';
import { systemClock } from '../../src/clock.ts';
import { plainAccount } from '../../src/simulator/accounts.ts';
import { createAuthority, selfSigned } from '../support/certificates.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { describeWith } from '../support/real-parts.ts';
import { silentLog } from '../support/silent-log.ts';
import { settingsFor } from '../support/settings.ts';
import { configOf, simulate } from '../support/simulated.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Document {
  readonly clouds: readonly {
    readonly failure?: { readonly reason: string };
    readonly findings: readonly { readonly what: string; readonly cure: string }[];
  }[];
}

/** What a check of one cloud finds, and the reason for which it failed, if it did. */
async function findings(settings: object, clock = systemClock) {
  const config = await configOf({ one: settings });
  const written: string[] = [];
  const code = await check({
    loadConfig: async () => config,
    version: '0.0.0-test',
    asJson: true,
    clock,
    log: silentLog,
    write: (text) => void written.push(text),
    progress: { isWatched: false, write: () => undefined },
  });
  const [cloud] = (JSON.parse(written.join('')) as Document).clouds;
  for (const { what, cure } of cloud!.findings)
    for (const sentence of [what, cure]) expect(sentence).toMatch(/^[A-Z0-9a-z].*\.$/s);
  expect(code).toBe(cloud!.failure ? 1 : 0);
  return { reason: cloud!.failure?.reason, whats: cloud!.findings.map(({ what }) => what) };
}

function withoutProject(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !key.startsWith('project_')));
}

async function findingsAbout(auth_url: string): Promise<string[]> {
  const { clouds } = await configOf({ one: { auth_url, username: 'exporter', password: 'x' } });
  const nothing = {
    token: undefined,
    view: undefined,
    series: undefined,
    failure: undefined,
    plainSeconds: undefined,
  };
  const facts: Facts = { config: clouds[0]!, ...nothing, retries: [], now: 0 };
  return findingsOf(facts).map(({ what }) => what);
}

describe('check finds', () => {
  it('nothing wrong with a healthy cloud', async () => {
    expect(await findings(settingsFor(await simulate({ servers: 40 })))).toEqual({
      reason: undefined,
      whats: [],
    });
  });

  it('a token without a scope, which is why the catalog is empty', async () => {
    const cloud = await simulate({ servers: 5 });
    const unscoped = withoutProject(settingsFor(cloud));
    expect(await findings(unscoped)).toEqual({
      reason: 'endpoint',
      whats: [expect.stringContaining('The token has no scope')],
    });
    const refused = await findings({ ...unscoped, base_url: cloud.baseUrl });
    expect(refused).toMatchObject({ reason: 'forbidden', whats: [expect.stringContaining('no scope')] });
  });

  it('no fault in a token whose scope is a domain', async () => {
    const cloud = await simulate({ servers: 40 });
    const unscoped = withoutProject(settingsFor(cloud));
    expect(await findings({ ...unscoped, domain_name: 'Default' })).toEqual({ reason: undefined, whats: [] });
  });

  it.each([
    [2 * hourMs, "The platform's clock is 7200 s ahead of the one here."],
    [-90_000, "The platform's clock is 90 s behind the one here."],
  ])('clocks that differ by %i ms', async (byMs, words) => {
    const now = Date.now();
    const cloud = await simulate({ servers: 5, now: () => now + byMs });
    const clock = { ...systemClock, now: () => now - (now % 1000) };
    const { whats } = await findings(settingsFor(cloud), clock);
    expect(whats).toEqual([words]);
  });

  it.each([
    [5.5 * dayMs, [expect.stringMatching(/^The password of this account expires in 5 days, on 20\S+Z\.$/)]],
    [-dayMs, [expect.stringMatching(/^The password of this account expired on 20\S+Z\.$/)]],
    [15 * dayMs, []],
  ])('a password that ends in %i ms', async (leftMs, whats) => {
    const cloud = await simulate({ servers: 5, passwordExpiresAt: Date.now() + leftMs });
    expect(await findings(settingsFor(cloud))).toEqual({ reason: undefined, whats });
  });

  it('an account that sees one project only, unless that was asked for', async () => {
    const cloud = await simulate({ servers: 200 });
    const account = { username: plainAccount.name, password: plainAccount.password, project_name: 'web' };
    const narrow = { ...settingsFor(cloud, account), query: '' };
    expect((await findings(narrow)).whats).toEqual([
      'Only servers of one project, web are listed: the account may see no more. Hosts, storages and devices are not listed.',
    ]);
    expect((await findings({ ...narrow, query: { scope: 'project' } })).whats).toEqual([]);
  });

  it('an empty list', async () => {
    const cloud = await simulate({ servers: 0 });
    expect((await findings(settingsFor(cloud))).whats).toEqual(['The list is empty.']);
  });

  it('lists beside the servers that the account may not have, or that fail', async () => {
    const cloud = await simulate({ servers: 20 });
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 } });
    cloud.faults.set({ operation: 'isolated_devices', fault: { kind: 'status', code: 403 } });
    cloud.faults.set({ operation: 'storages', fault: { kind: 'status', code: 500 } });
    const clock = createEagerClock((ms) => ms < 1000);
    expect((await findings(settingsFor(cloud), clock)).whats).toEqual([
      'The account may not list hosts, isolated_devices.',
      expect.stringMatching(/^These lists failed: storages \(upstream: GET \S+: status 500.*\)\.$/),
      '2 requests were made again (upstream).',
    ]);
  });

  it('records that were skipped, and a list that is a little short', async () => {
    const cloud = await simulate({ servers: 30 });
    cloud.quirks.total = (real) => real + 3;
    cloud.quirks.rewriteServer = (server) =>
      server['id'] === cloud.fleet.servers[0]!.id ? { ...server, disk: 'much' } : server;
    expect((await findings(settingsFor(cloud))).whats).toEqual([
      'Records were skipped: 1 bad_number.',
      '30 servers arrived, the platform announced 33.',
    ]);
  });

  it('labels that are empty on every server', async () => {
    const cloud = await simulate({ servers: 30 });
    const labels = { team: 'metadata.user:team', owner: 'metadata.user:onwer', os: 'os_typ' };
    expect((await findings(settingsFor(cloud, { labels }))).whats).toEqual([
      'No server has a value for owner (metadata.user:onwer), os (os_typ).',
    ]);
  });

  it('series that the budget leaves out', async () => {
    const cloud = await simulate({ servers: 50 });
    const { whats } = await findings(settingsFor(cloud, { per_server: true, series_limit: 600 }));
    expect(whats).toEqual([expect.stringMatching(/^series_limit \(600\) leaves out [1-9]\d* series\.$/)]);
  });

  it('requests that had to be made again', async () => {
    const cloud = await simulate({ servers: 30 });
    cloud.faults.set({ operation: 'list', times: 2, fault: { kind: 'status', code: 503 } });
    const clock = createEagerClock((ms) => ms < 1000);
    expect(await findings(settingsFor(cloud), clock)).toEqual({
      reason: undefined,
      whats: ['2 requests were made again (upstream).'],
    });
  });

  it('a login that travels unencrypted, but not within one machine', async () => {
    const words = ['The login travels unencrypted: auth_url starts with http://.'];
    expect(await findingsAbout('http://cloud.example.com:30500/v3')).toEqual(words);
    expect(await findingsAbout('http://127.evil.example.com/v3')).toEqual(words);
    expect(await findingsAbout('https://cloud.example.com:30500/v3')).toEqual([]);
    expect(await findingsAbout('http://127.0.0.1:30500/v3')).toEqual([]);
    expect(await findingsAbout('http://localhost:30500/v3')).toEqual([]);
    expect(await findingsAbout('http://[::1]:30500/v3')).toEqual([]);
  });

  it('lists that take longer than Prometheus waits by default, with or without details', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now, monotonic: () => now };
    const cloud = await simulate({ servers: 30, now: clock.now });
    let secondsOfPlain = 12;
    cloud.hooks.beforePage = (_page, query) =>
      void (now += 1000 * (query.get('details') === 'true' ? 1 : secondsOfPlain));
    const { whats } = await findings(settingsFor(cloud), clock);
    expect(whats).toEqual([
      expect.stringMatching(
        /^The list took 1[2-9]\.0 s, longer than Prometheus waits by default \(10 s\)\.$/,
      ),
      expect.stringMatching(/^A list of 30 servers without details took 1\d\.0 s, most of it platform CPU/),
    ]);
    expect((await findings(settingsFor(cloud, { list_max_age: '5m' }), clock)).whats).toHaveLength(1);
    expect((await findings(settingsFor(cloud, { details_max_age: 0 }), clock)).whats).toEqual([
      expect.stringContaining('longer than Prometheus waits by default'),
      expect.stringMatching(/^A detailed list of 30 servers took 1\d\.0 s, most of it platform CPU/),
    ]);
    secondsOfPlain = 1;
    expect((await findings(settingsFor(cloud), clock)).whats).toEqual([]);
  });

  it('lists of changes that cannot be proven', async () => {
    const cloud = await simulate({ servers: 30 });
    const ages = { details_max_age: '30m', list_max_age: '5m' };
    const chosen = settingsFor(cloud, { ...ages, query: { scope: 'system', status: 'running' } });
    expect((await findings(chosen)).whats).toEqual([
      'list_max_age has no effect with status in query: the exporter cannot evaluate that filter on a record.',
    ]);
    expect((await findings(settingsFor(cloud, ages))).whats).toEqual([]);
  });
});

describeWith(['openssl'], 'check of a platform with a certificate of its own', () => {
  it('fails likewise where the CA is not known here', async () => {
    const authority = await createAuthority();
    const cloud = await simulate({ servers: 30, tls: await authority.issue('platform') });
    expect(await findings(settingsFor(cloud))).toEqual({
      reason: 'tls',
      whats: [expect.stringContaining('signed by a CA that is not known here')],
    });
    const trusted = settingsFor(cloud, { cacert: authority.certFile });
    expect(await findings(trusted)).toEqual({ reason: undefined, whats: [] });
  });

  it('fails and names the cure, until the certificate is given or not looked at', async () => {
    const { cert, key, certFile } = await selfSigned();
    const cloud = await simulate({ servers: 30, tls: { cert, key } });
    expect(await findings(settingsFor(cloud))).toEqual({
      reason: 'tls',
      whats: [expect.stringContaining('is self-signed')],
    });
    expect(await findings(settingsFor(cloud, { cacert: certFile }))).toEqual({
      reason: undefined,
      whats: [],
    });
    expect(await findings(settingsFor(cloud, { insecure_skip_verify: true }))).toEqual({
      reason: undefined,
      whats: [expect.stringContaining("The platform's certificate is not verified")],
    });
  });
});
