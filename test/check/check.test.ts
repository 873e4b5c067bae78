import { describe, expect, it } from 'vitest';
import { accessKey, exporterAccount, plainAccount } from '../simulator/accounts.ts';
import { parseExposition } from '../support/exposition.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { hostsOf, networksOf, storagesOf, syncsOf } from '../simulator/room.ts';
import { truthOf } from '../simulator/truth.ts';
import { checkAsJson, runCheck } from './run-check.ts';

describe('check', () => {
  it('tells scripts the same as one JSON document', async () => {
    const cloud = await simulate({ servers: 60, passwordExpiresAt: Date.now() + 90 * 86_400_000 });
    const settings = settingsFor(cloud, { base_url: cloud.baseUrl, per_server: true });
    const { code, ok, problems, clouds } = await checkAsJson({ one: settings });
    expect([code, ok, problems]).toEqual([0, true, []]);
    const { total } = truthOf(cloud.fleet);
    const exporter = await runExporter({ one: settings });
    const { samples } = parseExposition(await exporter.text('/probe?cloud=one'));
    const hosts = hostsOf(cloud.fleet).flatMap((host) => (host.schedulable && host.promises) || []);
    const free = hosts.reduce(
      (sum, host) => sum + Math.max(0, host.vcpusAllocatable - host.vcpusAllocated),
      0,
    );
    const perServer = samples.filter(({ name }) => /^cloud_server_(?!problem)/.test(name));
    expect(clouds).toMatchObject([
      {
        cloud: 'one',
        ok: true,
        login: {
          method: 'password',
          user: 'exporter',
          user_domain: 'Default',
          scope: 'project system',
          roles: ['admin'],
          token_expires_at: expect.stringMatching(/Z$/),
          password_expires_at: expect.stringMatching(/Z$/),
        },
        endpoint: { url: cloud.baseUrl, source: 'base_url' },
        scope: { in_use: 'system', why: 'as query says' },
        list: { servers: total, reported: total, rejected: { bad_number: 0 }, pages: 1 },
        lists: {
          servers: { records: total },
          hosts: { records: cloud.fleet.hosts.length },
          storages: { records: storagesOf(cloud.fleet).length },
          isolated_devices: { records: cloud.fleet.tables.isolated_devices.rows.length },
          networks: { records: networksOf(cloud.fleet).length },
          cloudproviderregions: { records: syncsOf(cloud.fleet).length },
        },
        room: { vcpus: { free } },
        series: { total: samples.length, per_server: perServer.length, bytes: expect.any(Number) },
        findings: [],
      },
    ]);
  });

  it('fails if one of the clouds does, and still tells of the others, in their order, and who logged in', async () => {
    const cloud = await simulate({ servers: 5 });
    const { name: username, password } = plainAccount;
    const clouds = {
      first: settingsFor(cloud),
      second: settingsFor(cloud, { password: 'out-of-date' }),
      third: settingsFor(cloud),
      narrow: settingsFor(cloud, { username, password, project_name: 'web' }),
    };
    const { code, text } = await runCheck(clouds);
    expect(code).toBe(1);
    expect(text.match(/^\S.*$/gm)).toEqual([
      'first: ok',
      'second: FAILED (unauthorized)',
      'third: ok',
      'narrow: FAILED (forbidden)',
      '2 of 4 clouds can be collected.',
    ]);
    const document = await checkAsJson(clouds);
    expect([document.code, document.ok, document.clouds[1]!.ok]).toEqual([1, false, false]);
    const { reason, message, meaning, cure } = document.clouds[1]!.failure!;
    const address = `${cloud.authUrl}/v3/auth/tokens`;
    expect([reason, message, meaning, cure]).toEqual([
      'unauthorized',
      `POST ${address}: status 401 (WrongPassword): the password is wrong`,
      expect.stringContaining('was refused'),
      expect.stringContaining('Check user'),
    ]);
    for (const words of [
      `  ${message}\n  ${meaning}\n  ${cure}\n`,
      'login     alice of domain Default, by password; project web; roles project_viewer',
      'Make an account of its own, as in docs/account.md',
    ])
      expect(text).toContain(words);
  });

  it('lets no name of the platform steer the terminal', async () => {
    const cloud = await simulate({ servers: 30 });
    for (const { id } of cloud.fleet.servers) cloud.fleet.change(id, { project: 'evil\u001B[2J\r\n' });
    const roles = [{ name: '\u0007' }];
    cloud.quirks.rewriteToken = ({ token }) => ({ token: { ...(token as object), roles } });
    const { code, text } = await runCheck({ one: { ...settingsFor(cloud), query: 'with_tags=true' } });
    expect(code).toBe(0);
    expect(text).toContain('roles \uFFFD');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it.each(['document', 'platform'] as const)('prints no secret, in dialect: %s', async (dialect) => {
    const cloud = await simulate({ servers: 15, dialect });
    // The catalog has a user and a password in its addresses.
    cloud.quirks.rewriteToken = (body) =>
      JSON.parse(JSON.stringify(body).replaceAll('"url":"http://', '$&spy:hush-hush@')) as object;
    const own = { auth_url: cloud.authUrl, query: { scope: 'system' } };
    const keys = { access_key: accessKey.id, secret_key: accessKey.secret };
    const clouds = {
      password: settingsFor(cloud, { labels: { team: 'metadata.user:team' } }),
      key: { ...own, ...keys },
      'wrong key': { ...own, ...keys, secret_key: 'another-secret-of-mine' },
      wrong: settingsFor(cloud, { password: 'another-secret-of-mine' }),
      ticket: { ...own, cas_ticket: 'another-secret-of-mine' },
    };
    const text = await runCheck(clouds, { isWatched: true });
    const document = await runCheck(clouds, { asJson: true });
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
    const refused = await runCheck(clouds);
    const told = [text, document, refused].map((run) => run.text + run.progress.join('')).join('\n');
    const tokens = cloud.journal.of('list').map(({ tokenSent }) => tokenSent!);
    expect(new Set(tokens).size).toBeGreaterThanOrEqual(6);
    const metadata = cloud.fleet.servers.map((server) => server.metadata['login_key']!);
    const given = [exporterAccount.password, accessKey.secret, 'another-secret', 'hush-hush'];
    const secrets = [...given, ...tokens, ...metadata];
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
    expect(text.text).toContain(cloud.baseUrl);
    expect(text.text).toContain('2 of 5 clouds can be collected.');
  });
});
