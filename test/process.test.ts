import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { exporterAccount } from '../src/simulator/accounts.ts';
import { eventually } from './simulator/raw-request.ts';
import { parseExposition } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { builtProgram, environmentFor, runProgram, startProgram } from './support/program.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

const main = await builtProgram();

const secret = 'hunter2-is-a-secret';
const account = { OS_AUTH_URL: 'http://127.0.0.1:9', OS_USERNAME: 'exporter', OS_PASSWORD: secret };

/** What the program says of a mistake: nothing on standard output, a headline, one line a problem. */
async function problemsOf(run: Parameters<typeof runProgram>[1]): Promise<string[]> {
  const program = runProgram(main, run);
  expect(await program.ended).toBe(1);
  expect(program.printed()).toBe('');
  expect(program.logged()).not.toContain(secret);
  expect(program.logged()).not.toMatch(/^\s+at /m);
  const [headline, ...lines] = program.logged().trimEnd().split('\n');
  expect(headline).toBe('cloud-platform-exporter cannot start:');
  return lines.map((line) => line.trim());
}

describe('mistakes end the program before it listens, with code 1 and without a stack', () => {
  it.each([
    [
      'no configuration',
      {},
      [
        'no configuration: set OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and the others, or give --config.file; `--demo` needs neither',
      ],
    ],
    [
      'all of the flags',
      {
        flags: ['--web.listen-adress=:1', '--web.max-requests=many', '--shard=2', '--total-shards=2'],
        environment: account,
      },
      [
        '--web.listen-adress: unknown flag; did you mean --web.listen-address?',
        '--shard: must be a number from 0 to 1, since --total-shards is 2',
        '--web.max-requests: must be a whole number, 0 for no limit',
      ],
    ],
    [
      'all of the environment',
      {
        flags: ['--web.config.file', '/nowhere/web.yml'],
        environment: { ...account, OS_TOKEN: secret, OS_CACERT: '/nowhere/ca.pem' },
      },
      [
        'OS_TOKEN: two identity methods are given (password and token); keep one of them',
        'OS_CACERT: /nowhere/ca.pem cannot be read (ENOENT)',
        '--web.config.file: /nowhere/web.yml cannot be read (ENOENT)',
      ],
    ],
    [
      'addresses and paths that cannot be',
      {
        flags: [
          `--web.external-url=https://user:${secret}@exporter.example.com`,
          '--web.telemetry-path=/Runbook/',
        ],
        environment: account,
      },
      [
        '--web.telemetry-path: is /runbook, which the exporter has for something else; choose another',
        '--web.external-url: must not contain a user name or password',
      ],
    ],
  ])('%s', async (_words, run, problems) => {
    expect(await problemsOf(run)).toEqual(problems);
  });

  it('all of both files', async () => {
    const folder = await temporaryFolder();
    const [clouds, web] = [join(folder, 'clouds.yml'), join(folder, 'web.yml')];
    await writeFile(clouds, stringify({ clouds: { one: { auth_url: 'http://a', pasword: secret } } }));
    await writeFile(web, stringify({ basic_auth_users: { prometheus: secret } }));
    const flags = [`--config.file=${clouds}`, `--web.config.file=${web}`];
    expect(await problemsOf({ flags })).toEqual([
      `${clouds}:4: clouds.one.pasword: unknown key; did you mean password?`,
      `${clouds}:2: clouds.one.username: no way to log in: give username and password, token, access_key and secret_key, or cas_ticket`,
      `${web}:2: basic_auth_users.prometheus: is not a bcrypt hash; make one with \`htpasswd -nBC 10 ""\``,
    ]);
  });

  it('a port that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const flags = [`--web.listen-address=127.0.0.1:${port}`];
    expect(await problemsOf({ flags, environment: account })).toEqual([
      `cannot listen on 127.0.0.1:${port}: another program has this port; choose another with --web.listen-address`,
    ]);
  });
});

describe('a Node that is too old', () => {
  it.each(['18.20.8', '20.18.3', '12.22.12'])('is told in one line, with 1: %s', async (version) => {
    const script = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
    const node = ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
    const program = runProgram(main, { node, environment: account });
    expect(await program.ended).toBe(1);
    expect(program.logged()).toMatch(
      /^cloud-platform-exporter needs Node 20\.19 or newer; this is v[\d.]+\n$/,
    );
  });

  it('can read what says so: it imports nothing before, and has no newer syntax', async () => {
    const text = await readFile(main, 'utf8');
    expect(text).toContain("import('./program.js')");
    expect(text.replace(/^\/\/.*$/gm, '')).not.toMatch(/^import |\bawait\b|\?\.|\?\?/m);
  });
});

describe('asked for itself, the program prints to standard output and ends with 0', () => {
  it.each([
    ['--version', /^cloud-platform-exporter \d+\.\d+\.\d+\n$/],
    ['--help', /--web\.config\.file=FILE +TLS, client certificates and basic auth/],
  ])('%s', async (flag, expected) => {
    const program = runProgram(main, { flags: [flag] });
    expect(await program.ended).toBe(0);
    expect(program.printed()).toMatch(expected);
    expect(program.logged()).toBe('');
  });
});

describe('SIGTERM', () => {
  it('loses no scrape that is under way, refuses new ones, and ends with 0', async () => {
    const cloud = await simulate({ servers: 60 });
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
      expect(parseExposition(body).sum('cloud_servers')).toBe(60);
    }
    expect(await program.ended).toBe(0);
  });

  it('ends an idle program with 0 as Ctrl-C does', async () => {
    const program = await startProgram(main, { environment: account });
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });
});

