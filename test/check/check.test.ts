import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/check/check.ts';
import { systemClock, type Clock } from '../../src/clock.ts';
import { ConfigError, loadConfig, type CloudConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { serverTables } from '../../src/metrics/servers.ts';
import type { Fleet } from '../../src/simulator/fleet/fleet.ts';
import { accessKey, exporterAccount, plainAccount } from '../../src/simulator/accounts.ts';
import { checkExample } from '../../tools/docs/check-example.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { settingsFor } from '../support/settings.ts';
import { configOf, simulate, temporaryFolder } from '../support/simulated.ts';
import { hostsOf, storagesOf } from '../simulator/room.ts';
import { truthOf } from '../simulator/truth.ts';

interface Options {
  readonly asJson?: boolean;
  readonly isWatched?: boolean;
  readonly clock?: Clock;
  /** Makes of a cloud what no file could say. */
  readonly alter?: (cloud: CloudConfig) => CloudConfig;
}

async function runCheck(clouds: Record<string, object>, options: Options = {}) {
  const config = await configOf(clouds);
  const report: string[] = [];
  const progress: string[] = [];
  const code = await check({
    loadConfig: async () => ({ ...config, clouds: config.clouds.map(options.alter ?? ((cloud) => cloud)) }),
    version: '0.0.0-test',
    asJson: options.asJson ?? false,
    clock: options.clock ?? systemClock,
    log: silentLog,
    write: (text) => void report.push(text),
    progress: { isWatched: options.isWatched ?? false, write: (text) => void progress.push(text) },
  });
  return { code, text: report.join(''), progress };
}

const json = async (clouds: Record<string, object>) => {
  const { code, text } = await runCheck(clouds, { asJson: true });
  return { code, ...(JSON.parse(text) as { ok: boolean; problems: string[]; clouds: object[] }) };
};

/** Servers of one place and status are two series if only some of them are in the recycle bin. */
function seriesOf(rows: readonly { servers: number; pendingDeletion: number }[]): number {
  const isMixed = (row: (typeof rows)[number]) =>
    row.pendingDeletion > 0 && row.pendingDeletion < row.servers;
  return rows.length + rows.filter(isMixed).length;
}

/** What is left, from the simulator's own idea of it. */
function roomTruth(fleet: Fleet) {
  const hosts = hostsOf(fleet).flatMap(({ schedulable, promises }) =>
    schedulable && promises ? promises : [],
  );
  const storages = storagesOf(fleet).filter(({ up }) => up);
  const devices = fleet.tables.isolated_devices.rows;
  const total = <Item>(items: readonly Item[], numberOf: (item: Item) => number) =>
    items.reduce((sum, item) => sum + numberOf(item), 0);
  const left = <Item>(
    items: readonly Item[],
    ofItem: (item: Item) => readonly [number, number],
    unit: number,
  ) => ({
    free: total(items, (item) => Math.max(0, ofItem(item)[0] - ofItem(item)[1])) * unit,
    of: total(items, (item) => ofItem(item)[0]) * unit,
  });
  return {
    vcpus: left(hosts, (host) => [host.vcpusAllocatable, host.vcpusAllocated], 1),
    memory_bytes: left(hosts, (host) => [host.memoryAllocatable, host.memoryAllocated], 2 ** 20),
    storage_bytes: left(storages, ({ allocatable, allocated }) => [allocatable, allocated], 2 ** 20),
    devices: left(devices, ({ guest_id }) => [1, guest_id === '' ? 0 : 1], 1),
  };
}

describe('check', () => {
  it('ends at the deadline of the collection, whatever a login waits for', async () => {
    const cloud = await simulate({ servers: 1 });
    const alter = (config: CloudConfig): CloudConfig => ({
      ...config,
      credential: { method: 'token', token: () => new Promise(() => undefined) },
    });
    const options = { alter, clock: createEagerClock() };
    const { code, text } = await runCheck(
      { one: settingsFor(cloud, { collection_timeout: '60s' }) },
      options,
    );
    expect(code).toBe(1);
    expect(text).toContain('login did not end within the 60 s of collection_timeout');
  });

  it('says who the token is, where the endpoint comes from and what would be exported', async () => {
    const passwordExpiresAt = Date.now() + 90 * 86_400_000;
    const cloud = await simulate({ servers: 90, passwordExpiresAt });
    const { code, text } = await runCheck({ one: settingsFor(cloud, { query: { pending_delete: 'all' } }) });
    expect(code).toBe(0);
    const [head, login, token, password, endpoint, scope, lists, room, pair, , titles, numbers] =
      text.split('\n');
    expect(head).toBe('one: ok');
    expect(login).toBe('  login     exporter of domain Default, by password; project system; roles admin');
    expect(token).toMatch(/^ {2}token {5}until \d{4}-\S+Z, in 24\.0 h$/);
    expect(password).toMatch(/^ {2}password {2}until \d{4}-\S+Z, in (89|90) days$/);
    expect(endpoint).toBe(`  endpoint  ${cloud.baseUrl}, from the token's catalog`);
    expect(scope).toBe('  scope     system, the widest that the account has');
    const counts = [
      '90 servers',
      `${cloud.fleet.hosts.length} hosts`,
      `${storagesOf(cloud.fleet).length} storages`,
      `${cloud.fleet.tables.isolated_devices.rows.length} isolated_devices`,
    ];
    expect(lists).toContain(`  may list  ${counts.join(', ')}, `);
    expect(room).toMatch(
      /^ {2}room {6}[\d,]+ of [\d,]+ vCPUs, \S+ .iB of \S+ .iB of memory, .* of storage, \d+ of \d+ devices free$/,
    );
    expect(pair).toMatch(/^ {2}pair {6}two Prometheus servers double .* unless max_age is set/);
    expect(titles?.trim().split(/ +/)).toEqual([
      'servers',
      'projects',
      'pages',
      'seconds',
      'series',
      'bytes',
    ]);
    const { rows } = truthOf(cloud.fleet);
    const projects = new Set(rows.map((row) => `${row.project_domain} ${row.project}`)).size;
    expect(numbers?.trim().split(/ +/).slice(0, 3)).toEqual(['90', String(projects), '16']);
    expect(text).toMatch(new RegExp(`^ +${seriesOf(rows)} {2}cloud_servers$`, 'm'));
    expect(text).toMatch(/^ +\d+ {2}more with per_server: true$/m);
    expect(text).not.toContain('looks wrong');
    expect(text).toMatch(/\n1 of 1 cloud can be collected\.\n$/);
  });

  it('says which lists there are not, and which the account may not have', async () => {
    const older = await simulate({ servers: 60, dialect: 'document' });
    const message = `GET ${older.baseUrl}/hosts: status 404 (NotFoundError)`;
    const { clouds } = await json({ one: settingsFor(older) });
    expect(clouds).toMatchObject([
      { ok: true, lists: { servers: { records: 60 }, hosts: { reason: 'rejected', message } }, room: {} },
    ]);
    const cloud = await simulate({ servers: 60 });
    cloud.faults.set({ operation: 'storages', fault: { kind: 'status', code: 403 } });
    const { text } = await runCheck({ one: settingsFor(cloud) });
    expect(text).toMatch(/\n {2}may list {2}60 servers, \d+ hosts, no storages \(forbidden\), /);
    expect(text).toContain(
      'climc policy-create --enabled --scope system exporter-storages exporter-storages.yaml',
    );
    expect(text).toContain('climc policy-bind-role --role-id admin --project-id system exporter-storages');
    expect(text).not.toContain('of storage');
  });

  it('says how wide the account lists, and why', async () => {
    const cloud = await simulate({ servers: 60 });
    const { clouds } = await json({ one: settingsFor(cloud, { query: { scope: 'project' } }) });
    expect(clouds).toMatchObject([{ scope: { in_use: 'project', why: 'as query says' } }]);
    expect(cloud.journal.count('hosts')).toBe(0);
  });

  it('tells scripts the same as one JSON document', async () => {
    const cloud = await simulate({ servers: 60, passwordExpiresAt: Date.now() + 90 * 86_400_000 });
    const more = { base_url: cloud.baseUrl, per_server: true };
    const { code, ok, problems, clouds } = await json({ one: settingsFor(cloud, more) });
    expect([code, ok, problems]).toEqual([0, true, []]);
    const { rows, total } = truthOf(cloud.fleet);
    expect(clouds).toEqual([
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
        list: {
          servers: total,
          reported: total,
          rejected: { not_an_object: 0, no_id: 0, bad_number: 0 },
          projects: expect.any(Number),
          pages: 16,
          seconds: expect.any(Number),
        },
        lists: {
          servers: { records: total },
          hosts: { records: cloud.fleet.hosts.length },
          storages: { records: storagesOf(cloud.fleet).length },
          isolated_devices: { records: cloud.fleet.tables.isolated_devices.rows.length },
          zones: { records: expect.any(Number) },
          cloudregions: { records: expect.any(Number) },
        },
        room: roomTruth(cloud.fleet),
        series: {
          total: expect.any(Number),
          per_server: expect.any(Number),
          bytes: expect.any(Number),
          families: expect.objectContaining({
            cloud_up: 1,
            cloud_servers: seriesOf(rows),
            cloud_server_info: 60,
          }),
        },
        findings: [],
      },
    ]);
    const { series } = clouds[0] as {
      series: { total: number; per_server: number; families: Record<string, number> };
    };
    const sum = (names: readonly string[]) =>
      names.reduce((total, name) => total + (series.families[name] ?? 0), 0);
    expect(series.total).toBe(sum(Object.keys(series.families)));
    expect(series.per_server).toBe(
      sum(serverTables.flatMap(({ families }) => families.map(({ name }) => name))),
    );
  });

  it('shows no user and no password that the catalog has in an address', async () => {
    const cloud = await simulate({ servers: 5 });
    cloud.quirks.rewriteToken = (body) =>
      JSON.parse(JSON.stringify(body).replaceAll('"url":"http://', '"url":"http://spy:hush-hush@')) as object;
    const { base_url: _none, ...settings } = settingsFor(cloud) as Record<string, unknown>;
    for (const asJson of [false, true]) {
      const { text, code } = await runCheck({ one: settings }, { asJson });
      expect(text).toContain(cloud.baseUrl);
      expect(text).not.toContain('hush-hush');
      expect(code).toBe(0);
    }
  });

  it('fails if one of the clouds does, and still tells of the others, in their order', async () => {
    const cloud = await simulate({ servers: 5 });
    const clouds = {
      first: settingsFor(cloud),
      second: settingsFor(cloud, { password: 'out-of-date' }),
      third: settingsFor(cloud),
    };
    const { code, text } = await runCheck(clouds);
    expect(code).toBe(1);
    expect(text.match(/^\S.*$/gm)).toEqual([
      'first: ok',
      'second: FAILED (unauthorized)',
      'third: ok',
      '2 of 3 clouds can be collected.',
    ]);
    expect(text).toContain(
      `  POST ${cloud.authUrl}/v3/auth/tokens: status 401 (WrongPassword): the password is wrong\n` +
        '  The login was refused, or a fresh token was not accepted (401).\n  Check user, password',
    );
    const document = await json(clouds);
    expect([document.code, document.ok]).toEqual([1, false]);
    expect(document.clouds[1]).toEqual({
      cloud: 'second',
      ok: false,
      failure: {
        reason: 'unauthorized',
        message: expect.stringContaining('status 401'),
        meaning: expect.any(String),
        cure: expect.stringContaining('Check user'),
      },
      findings: [],
    });
  });

  it('tells who logged in, even where the list fails', async () => {
    const cloud = await simulate({ servers: 5 });
    const account = { username: plainAccount.name, password: plainAccount.password, project_name: 'web' };
    const { code, text } = await runCheck({ one: settingsFor(cloud, account) });
    expect(code).toBe(1);
    expect(text).toContain('one: FAILED (forbidden)');
    expect(text).toContain(
      'login     alice of domain Default, by password; project web; roles project_viewer',
    );
    expect(text).toContain('Give the account a role that may list servers');
  });

  it('shows progress to who watches, and one line at the end to who does not', async () => {
    const cloud = await simulate({ servers: 25 });
    const settings = settingsFor(cloud, { page_size: 10, concurrency: 1 });
    const watched = await runCheck({ one: settings }, { isWatched: true });
    const lines = watched.progress.map((text) => text.replace('\r\u001B[K', ''));
    expect(lines[0]).toBe('0 of 1 clouds checked, 0 of 0 servers read');
    expect(lines.slice(-3)).toEqual([
      '0 of 1 clouds checked, 25 of 25 servers read',
      '1 of 1 clouds checked, 25 of 25 servers read',
      '',
    ]);
    const read = lines.slice(0, -1).map((line) => Number(/(\d+) of \d+ servers/.exec(line)![1]));
    expect(read).toEqual(read.toSorted((one, other) => one - other));
    const alone = await runCheck({ one: settings });
    expect(alone.progress).toEqual([expect.stringMatching(/^1 cloud checked in \d+\.\d s\n$/)]);
  });

  it('lets no name of the platform steer the terminal', async () => {
    const cloud = await simulate({ servers: 30 });
    for (const { id } of cloud.fleet.servers) cloud.fleet.change(id, { project: 'evil\u001B[2J\r\n' });
    cloud.quirks.rewriteToken = (body) => ({
      ...body,
      token: { ...(body['token'] as object), roles: [{ name: '\u0007' }] },
    });
    const { code, text } = await runCheck({ one: { ...settingsFor(cloud), query: 'with_tags=true' } });
    expect(code).toBe(0);
    expect(text).toContain('roles ?');
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('leaves a bad configuration to its caller, or tells it to a script', async () => {
    const folder = await temporaryFolder();
    const input = {
      loadConfig: () => loadConfig({ file: join(folder, 'none.yml'), environment: {} }),
      version: '0.0.0-test',
      clock: systemClock,
      log: silentLog,
      progress: { isWatched: false, write: () => undefined },
    };
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    await expect(check({ ...input, asJson: false, write })).rejects.toThrow(ConfigError);
    expect(await check({ ...input, asJson: true, write })).toBe(1);
    expect(JSON.parse(written.join(''))).toEqual({
      ok: false,
      version: '0.0.0-test',
      problems: [expect.stringContaining('cannot be read')],
      clouds: [],
    });
  });

  it.each(['document', 'platform'] as const)(
    'prints no secret, in the dialect of the %s',
    async (dialect) => {
      const cloud = await simulate({ servers: 15, dialect });
      const { auth_url } = settingsFor(cloud) as { auth_url: string };
      const query = { scope: 'system' };
      const keys = { access_key: accessKey.id, secret_key: accessKey.secret };
      const clouds = {
        password: settingsFor(cloud, { labels: { team: 'metadata.user:team' } }),
        key: { auth_url, query, ...keys },
        'wrong key': { auth_url, query, ...keys, secret_key: 'another-secret-of-mine' },
        wrong: settingsFor(cloud, { password: 'another-secret-of-mine' }),
        ticket: { auth_url, query, cas_ticket: 'another-secret-of-mine' },
      };
      const text = await runCheck(clouds, { isWatched: true });
      const document = await runCheck(clouds, { asJson: true });
      cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
      const refused = await runCheck(clouds);
      const told = [text, document, refused].map((run) => run.text + run.progress.join('')).join('\n');
      const tokens = cloud.journal.of('list').map(({ tokenSent }) => tokenSent!);
      expect(new Set(tokens).size).toBeGreaterThanOrEqual(6);
      const metadata = cloud.fleet.servers.map((server) => server.metadata['login_key']!);
      const secrets = [exporterAccount.password, accessKey.secret, 'another-secret', ...tokens, ...metadata];
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
      expect(text.text).toContain('2 of 5 clouds can be collected.');
    },
  );
});

it('docs/check.md shows a report as it is printed', async () => {
  const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');
  expect(page).toContain(await checkExample());
});

function parsed(...words: string[]): readonly unknown[] {
  const result = parseFlags(words);
  return 'problems' in result ? result.problems : [result.arguments.command, result.arguments.json];
}

describe('the command line', () => {
  it('knows the command and what belongs to it', () => {
    expect(parsed('check')).toEqual(['check', false]);
    expect(parsed('check', '--json', '--config.file=clouds.yml')).toEqual(['check', true]);
    expect(parsed('--json', 'check')).toEqual(['check', true]);
    expect(parsed('check', '--help')).toEqual(['help', false]);
    expect(parsed()).toEqual(['serve', false]);
    expect(parsed('--json')).toEqual(['--json: goes with the command check']);
    expect(parsed('chek')).toEqual(['chek: is not a command; see --help']);
    expect(parsed('check', 'twice')).toEqual(['twice: is not a command; see --help']);
  });

  it('prints the report, and nothing else, on standard output, and ends with the right code', async () => {
    const folder = await temporaryFolder();
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const run = promisify(execFile);
    await run(join(root, 'node_modules/.bin/tsc'), ['--outDir', join(folder, 'dist')], { cwd: root });
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const main = (...words: string[]) =>
      run(process.execPath, [join(folder, 'dist/main.js'), ...words], { env: {} });

    const { stdout, stderr } = await main('check', '--demo', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      clouds: [{ cloud: 'demo', list: { servers: 400 } }],
    });
    expect(stderr).toMatch(/^1 cloud checked in \d+\.\d s\n$/);

    const failed = await main('check', '--json').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse((failed as { stdout: string }).stdout)).toMatchObject({ ok: false });
  });
});
