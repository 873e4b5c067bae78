import { describe, expect, it } from 'vitest';
import { check } from '../../src/check/check.ts';
import { systemClock } from '../../src/clock.ts';
import { plainAccount } from '../simulator/accounts.ts';
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

const nothing = { reason: undefined, whats: [] };
/** Pauses between attempts are over at once. */
const hurried = () => createEagerClock((ms) => ms < 1000);

function withoutProject(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !key.startsWith('project_')));
}

describe('check finds', () => {
  it('nothing wrong with a healthy cloud', async () => {
    const cloud = await simulate({ servers: 40 });
    expect(await findings(settingsFor(cloud))).toEqual(nothing);
    const ofDomain = { ...withoutProject(settingsFor(cloud)), domain_name: 'Default' };
    expect(await findings(ofDomain)).toEqual(nothing);
  });

  it('a token without a scope, which is why the catalog is empty', async () => {
    const cloud = await simulate({ servers: 5 });
    const unscoped = withoutProject(settingsFor(cloud));
    const whats = [expect.stringContaining('The token has no scope')];
    expect(await findings(unscoped)).toEqual({ reason: 'endpoint', whats });
    const refused = await findings({ ...unscoped, base_url: cloud.baseUrl });
    expect(refused).toEqual({ reason: 'forbidden', whats });
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
    expect((await findings(settingsFor(cloud))).whats).toEqual(whats);
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
    for (const operation of ['hosts', 'isolated_devices'] as const)
      cloud.faults.set({ operation, fault: { kind: 'status', code: 403 } });
    cloud.faults.set({ operation: 'storages', fault: { kind: 'status', code: 500 } });
    expect((await findings(settingsFor(cloud), hurried())).whats).toEqual([
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
    cloud.hooks.beforePage = (_page, query) =>
      void (now += 1000 * (query.get('details') === 'true' ? 1 : secondsOfPlain));
    const found = async (more: object = {}) => (await findings(settingsFor(cloud, more), clock)).whats;
    const late = expect.stringMatching(
      /^The list took 1\d\.0 s, longer than Prometheus waits by default \(10 s\)\.$/,
    );
    const dear = (kind: string) => expect.stringMatching(`^${kind} took 1\\d\\.0 s, most of it platform CPU`);
    expect(await found()).toEqual([late, dear('A list of 30 servers without details')]);
    expect(await found({ list_max_age: '5m' })).toEqual([late]);
    expect(await found({ details_max_age: 0 })).toEqual([late, dear('A detailed list of 30 servers')]);
    secondsOfPlain = 1;
    expect(await found()).toEqual([]);
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
  it('fails where the CA is not known here', async () => {
    const authority = await createAuthority();
    const cloud = await simulate({ servers: 30, tls: await authority.issue('platform') });
    expect(await findings(settingsFor(cloud))).toEqual({
      reason: 'tls',
      whats: [expect.stringContaining('signed by a CA that is not known here')],
    });
    expect(await findings(settingsFor(cloud, { cacert: authority.certFile }))).toEqual(nothing);
  });

  it('fails and names the cure, until the certificate is given or not looked at', async () => {
    const { cert, key, certFile } = await selfSigned();
    const cloud = await simulate({ servers: 30, tls: { cert, key } });
    expect(await findings(settingsFor(cloud))).toEqual({
      reason: 'tls',
      whats: [expect.stringContaining('is self-signed')],
    });
    expect(await findings(settingsFor(cloud, { cacert: certFile }))).toEqual(nothing);
    expect((await findings(settingsFor(cloud, { insecure_skip_verify: true }))).whats).toEqual([
      expect.stringContaining("The platform's certificate is not verified"),
    ]);
  });
});