describe('a bug that nobody caught', () => {
  it.each([
    ['a promise that was dropped', 'Promise.reject(new Error("planted"))'],
    ['an error in a callback', 'setImmediate(() => { throw new Error("planted") })'],
  ])(
    'is logged, and ends the program with 70, which is not the code of a mistake: %s',
    async (_words, bug) => {
      const preload = `process.on('SIGUSR2', () => { ${bug} })`;
      const program = await startProgram(main, {
        node: ['--import', `data:text/javascript,${encodeURIComponent(preload)}`],
        environment: account,
      });
      program.signal('SIGUSR2');
      expect(await program.ended).toBe(70);
      expect(program.logged()).toContain('"msg":"a bug ended the exporter"');
      expect(program.logged()).toContain('Error: planted');
    },
  );
});

it('a warning of Node goes to the log, and nowhere else', async () => {
  const preload = `process.on('SIGUSR2', () => process.emitWarning('planted', 'PlantedWarning'))`;
  const program = await startProgram(main, {
    node: ['--import', `data:text/javascript,${encodeURIComponent(preload)}`],
    environment: account,
  });
  program.signal('SIGUSR2');
  await program.logs('PlantedWarning');
  const lines = program.logged().trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(told.at(-1)).toMatchObject({ level: 'warn', warning: 'PlantedWarning', msg: 'planted' });
});

async function twoClouds() {
  const [one, two] = [await simulate({ servers: 11 }), await simulate({ servers: 22 })];
  const file = join(await temporaryFolder(), 'clouds.yml');
  const write = (clouds: object) => writeFile(file, stringify({ clouds }));
  await write({ one: settingsFor(one), two: settingsFor(two) });
  return { one, two, file, write };
}

describe('a reload', () => {
  it('by SIGHUP takes a new file over whole, or not at all', async () => {
    const { one, two, file, write } = await twoClouds();
    const program = await startProgram(main, { flags: [`--config.file=${file}`] });
    const scrape = async () => parseExposition(await (await fetch(`${program.url}/metrics`)).text());
    expect((await scrape()).sum('cloud_servers')).toBe(33);

    await write({ one: { ...settingsFor(one), page_size: 0, password: secret }, three: { auth_url: 'x' } });
    program.signal('SIGHUP');
    await program.logs('configuration not reloaded, the old one stays');
    for (const problem of [
      'one.page_size: must be at least 1',
      'three.auth_url: is not a URL',
      'three.username',
    ])
      expect(program.logged()).toContain(problem);
    expect(program.logged()).not.toContain(secret);
    expect(program.logged()).not.toContain(exporterAccount.password);
    const kept = await scrape();
    expect(kept.value('cloud_exporter_config_reload_success')).toBe(0);
    expect(kept.sum('cloud_servers')).toBe(33);

    await write({ two: settingsFor(two) });
    program.signal('SIGHUP');
    await program.logs('"msg":"configuration reloaded"');
    const swapped = await scrape();
    expect(swapped.value('cloud_exporter_config_reload_success')).toBe(1);
    expect(swapped.of('cloud_up').map(({ labels }) => labels['cloud'])).toEqual(['two']);
    expect([one.journal.count('login'), two.journal.count('login')]).toEqual([1, 1]);
  });

  it('by POST is refused unless it was allowed', async () => {
    const program = await startProgram(main, { environment: account });
    const answer = await fetch(`${program.url}/-/reload`, { method: 'POST' });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toBe('reloading is off; start with --web.enable-lifecycle, or send SIGHUP\n');
  });
});

describe('the paths of the program', () => {
  it('starve nobody while clouds hang, however few answers may be written at once', async () => {
    const [hanging, good] = [await simulate({ servers: 5 }), await simulate({ servers: 6 })];
    hanging.faults.set({ operation: 'list', fault: { kind: 'hang' } });
    const file = join(await temporaryFolder(), 'clouds.yml');
    await writeFile(file, stringify({ clouds: { hanging: settingsFor(hanging), good: settingsFor(good) } }));
    const flags = [`--config.file=${file}`, '--web.max-requests=1'];
    const program = await startProgram(main, { flags });
    const waiting = Array.from({ length: 45 }, () =>
      fetch(`${program.url}/probe?cloud=hanging`).catch(() => undefined),
    );
    await eventually(() => hanging.journal.count('list') > 0);
    const scrape = await fetch(`${program.url}/probe?cloud=good`);
    expect([scrape.status, parseExposition(await scrape.text()).sum('cloud_servers')]).toEqual([200, 6]);
    program.signal('SIGKILL');
    await Promise.all(waiting);
  });

  it('include the servers only where they were asked for, and the runbook and its address', async () => {
    const cloud = await simulate({ servers: 5 });
    const environment = environmentFor(cloud);
    const status = async (url: string, path: string) => (await fetch(url + path)).status;
    const closed = await startProgram(main, { environment });
    expect(await status(closed.url, '/sd/servers')).toBe(404);
    expect(await status(closed.url, '/sd/clouds')).toBe(200);
    expect(await status(closed.url, '/runbook')).toBe(200);
    const flags = ['--web.enable-discovery', '--web.external-url=https://exporter.example.com/clouds/'];
    const open = await startProgram(main, { environment, flags });
    expect(await status(open.url, '/sd/servers')).toBe(200);
    const own = parseExposition(await (await fetch(`${open.url}/metrics?collect[]=exporter`)).text());
    const url = 'https://exporter.example.com/clouds';
    expect(own.value('cloud_exporter_external_url_info', { url })).toBe(1);
  });
});
