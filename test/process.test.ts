import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { exporterAccount } from '../src/simulator/accounts.ts';
import { eventually } from './simulator/raw-request.ts';
import { parseExposition } from './support/exposition.ts';
import { createGate } from './support/gate.ts';
import { buildProgram, environmentFor, runProgram, startProgram } from './support/program.ts';
import { settingsFor } from './support/settings.ts';
import { simulate, temporaryFolder } from './support/simulated.ts';

let built: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built.remove());

const secret = 'hunter2-is-a-secret';
const account = { OS_AUTH_URL: 'http://127.0.0.1:9', OS_USERNAME: 'exporter', OS_PASSWORD: secret };

/** What the program says of a mistake: nothing on standard output, a headline, one line a problem. */
async function problemsOf(run: Parameters<typeof runProgram>[1]): Promise<string[]> {
  const program = runProgram(built.main, run);
  expect(await program.ended).toBe(1);
  expect(program.printed()).toBe('');
  expect(program.logged()).not.toContain(secret);
  expect(program.logged()).not.toMatch(/^\s+at /m);
  const [headline, ...lines] = program.logged().trimEnd().split('\n');
  expect(headline).toBe('cloud-platform-exporter cannot start:');
  return lines.map((line) => line.trim());
}

describe('a mistake ends the program before it listens, with code 1 and without a stack', () => {
  it.each([
    [
      'no configuration',
      {},
      'no configuration: set OS_AUTH_URL, OS_USERNAME, OS_PASSWORD and the others, or give --config.file; `--demo` needs neither',
    ],
    [
      'an unknown flag',
      { flags: ['--web.listen-adress=:1'], environment: account },
      '--web.listen-adress: unknown flag; did you mean --web.listen-address?',
    ],
    [
      'a number that is none',
      { flags: ['--web.max-requests=many'], environment: account },
      '--web.max-requests: must be a whole number, 0 for no limit',
    ],
    [
      'two identity methods',
      { environment: { ...account, OS_TOKEN: secret } },
      'OS_TOKEN: two identity methods are given (password and token); keep one of them',
    ],
    [
      'a CA file that is not there',
      { environment: { ...account, OS_CACERT: '/nowhere/ca.pem' } },
      'OS_CACERT: ca.pem cannot be read (ENOENT)',
    ],
    [
      'a malformed URL',
      { environment: { ...account, OS_AUTH_URL: 'cloud.example.com/v3' } },
      'OS_AUTH_URL: is not a URL: write it in full, such as https://cloud.example.com:30500',
    ],
    [
      'a secret file that is a folder',
      { environment: { OS_AUTH_URL: 'http://a', OS_USERNAME: 'a', OS_PASSWORD_FILE: '/' } },
      'OS_PASSWORD_FILE: the file cannot be read (EISDIR)',
    ],
    [
      'a web configuration that is not there',
      { environment: account, flags: ['--web.config.file', '/nowhere/web.yml'] },
      '--web.config.file: /nowhere/web.yml cannot be read (ENOENT)',
    ],
  ])('%s', async (_words, run, problem) => {
    expect(await problemsOf(run)).toEqual([problem]);
  });

  it('every mistake of both files at once', async () => {
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

describe('asked for itself, the program prints to standard output and ends with 0', () => {
  it.each([
    ['--version', /^cloud-platform-exporter \d+\.\d+\.\d+\n$/],
    ['--help', /--web\.config\.file=FILE +TLS, client certificates and basic auth/],
  ])('%s', async (flag, expected) => {
    const program = runProgram(built.main, { flags: [flag] });
    expect(await program.ended).toBe(0);
    expect(program.printed()).toMatch(expected);
    expect(program.logged()).toBe('');
  });
});

it('keeps the code that it has compiled while it is idle, for which V8 has to be told before all else', async () => {
  const traces = Number.parseInt(process.versions.v8) < 12 ? '--trace-gc-verbose' : '--trace-memory-reducer';
  // At once, unless it is told otherwise before garbage is first collected.
  const node = ['--trace-gc', traces, '--gc-memory-reducer-start-delay-ms=1'];
  const program = await startProgram(built.main, { flags: ['--demo'], node });
  await (await fetch(`${program.url}/metrics`)).text();
  program.signal('SIGTERM');
  await program.ended;
  expect(program.printed()).toContain('Mark-Compact');
  expect(program.printed()).not.toContain('unrecognized flag');
  expect(program.printed()).not.toMatch(/memory reducer/i);
});

describe('SIGTERM', () => {
  it('loses no scrape that is under way, refuses new ones, and ends with 0', async () => {
    const cloud = await simulate({ servers: 60 });
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const program = await startProgram(built.main, { environment: environmentFor(cloud) });
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

  it('ends an idle program with 0, as Ctrl-C does', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const program = await startProgram(built.main, { environment: account });
      program.signal(signal);
      expect(await program.ended).toBe(0);
    }
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
      const program = await startProgram(built.main, {
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

async function twoClouds() {
  const [one, two] = [await simulate({ servers: 11 }), await simulate({ servers: 22 })];
  const file = join(await temporaryFolder(), 'clouds.yml');
  const write = (clouds: object) => writeFile(file, stringify({ clouds }));
  await write({ one: settingsFor(one), two: settingsFor(two) });
  return { one, two, file, write };
}

const post = async ({ url }: { url: string }) => {
  const answer = await fetch(`${url}/-/reload`, { method: 'POST' });
  return [answer.status, await answer.text()];
};

const clouds = async ({ url }: { url: string }) =>
  parseExposition(await (await fetch(`${url}/metrics`)).text()).of('cloud_up').length;

describe('a reload', () => {
  it('by SIGHUP takes a new file over whole, or not at all', async () => {
    const { one, two, file, write } = await twoClouds();
    const program = await startProgram(built.main, { flags: [`--config.file=${file}`] });
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

  it('by POST works only where it was allowed', async () => {
    const { two, file, write } = await twoClouds();
    const flags = [`--config.file=${file}`];
    const closed = await startProgram(built.main, { flags });
    const open = await startProgram(built.main, { flags: [...flags, '--web.enable-lifecycle'] });
    await write({ two: settingsFor(two) });
    expect(await post(closed)).toEqual([
      403,
      'reloading is off; start with --web.enable-lifecycle, or send SIGHUP\n',
    ]);
    expect(await post(open)).toEqual([200, 'reloaded\n']);
    await write({ two: settingsFor(two, { password: secret, passwort: secret }) });
    expect(await post(open)).toEqual([
      500,
      `the old configuration stays:\n${file}:12: clouds.two.passwort: unknown key; did you mean password?\n`,
    ]);
    expect([await clouds(closed), await clouds(open)]).toEqual([2, 1]);
  });
});

describe('the limit of scrapes', () => {
  it('turns the next one away while so many are answered, but no health check', async () => {
    const cloud = await simulate({ servers: 5 });
    const gate = createGate();
    cloud.hooks.beforePage = () => gate.passed;
    const flags = ['--web.max-requests=1'];
    const program = await startProgram(built.main, { flags, environment: environmentFor(cloud) });
    const first = fetch(`${program.url}/metrics`);
    await eventually(() => cloud.journal.count('list') === 1);
    const paths = ['/metrics', '/probe?cloud=default', '/sd/servers', '/-/healthy', '/'];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(program.url + path)).status));
    expect(statuses).toEqual([503, 503, 503, 200, 200]);
    gate.open();
    expect((await first).status).toBe(200);
  });
});
