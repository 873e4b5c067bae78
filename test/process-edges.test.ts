import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { shardOf } from '../src/config/shard.ts';
import { exporterAccount } from '../src/simulator/accounts.ts';
import { parseExposition } from './support/exposition.ts';
import { freePort, ownAddress } from './support/loopback.ts';
import { builtProgram, environmentFor, runProgram, startProgram } from './support/program.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

const main = await builtProgram();

const account = { OS_AUTH_URL: 'http://127.0.0.1:9', OS_USERNAME: 'exporter', OS_PASSWORD: 'secret' };

async function pipeAt(path: string): Promise<string> {
  await rm(path, { force: true });
  await promisify(execFile)('mkfifo', [path]);
  return path;
}

async function scrape({ url }: { url: string }, headers: Record<string, string> = {}) {
  return parseExposition(await (await fetch(`${url}/metrics`, { headers })).text());
}

/** The first good answer of a program that is about to listen. */
async function firstAnswer(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return answer.text();
  }
}

describe('secret files that hang', () => {
  it('fail their clouds and nobody else: gzip is answered, and SIGTERM ends the program with 0', async () => {
    const cloud = await simulate({ servers: 7 });
    const folder = await temporaryFolder();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) await writeFile(join(folder, name), exporterAccount.password);
    const hanging = names.map((name) => [
      name,
      settingsFor(cloud, { password: undefined, password_file: join(folder, name) }),
    ]);
    const file = join(folder, 'clouds.yml');
    const clouds = { good: settingsFor(cloud), ...(Object.fromEntries(hanging) as object) };
    await writeFile(file, stringify({ clouds }));
    const program = await startProgram(main, { flags: [`--config.file=${file}`] });
    for (const name of names) await pipeAt(join(folder, name));
    const parsed = await scrape(program, { 'Accept-Encoding': 'gzip' });
    expect(parsed.value('cloud_up', { cloud: 'good' })).toBe(1);
    for (const name of names) {
      expect(parsed.value('cloud_up', { cloud: name })).toBe(0);
      const failures = { cloud: name, reason: 'secret' };
      expect(parsed.value('cloud_exporter_collection_failures_total', failures)).toBe(1);
    }
    expect(program.logged()).toContain('is not a regular file');
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('end a start with words', async () => {
    const folder = await temporaryFolder();
    const { OS_PASSWORD: _password, ...rest } = account;
    const environment = { ...rest, OS_PASSWORD_FILE: await pipeAt(join(folder, 'password')) };
    const flags = [`--web.config.file=${await pipeAt(join(folder, 'web.yml'))}`];
    const program = runProgram(main, { environment, flags });
    expect(await program.ended).toBe(1);
    expect(program.logged()).toContain('/password is not a regular file');
    expect(program.logged()).toContain('web.yml is not a regular file');
  });

  it('are a reload that failed, after which the old configuration stays', async () => {
    const cloud = await simulate({ servers: 7 });
    const folder = await temporaryFolder();
    const file = join(folder, 'clouds.yml');
    await writeFile(file, stringify({ clouds: { one: settingsFor(cloud) } }));
    const program = await startProgram(main, { flags: [`--config.file=${file}`] });
    await pipeAt(file);
    program.signal('SIGHUP');
    await program.logs('configuration not reloaded, the old one stays');
    const parsed = await scrape(program);
    expect(parsed.value('cloud_exporter_config_reload_success')).toBe(0);
    expect(parsed.sum('cloud_servers')).toBe(7);
  });
});

/**
 * A secret can be opened once, by the load of the configuration. After that the opening hangs in a thread of Node, as on
 * a mount whose server is gone. So does every question for a name from SIGUSR2 on; before, each name is this machine.
 */
const dying = (pipe: string) => `
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { open } = fs.promises;
const hang = () => open(${JSON.stringify(pipe)}, 'r');
const opened = new Set();
fs.promises.open = (path, flags) => {
  if (path.endsWith('.secret') && opened.has(path)) return hang();
  opened.add(path);
  return open(path, flags);
};
dns.promises.lookup = async () => [{ address: '127.0.0.1', family: 4 }];
process.on('SIGUSR2', () => {
  dns.promises.lookup = hang;
  process.stderr.write('the resolver is dead\\n');
});
syncBuiltinESMExports();`;

/** Secret files in folders of their own and clouds with names, in a world whose mounts and resolver can die. */
async function mortalWorld() {
  const cloud = await simulate({ servers: 7 });
  const folder = await temporaryFolder();
  const secrets = ['a', 'b', 'c', 'd', 'e'];
  for (const name of secrets) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'x.secret'), exporterAccount.password);
  }
  const named = (host: string) => ({
    auth_url: cloud.authUrl.replace('127.0.0.1', host),
    base_url: cloud.baseUrl.replace('127.0.0.1', host),
    request_timeout: '2s',
    collection_timeout: '3s',
  });
  const unresolved = ['p', 'q', 'r', 's'];
  const file = join(folder, 'clouds.yml');
  const clouds = Object.fromEntries([
    ['good', settingsFor(cloud)],
    ['known', settingsFor(cloud, named('known.example'))],
    ...secrets.map((name) => [
      name,
      settingsFor(cloud, { password: undefined, password_file: join(folder, name, 'x.secret') }),
    ]),
    ...unresolved.map((name) => [name, settingsFor(cloud, named(`${name}.example`))]),
  ]) as object;
  await writeFile(file, stringify({ clouds }));
  const script = dying(await pipeAt(join(folder, 'pipe')));
  const node = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
  // As the image and the unit have it.
  const environment = { UV_THREADPOOL_SIZE: '8' };
  return { secrets, unresolved, run: { node, environment, flags: [`--config.file=${file}`] } };
}

