import { describe, expect, it } from 'vitest';
import { findingsOf, type Facts } from '../../src/check/findings.ts';
import { check } from '../../src/check/check.ts';
import { systemClock } from '../../src/clock.ts';
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
  const nothing = { token: undefined, view: undefined, series: undefined, failure: undefined };
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

  it('a list of one project only, unless a scope was asked for', async () => {
    const cloud = await simulate({ servers: 200 });
    const narrow = { ...settingsFor(cloud, { project_name: 'web' }), query: '' };
    const own = cloud.fleet.servers.filter(
      ({ project, project_domain, pending_deleted }) =>
        project === 'web' && project_domain === 'Default' && !pending_deleted,
    );
    expect(own.length).toBeGreaterThanOrEqual(10);
    expect((await findings(narrow)).whats).toEqual([
      `All ${own.length} servers are of one project, web: the platform lists the token's project only.`,
    ]);
    cloud.fleet.remove(cloud.fleet.servers.filter((server) => !own.includes(server)).map(({ id }) => id));
    expect((await findings(settingsFor(cloud, { project_name: 'web' }))).whats).toEqual([]);
    cloud.fleet.remove(own.slice(9).map(({ id }) => id));
    expect((await findings(narrow)).whats).toEqual([]);
  });

  it('an empty list', async () => {
    const cloud = await simulate({ servers: 0 });
    expect((await findings(settingsFor(cloud))).whats).toEqual(['The list is empty.']);
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

  it('requests that had to be made again, and a server that cannot be read alone', async () => {
    const cloud = await simulate({ servers: 30 });
    cloud.faults.set({ operation: 'list', times: 2, fault: { kind: 'status', code: 503 } });
    cloud.faults.set({ operation: 'show', fault: { kind: 'status', code: 404 } });
    const clock = createEagerClock((ms) => ms < 1000);
    expect(await findings(settingsFor(cloud), clock)).toEqual({
      reason: undefined,
      whats: [
        '2 requests were made again (upstream).',
        expect.stringMatching(/^Reading one server by its id failed \(rejected: GET \S+: status 404 .*\)\.$/),
      ],
    });
  });

  it('another server answered in place of the one that was asked for', async () => {
    const cloud = await simulate({ servers: 30 });
    cloud.faults.set({ operation: 'show', fault: { kind: 'json', json: { server: { id: 'another' } } } });
    expect((await findings(settingsFor(cloud))).whats).toEqual([
      'Reading one server by its id failed (another server was answered).',
    ]);
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

  it('a list that takes longer than Prometheus waits by default', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now, monotonic: () => now };
    const cloud = await simulate({ servers: 30, now: clock.now });
    cloud.hooks.beforePage = () => void (now += 12_000);
    expect((await findings(settingsFor(cloud), clock)).whats).toEqual([
      'The list took 12.0 s, longer than Prometheus waits by default (10 s).',
      expect.stringContaining('A detailed list of 30 servers took 12.0 s'),
    ]);
    const light = settingsFor(cloud, { details_max_age: '30m' });
    expect((await findings(light, clock)).whats).toHaveLength(1);
  });

  it('a list that takes so long that only changes should be asked for', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now, monotonic: () => now };
    const cloud = await simulate({ servers: 30, now: clock.now });
    cloud.hooks.beforePage = () => void (now += 25_000);
    const details_max_age = '30m';
    const { whats } = await findings(settingsFor(cloud, { details_max_age }), clock);
    expect(whats.at(-1)).toContain('without details, at every scrape, takes about a sixth of that');
    const changing = settingsFor(cloud, { details_max_age, list_max_age: '5m' });
    expect((await findings(changing, clock)).whats).toHaveLength(1);
  });

  it('lists of changes that cannot be proven', async () => {
    const cloud = await simulate({ servers: 30 });
    const ages = { details_max_age: '30m', list_max_age: '5m' };
    const chosen = settingsFor(cloud, { ...ages, query: { scope: 'system', status: 'running' } });
    expect((await findings(chosen)).whats).toEqual([
      'list_max_age is of no use with status in query: whether such a list has a server cannot be seen on its record.',
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
