import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { createTrace } from '../../src/inventory/trace.ts';
import { exporterAccount } from '../../src/simulator/accounts.ts';
import { Failure } from '../../src/transport/failure.ts';
import { createGate } from '../support/gate.ts';
import { parseExposition } from '../support/exposition.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, type RunningExporter } from '../support/simulated.ts';

async function explain(exporter: RunningExporter, cloud = 'one', headers: Record<string, string> = {}) {
  const answer = await fetch(`${exporter.url}/probe?cloud=${cloud}&debug=true`, { headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const text = await answer.text();
  const [story = '', metrics = ''] = text.split('\nThe metrics:\n\n');
  const steps = [...story.matchAll(/^ +\+\d+\.\d{3} s {2}(.*)$/gm)].map(([, step = '']) => step);
  return { text, story, steps, metrics };
}

/** Addresses and durations differ from run to run. */
function plain(step: string): string {
  return step
    .replace(/http:\/\/127\.0\.0\.1:\d+/, 'http://cloud')
    .replace(/\[\d+ (fields|ids)\]/, '[N $1]')
    .replace(/\d+ bytes, \d+\.\d{3} s/, 'N bytes, N s')
    .replace(/again in \d+\.\d{3} s/, 'again in N s')
    .replace(/until \S+/, 'until LATER');
}

const quiet = { page_size: 50, list_hosts: false, list_storages: false };

const asked = (details: boolean, range: string) =>
  `list_servers http://cloud/compute/servers?details=${details}&limit=50&order_by=id&order=asc${range}&scope=system&pending_delete=all&field=[N fields]: 200, N bytes, N s`;

/** An exporter of one cloud; what its collections do is told as short as can be, unless it is asked for. */
async function setUp(servers = 3, more: object = quiet, clock?: Clock) {
  const cloud = await simulate({ servers });
  return { cloud, exporter: await runExporter({ one: settingsFor(cloud, more) }, clock && { clock }) };
}

describe('/probe?debug=true', () => {
  it('tells of the lists beside the servers, and why there is none', async () => {
    const { cloud, exporter } = await setUp(80, {});
    const hosts = cloud.fleet.hosts.length;
    expect((await explain(exporter)).steps.at(-1)).toContain(`; ${hosts} hosts; `);
    const ordinary = await exporter.text('/probe?cloud=one&debug=false');
    expect(parseExposition(ordinary).value('cloud_up')).toBe(1);
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 } });
    const { steps } = await explain(exporter);
    expect(plain(steps.at(-1)!)).toContain(
      '; hosts not listed (forbidden): GET http://cloud/compute/hosts: status 403',
    );
  });

  it('tells every step of a collection, and then the metrics', async () => {
    const { exporter } = await setUp(80);
    const { story, steps, metrics } = await explain(exporter);
    expect(story).toMatch(/^cloud one, asked at \d{4}-\S+Z\nThis scrape started a collection:\n/);
    const [pages, others] = [true, false].map((isPage) =>
      steps.map(plain).filter((step) => /^list_servers|^page read/.test(step) === isPage),
    );
    expect(others).toEqual([
      'collection started',
      'no token is held',
      'reading: in detail: to begin with',
      'logging in (startup)',
      'login http://cloud/identity/v3/auth/tokens: 200, N bytes, N s',
      'listed with scope system, as query says',
      expect.stringMatching(
        /^succeeded: 80 servers of \d+ projects in 16 pages, 80 announced, none rejected$/,
      ),
    ]);
    expect(pages).toHaveLength(32);
    expect(pages).toContain(asked(true, '&filter=id.le(%221%22)'));
    expect(pages!.at(-1)).toBe('page read: 80 of 80 servers');
    expect(story).toMatch(/\nThe answer is the snapshot of \S+Z, \d+\.\d{3} s old\.\n$/);
    const parsed = parseExposition(metrics);
    expect(parsed.sum('cloud_servers', { cloud: 'one' })).toBe(80);
    expect(parsed.families.has('cloud_exporter_build_info')).toBe(false);
  });

  it('tells that the list was read again, and what was rejected', async () => {
    const cloud = await simulate({ servers: 3 });
    cloud.quirks.total = (real) => real + 2;
    cloud.quirks.rewriteServer = (server) =>
      server['id'] === cloud.fleet.servers[0]!.id ? { ...server, disk: 'much' } : server;
    const exporter = await runExporter({ one: settingsFor(cloud, quiet) });
    const { steps } = await explain(exporter);
    expect(steps).toContain('reading: by offset: 3 answers in a row had a total and no records');
    expect(steps).toContain('reading: once more: 3 arrived, 5 were announced');
    expect(steps.at(-1)).toMatch(
      /^succeeded: 2 servers .* in \d+ pages, 5 announced, 1 bad_number rejected$/,
    );
  });

  it('tells a failure with its reason, its meaning and its cure', async () => {
    const cloud = await simulate({ servers: 3 });
    cloud.setPassword('changed-meanwhile');
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const { story, steps, metrics } = await explain(exporter);
    expect(steps.slice(3).map(plain)).toEqual([
      'logging in (startup)',
      'login http://cloud/identity/v3/auth/tokens: 401, N bytes, N s',
      'login failed (unauthorized)',
      'failed (unauthorized): POST http://cloud/identity/v3/auth/tokens: status 401 (WrongPassword): the password is wrong',
      expect.stringMatching(/^The login was refused, .*Check user, password, domain and project/),
    ]);
    expect(story).toContain('The answer has no numbers of servers: there is no snapshot to tell from.');
    expect(parseExposition(metrics).value('cloud_up')).toBe(0);
  });

  it('tells that it joined a collection, and that patience ended first', async () => {
    const cloud = await simulate({ servers: 3 });
    const gate = createGate();
    const arrived = createGate();
    cloud.hooks.beforePage = () => {
      arrived.open();
      return gate.passed;
    };
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const first = exporter.text('/probe?cloud=one');
    await arrived.passed;
    const hasty = await explain(exporter, 'one', { 'X-Prometheus-Scrape-Timeout-Seconds': '0.1' });
    expect(hasty.story).toMatch(
      /\nThis scrape joined a collection that had been running for \d+\.\d{3} s:\n/,
    );
    expect(hasty.story).toContain('The collection was not done when patience ended; it goes on');
    expect(hasty.steps.at(-1)).not.toContain('succeeded');
    gate.open();
    expect(parseExposition(await first).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('list')).toBe(16);
  });

  it('tells that the platform was not asked, where the snapshot is younger than max_age', async () => {
    const { cloud, exporter } = await setUp(3, { max_age: '1h' });
    await exporter.text('/metrics');
    const { story, steps } = await explain(exporter);
    expect(story).toContain('This scrape asked the platform nothing: the snapshot is younger than max_age.');
    expect(steps.at(-1)).toMatch(/^succeeded: 3 servers/);
    expect(cloud.journal.count('list')).toBe(16);
  });

  it.each(['document', 'platform'] as const)('holds no secret, in the dialect of the %s', async (dialect) => {
    const cloud = await simulate({ servers: 3, dialect });
    const query = { scope: 'system', api_token: 'hush-hush', 'X-Secret': 'hush-hush' };
    const exporter = await runExporter({ one: settingsFor(cloud, { query }) });
    const stories = [await explain(exporter)];
    const tokens = [cloud.latestToken!];
    cloud.revokeTokens();
    stories.push(await explain(exporter));
    tokens.push(cloud.latestToken!);
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
    stories.push(await explain(exporter));
    const everything = stories.map(({ text }) => text).join('\n');
    expect(everything).toContain('api_token=[hidden]');
    for (const secret of [exporterAccount.password, 'hush-hush', ...tokens])
      expect(everything).not.toContain(secret);
    expect(new Set(tokens).size).toBe(2);
  });
});