describe('mounts and a resolver that are dead', () => {
  it('fail their clouds in time and nobody else, and keep SIGTERM from nothing', async () => {
    const { secrets, unresolved, run } = await mortalWorld();
    const program = await startProgram(main, run);
    await fetch(`${program.url}/probe?cloud=known`);
    program.signal('SIGUSR2');
    await program.logs('the resolver is dead');
    const parsed = await scrape(program, { 'Accept-Encoding': 'gzip' });
    for (const name of ['good', 'known']) expect(parsed.value('cloud_up', { cloud: name })).toBe(1);
    const failed = (cloud: string, reason: string) =>
      parsed.value('cloud_exporter_collection_failures_total', { cloud, reason });
    for (const name of secrets) expect(failed(name, 'secret')).toBe(1);
    for (const name of unresolved) expect(failed(name, 'timeout')).toBe(1);
    expect(program.logged()).toContain('no answer within 5 s');
    program.signal('SIGTERM');
    // Node would wait for the threads that hang, so the signal itself ends it.
    expect(await program.ended).toBe('SIGTERM');
  });

  it('let a check end with words', async () => {
    const { run } = await mortalWorld();
    const script = "process.emit('SIGUSR2');";
    const node = [...run.node, '--import', `data:text/javascript,${encodeURIComponent(script)}`];
    const program = runProgram(main, { node, flags: ['check', ...run.flags] });
    await program.ended;
    expect(program.printed()).toContain('good: ok');
    expect(program.printed()).toContain('x.secret cannot be read: no answer within 5 s');
    expect(program.printed()).toContain('no answer within 2 s');
  });
});

