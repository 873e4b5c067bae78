import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { shardOf } from '../src/shard.ts';
import { exporterAccount } from '../src/simulator/accounts.ts';
import { eventually } from './simulator/raw-request.ts';
import { parseExposition } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { freePort, ownAddress } from './support/loopback.ts';
import { builtProgram, environmentFor, runProgram, startProgram } from './support/program.ts';
import { describeWith, itWith, pathOf } from './support/real-parts.ts';
import { run } from './support/run.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

// Signals and pipes as in POSIX.
const it = itWith(['sh', 'mkfifo']);
const main = await builtProgram();

const secret = 'hunter2-is-a-secret';
const account = { OS_AUTH_URL: 'http://127.0.0.1:9', OS_USERNAME: 'exporter', OS_PASSWORD: secret };

/** A flag of Node that runs this before the program. */
const preload = (script: string) => ['--import', `data:text/javascript,${encodeURIComponent(script)}`];

async function fileOf(clouds: object): Promise<string> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, stringify({ clouds }));
  return file;
}

const textOf = async ({ url }: { url: string }, path: string) => (await fetch(url + path)).text();
const scrape = async (from: { url: string }) => parseExposition(await textOf(from, '/metrics'));

describe('mistakes end the program before it listens, with code 1 and without a stack', () => {
  const mistakes: Record<string, () => Promise<{ flags: string[]; problems: RegExp[] }>> = {
    'all of both files': async () => {
      const clouds = await fileOf({ one: { auth_url: 'http://a', pasword: secret } });
      const web = join(await temporaryFolder(), 'web.yml');
      await writeFile(web, stringify({ basic_auth_users: { prometheus: secret } }));
      return {
        flags: [`--config.file=${clouds}`, `--web.config.file=${web}`],
        problems: [
          /clouds\.yml:4: clouds\.one\.pasword: unknown key; did you mean password\?$/,
          /clouds\.yml:2: clouds\.one\.username: no way to log in: give username/,
          /web\.yml:2: basic_auth_users\.prometheus: is not a bcrypt hash; make one with `htpasswd /,
        ],
      };
    },
    'no socket': async () => ({ flags: ['--web.systemd-socket'], problems: [/systemd handed over no/] }),
    'a port that another program has': async () => {
      const { host } = new URL((await startProgram(main, { environment: account })).url);
      return {
        flags: [`--web.listen-address=${host}`],
        problems: [/^cannot listen on .*: another program has this port; choose another/],
      };
    },
  };

  it.each(Object.keys(mistakes))('%s', async (name) => {
    const { flags, problems } = await mistakes[name]!();
    const program = runProgram(main, { flags, environment: /file/.test(name) ? {} : account });
    expect(await program.ended).toBe(1);
    expect(program.printed()).toBe('');
    expect(program.logged()).not.toContain(secret);
    const [headline, ...lines] = program.logged().trimEnd().split('\n');
    expect(headline).toBe('cloud-platform-exporter cannot start:');
    expect(lines.map((line) => line.trim())).toEqual(problems.map((words) => expect.stringMatching(words)));
  });
});

const olderNodes = ['20.18.3', '12.22.12'];
it.each(olderNodes)('a Node that is too old is told in one line, with 1: %s', async (version) => {
  // It can read what says so: nothing is imported before, and no syntax is newer.
  const script = await readFile(main, 'utf8');
  expect(script).toContain("import('./program.js')");
  expect(script.replace(/^\/\/.*$/gm, '')).not.toMatch(/^import |\bawait\b|\?\.|\?\?/m);
  const versions = `{ ...process.versions, node: '${version}' }`;
  const node = preload(`Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const program = runProgram(main, { node, environment: account });
  expect(await program.ended).toBe(1);
  expect(program.logged()).toMatch(/^cloud-platform-exporter needs Node 20\.19 or newer; this is v\S+\n$/);
});

it.each([
  ['--version', /^cloud-platform-exporter \d+\.\d+\.\d+(-rc\.\d+)?\n$/],
  ['--help', /--web\.config\.file=FILE +TLS, client certificates and basic auth/],
])('%s is printed to standard output, with 0', async (flag, expected) => {
  const program = runProgram(main, { flags: [flag] });
  expect(await program.ended).toBe(0);
  expect(program.printed()).toMatch(expected);
  expect(program.logged()).toBe('');
});

it('check prints its report, and nothing else, on standard output, and ends with the right code', async () => {
  const environment = { OS_AUTH_URL: 'http://127.0.0.1:9', OS_PASSWORD: 'hidden' };
  const good = runProgram(main, { flags: ['check', '--demo', '--json'], environment });
  expect(await good.ended).toBe(0);
  const clouds = [{ cloud: 'demo', list: { servers: 400 } }];
  expect(JSON.parse(good.printed())).toMatchObject({ ok: true, clouds });
  expect(good.logged()).toMatch(/^1 cloud checked in \d+\.\d s\n$/);
  const bad = runProgram(main, { flags: ['check', '--json'] });
  expect([await bad.ended, bad.logged()]).toEqual([1, '']);
  const problems = [expect.stringMatching(/^no configuration: set OS_AUTH_URL/)];
  expect(JSON.parse(bad.printed())).toMatchObject({ ok: false, problems });
});

it('twenty scrapes at once cost one login and one list; SIGTERM loses none of them, refuses new ones, and ends with 0', async () => {
  const cloud = await simulate({ servers: 60 });
  const listed = cloud.fleet.servers.filter(({ pending_deleted }) => !pending_deleted);
  const gate = createGate();
  cloud.hooks.beforePage = () => gate.passed;
  const program = await startProgram(main, { environment: environmentFor(cloud) });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const requests = Array.from({ length: 20 }, () => get(`${program.url}/metrics`, { agent }));
  const scrapes = requests.map(async (request) => {
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, connection: answer.headers.connection, body: await text(answer) };
  });
  await Promise.all(requests.map((request) => once(request, 'finish')));
  await eventually(() => cloud.journal.count('list') === 1);
  // Connections are taken in their order: once this one is answered, the others have arrived.
  expect((await fetch(`${program.url}/-/healthy`)).status).toBe(200);
  program.signal('SIGTERM');
  await program.logs('"msg":"stopping"');
  await expect(fetch(`${program.url}/-/ready`)).rejects.toThrow();
  gate.open();
  for (const { status, connection, body } of await Promise.all(scrapes)) {
    expect([status, connection]).toEqual([200, 'close']);
    expect(parseExposition(body).sum('cloud_servers')).toBe(listed.length);
  }
  expect(await program.ended).toBe(0);
  expect([cloud.journal.count('login'), cloud.journal.count('list')]).toEqual([1, 1]);
});

it('SIGHUP takes a new file over whole, or not at all', async () => {
  const [one, two] = [await simulate({ servers: 11 }), await simulate({ servers: 22 })];
  const file = await fileOf({ one: settingsFor(one), two: settingsFor(two) });
  const write = (clouds: object) => writeFile(file, stringify({ clouds }));
  const program = await startProgram(main, { flags: [`--config.file=${file}`] });
  expect((await scrape(program)).sum('cloud_servers')).toBe(33);

  await write({ one: { ...settingsFor(one), page_size: 0, password: secret }, three: { auth_url: 'x' } });
  program.signal('SIGHUP');
  await program.logs('configuration not reloaded, the old one stays');
  for (const problem of ['one.page_size: must be', 'three.auth_url: is not a URL', 'three.username'])
    expect(program.logged()).toContain(problem);
  for (const word of [secret, exporterAccount.password]) expect(program.logged()).not.toContain(word);
  const kept = await scrape(program);
  expect([kept.value('cloud_exporter_config_last_reload_successful'), kept.sum('cloud_servers')]).toEqual([
    0, 33,
  ]);

  await write({ two: settingsFor(two) });
  program.signal('SIGHUP');
  await program.logs('"msg":"configuration reloaded"');
  const swapped = await scrape(program);
  expect(swapped.value('cloud_exporter_config_last_reload_successful')).toBe(1);
  expect(swapped.of('cloud_up').map(({ labels }) => labels['cloud'])).toEqual(['two']);
  program.signal('SIGINT');
  expect(await program.ended).toBe(0);
});

it.each([
  ['a promise that was dropped', 'Promise.reject(new Error("planted"))'],
  ['an error in a callback', 'setImmediate(() => { throw new Error("planted") })'],
])('a bug that nobody caught is logged, and ends the program with 70: %s', async (_words, bug) => {
  const node = preload(`process.on('SIGUSR2', () => { ${bug} })`);
  const program = await startProgram(main, { node, environment: account });
  program.signal('SIGUSR2');
  expect(await program.ended).toBe(70);
  expect(program.logged()).toContain('"msg":"a bug ended the exporter"');
  expect(program.logged()).toContain('Error: planted');
});

it('warnings go to the log and nowhere else: of what is not verified, of Node', async () => {
  const node = preload(`process.on('SIGUSR2', () => process.emitWarning('planted', 'PlantedWarning'))`);
  const environment = { ...account, YUNION_INSECURE: 'true' };
  const program = await startProgram(main, { node, environment });
  program.signal('SIGUSR2');
  await program.logs('PlantedWarning');
  const lines = program.logged().trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(told.at(-1)).toMatchObject({ level: 'warn', warning: 'PlantedWarning', msg: 'planted' });
  const msg = expect.stringContaining('not verified') as string;
  expect(told).toContainEqual(expect.objectContaining({ level: 'warn', msg }));
  expect(program.logged()).not.toContain(secret);
});

it('flags open and close paths, and choose a shard: each cloud is in exactly one, and one without a cloud runs', async () => {
  const file = await fileOf({ only: settingsFor(await simulate({ servers: 5 })) });
  const ordinal = shardOf('only', 2);
  const usual = [`--config.file=${file}`, '--total-shards=2'];
  const start = (shard: number, ...flags: string[]) =>
    startProgram(main, { flags: [...usual, `--shard=${shard}`, ...flags] });

  const external = '--web.external-url=https://exporter.example.com/clouds/';
  const open = await start(ordinal, '--web.enable-discovery', external);
  const page = await scrape(open);
  expect(page.of('cloud_up')).toMatchObject([{ labels: { cloud: 'only' } }]);
  expect(page.value('cloud_exporter_shard_ordinal')).toBe(ordinal);
  const url = 'https://exporter.example.com/clouds';
  expect(page.value('cloud_exporter_external_url_info', { url })).toBe(1);
  expect(await textOf(open, '/sd/servers')).toContain('"__meta_cloud_id"');
  expect(await textOf(open, '/')).toMatch(/>only<.*sd\/servers/s);

  const closed = await start(1 - ordinal, '--web.disable-exporter-metrics');
  const other = await scrape(closed);
  expect(other.of('cloud_up')).toEqual([]);
  expect(other.value('cloud_exporter_total_shards')).toBe(2);
  expect(other.samples.filter(({ name }) => !name.startsWith('cloud_'))).toEqual([]);
  expect(await textOf(closed, '/sd/servers')).toContain('start with --web.enable-discovery');
  expect(await textOf(closed, '/sd/clouds')).toBe('[]\n');
  expect(await textOf(closed, '/')).not.toMatch(/>only<|sd\/servers/);
});

/** A secret can be opened once; after that it hangs in a thread of Node, as on a mount whose server is gone. */
const dying = (pipe: string) => `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { open } = fs.promises;
let opened = 0;
const isDead = (path) => path.endsWith('.secret') && (opened += 1) > 1;
fs.promises.open = (path, flags) => (isDead(path) ? open(${JSON.stringify(pipe)}, 'r') : open(path, flags));
syncBuiltinESMExports();`;

it('a mount that is dead fails its cloud in time and no other, and keeps neither SIGTERM nor a check from its end', async () => {
  const cloud = await simulate({ servers: 7 });
  const folder = await temporaryFolder();
  const [password_file, pipe] = [join(folder, 'x.secret'), join(folder, 'pipe')];
  await writeFile(password_file, exporterAccount.password);
  await run('mkfifo', [pipe]);
  const dead = settingsFor(cloud, { password: undefined, password_file });
  const file = await fileOf({ good: settingsFor(cloud), dead });
  const [node, flags] = [preload(dying(pipe)), [`--config.file=${file}`]];
  const check = runProgram(main, { node, flags: ['check', ...flags] });
  const program = await startProgram(main, { node, flags });
  const parsed = await scrape(program);
  expect(parsed.value('cloud_up', { cloud: 'good' })).toBe(1);
  const labels = { cloud: 'dead', reason: 'secret' };
  expect(parsed.value('cloud_exporter_collection_failures_total', labels)).toBe(1);
  program.signal('SIGTERM');
  // Node would wait for the thread that hangs, so the signal itself ends it.
  expect(await program.ended).toBe('SIGTERM');
  await check.ended;
  for (const words of ['good: ok', 'x.secret cannot be read: no answer within 5 s'])
    expect(check.printed()).toContain(words);
});

it('goes on when nobody reads its log: the lines are counted', async () => {
  const flags = ['--log.level=debug', '--web.enable-lifecycle'];
  const program = await startProgram(main, { flags, environment: account });
  await program.closeLog();
  expect((await fetch(`${program.url}/-/reload`, { method: 'POST' })).status).toBe(200);
  expect((await scrape(program)).value('cloud_exporter_log_lines_lost_total')).toBeGreaterThan(0);
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
});

describeWith(['systemd-socket-activate'], 'systemd', () => {
  it('opens the socket on which the program answers', async () => {
    const address = `${ownAddress}:${await freePort()}`;
    const variables = Object.entries(account).map(([name, value]) => `--setenv=${name}=${value}`);
    const words = [`--listen=${address}`, ...variables, process.execPath, main, '--web.systemd-socket'];
    const child = spawn(pathOf('systemd-socket-activate'), words, { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const health = () => fetch(`http://${address}/-/healthy`).then((answer) => answer.text(), String);
    await expect.poll(health).toBe('cloud-platform-exporter is healthy.\n');
  });
});