/** The page has another address, and other numbers of projects. */
function told(step: string): string {
  return plain(step)
    .replace(/https?:\/\/[\w.:]+/, 'http://cloud')
    .replace(/\(%22[\w-]+%22\)/, '(%22ID%22)')
    .replace(/\d+ due/, 'N due')
    .replace(/of \d+ projects/, 'of N projects');
}

it('docs/check.md shows such a story', async () => {
  const documentation = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8');
  const shown = [...documentation.matchAll(/^ +\+\d+\.\d{3} s {2}(.*)$/gm)].map(([, step = '']) => step);
  const cloud = await simulate({ servers: 700 });
  const clock = createEagerClock((ms) => ms < 1000);
  const exporter = await runExporter(
    { prod: settingsFor(cloud, { ...quiet, concurrency: 1, page_size: 500, query: {} }) },
    { clock },
  );
  await exporter.text('/metrics');
  await exporter.text('/metrics');
  cloud.revokeTokens();
  cloud.faults.set({ operation: 'list', page: 1, times: 1, fault: { kind: 'status', code: 502 } });
  const { story, steps } = await explain(exporter, 'prod');
  expect(steps.map(told)).toEqual(shown.map(told));
  for (const line of story.split('\n').filter((text) => /^The answer|^This scrape/.test(text)))
    expect(documentation).toContain(line.replace(/ of \d{4}-.*$/, ' of '));
});

describe('a trace', () => {
  const deaf = () => undefined;
  const failing = { collecting: deaf, collectionFailed: deaf, answeredStale: deaf };
  const next = { ...failing, loggingIn: deaf, loginFailed: deaf, attempted: deaf, retrying: deaf };

  it('keeps the last 500 steps, and says how many came before', () => {
    const trace = createTrace({ clock: systemClock, next });
    trace.observer.collecting();
    for (let page = 1; page <= 10_000; page += 1) trace.pageRead({ received: page, reported: 10_000 });
    const lines = trace.latest()!.lines();
    expect(lines).toHaveLength(501);
    expect(lines[0]).toBe('(9501 earlier steps are left out)');
    expect(lines.at(-1)).toContain('page read: 10000 of 10000 servers');
  });

  it('is of one collection: the next one begins anew, and what comes after the end is left out', () => {
    const trace = createTrace({ clock: systemClock, next });
    trace.observer.loggingIn('startup');
    expect(trace.latest()).toBeUndefined();
    trace.observer.collecting();
    const message = 'GET /servers: no answer within 20 s';
    trace.observer.collectionFailed(new Failure('timeout', message, { operation: 'list_servers' }));
    const first = trace.latest()!;
    expect(first.isRunning()).toBe(false);
    expect(first.lines()).toHaveLength(3);
    trace.observer.loggingIn('rejected');
    expect(first.lines()).toHaveLength(3);
    trace.observer.collecting();
    expect(trace.latest()!.lines()).toHaveLength(1);
    expect(first.lines()).toHaveLength(3);
  });
});