describe('a log that cannot be written', () => {
  const lost = async ({ url }: { url: string }) =>
    (await scrape({ url })).value('cloud_exporter_log_lines_lost_total');

  it('ends nothing: the lines are counted', async () => {
    const port = await freePort();
    const flags = [
      `--web.listen-address=${ownAddress}:${port}`,
      '--web.enable-lifecycle',
      '--log.level=debug',
    ];
    const child = spawn(process.execPath, [main, ...flags], {
      env: account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'close');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    await once(child.stderr, 'data');
    child.stderr.destroy();
    await once(child.stderr, 'close');
    const url = `http://${ownAddress}:${port}`;
    expect((await fetch(`${url}/-/reload`, { method: 'POST' })).status).toBe(200);
    expect(await lost({ url })).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });

  it('is one on a disk that is full, too', async () => {
    const port = await freePort();
    const flags = `--web.listen-address=${ownAddress}:${port} --log.level=debug`;
    const child = spawn('sh', ['-c', `exec "$0" "$1" ${flags} 2>/dev/full`, process.execPath, main], {
      env: account,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = `http://${ownAddress}:${port}`;
    await firstAnswer(`${url}/-/ready`);
    expect(await lost({ url })).toBeGreaterThan(0);
  });
});

describe('a folder of clouds', () => {
  it('is reloaded file by file: the clouds of the others keep token and snapshot', async () => {
    const clouds = [await simulate({ servers: 1 }), await simulate({ servers: 2 })];
    const folder = await temporaryFolder();
    const write = (index: number, more: object = {}) =>
      writeFile(
        join(folder, `${index}.yml`),
        stringify({
          clouds: { [`cloud-${index}`]: settingsFor(clouds[index]!, { max_age: '1h', ...more }) },
        }),
      );
    await write(0);
    await write(1);
    const flags = [`--config.file=${folder}`, '--config.lenient', '--web.enable-lifecycle'];
    const program = await startProgram(main, { flags });
    const reload = async () => (await fetch(`${program.url}/-/reload`, { method: 'POST' })).status;
    await scrape(program);
    await write(1, { page_size: 9 });
    expect(await reload()).toBe(200);
    expect((await scrape(program)).sum('cloud_servers')).toBe(3);
    expect(clouds.map(({ journal }) => journal.count('login'))).toEqual([1, 2]);

    await writeFile(join(folder, '1.yml'), 'clouds: [');
    expect(await reload()).toBe(200);
    const left = await scrape(program);
    expect(left.of('cloud_up').map(({ labels }) => labels['cloud'])).toEqual(['cloud-0']);
    expect(left.value('cloud_exporter_config_files_rejected')).toBe(1);
    expect(left.value('cloud_exporter_config_reload_success')).toBe(1);
    expect(program.logged()).toContain('a bad file of the configuration is left out');
    expect(clouds[0]!.journal.count('login')).toBe(1);

    await write(1);
    expect(await reload()).toBe(200);
    expect((await scrape(program)).value('cloud_exporter_config_files_rejected')).toBe(0);
  });
});

describe('shards', () => {
  it('have each cloud in exactly one: in metrics, discovery and on the landing page', async () => {
    const cloud = await simulate({ servers: 1 });
    const names = Array.from({ length: 8 }, (_, index) => `cloud-${index}`);
    const file = join(await temporaryFolder(), 'clouds.yml');
    await writeFile(
      file,
      stringify({ clouds: Object.fromEntries(names.map((name) => [name, settingsFor(cloud)])) }),
    );
    for (const ordinal of [0, 1]) {
      const own = names.filter((name) => shardOf(name, 2) === ordinal);
      expect(own.length).toBeGreaterThan(0);
      const flags = [`--config.file=${file}`, `--shard=${ordinal}`, '--total-shards=2'];
      const program = await startProgram(main, { flags });
      const parsed = await scrape(program);
      expect(parsed.of('cloud_up').map(({ labels }) => labels['cloud'])).toEqual(own);
      expect(parsed.value('cloud_exporter_shard_ordinal')).toBe(ordinal);
      expect(parsed.value('cloud_exporter_total_shards')).toBe(2);
      const targets = (await (await fetch(`${program.url}/sd/clouds`)).json()) as {
        labels: Record<string, string>;
      }[];
      expect(targets.map(({ labels }) => labels['instance'])).toEqual(own);
      const page = await (await fetch(program.url)).text();
      expect(names.filter((name) => page.includes(`>${name}<`))).toEqual(own);
      program.signal('SIGTERM');
      expect(await program.ended).toBe(0);
    }
  });

  it('run without a cloud, and say so nowhere as a fault', async () => {
    const cloud = await simulate({ servers: 1 });
    const other = String(1 - shardOf('default', 2));
    const flags = [`--shard=${other}`, '--total-shards=2'];
    const program = await startProgram(main, { flags, environment: environmentFor(cloud) });
    const parsed = await scrape(program);
    expect(parsed.of('cloud_up')).toEqual([]);
    expect(parsed.value('cloud_exporter_shard_ordinal')).toBe(Number(other));
    expect(await (await fetch(`${program.url}/sd/clouds`)).json()).toEqual([]);
    expect((await fetch(program.url)).status).toBe(200);
  });
});

describe('--web.disable-exporter-metrics', () => {
  it('leaves out process_* and nodejs_*, and nothing of ours', async () => {
    const environment = environmentFor(await simulate({ servers: 1 }));
    const flags = ['--web.disable-exporter-metrics'];
    const { samples } = await scrape(await startProgram(main, { flags, environment }));
    expect(samples.filter(({ name }) => !name.startsWith('cloud_'))).toEqual([]);
    expect(samples.some(({ name }) => name === 'cloud_exporter_build_info')).toBe(true);
  });
});

describeWith(['systemd-socket-activate'], '--web.systemd-socket', () => {
  it('answers on the socket that systemd opened', async () => {
    const port = await freePort();
    const variables = Object.entries(account).map(([name, value]) => `--setenv=${name}=${value}`);
    const words = [`--listen=${ownAddress}:${port}`, ...variables, process.execPath, main];
    const child = spawn(pathOf('systemd-socket-activate'), [...words, '--web.systemd-socket'], {
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = `http://${ownAddress}:${port}/-/healthy`;
    expect(await firstAnswer(url)).toBe('cloud-platform-exporter is healthy.\n');
  });

  it('is refused with words where there is none', async () => {
    const program = runProgram(main, { environment: account, flags: ['--web.systemd-socket'] });
    expect(await program.ended).toBe(1);
    expect(program.logged()).toContain('--web.systemd-socket: systemd handed over no socket');
  });
});

describe('a variable that is misspelt', () => {
  it('is warned about at start, by its name', async () => {
    const environment = { ...account, OS_PASSWORT: 'hunter2', YUNION_INSECURE: 'true' };
    const program = await startProgram(main, { environment });
    expect(program.logged()).toContain(
      'OS_PASSWORT: is no variable of the exporter; did you mean OS_PASSWORD?',
    );
    expect(program.logged()).toContain('the certificate of the platform is not verified');
    expect(program.logged()).not.toContain('hunter2');
  });
});
