import { describe, expect, it } from 'vitest';
import { createGate } from '../support/gate.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { parseExposition } from '../support/exposition.ts';

async function explain({ url }: { readonly url: string }, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/probe?cloud=one&debug=true`, { headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const text = await answer.text();
  const [story = '', metrics = ''] = text.split('\nThe metrics:\n\n');
  return { text, story, steps: stepsIn(story), metrics };
}

function stepsIn(text: string): string[] {
  return [...text.matchAll(/^ +\+\d+\.\d{3} s {2}(.*)$/gm)].map(([, step = '']) => step);
}

/** Addresses, durations and numbers of projects differ from run to run. */
function plain(step: string): string {
  return step
    .replace(/https?:\/\/[\w.:]+/, 'http://cloud')
    .replace(/\d+ bytes, \d+\.\d{3} s/, 'N bytes, N s')
    .replace(/of \d+ projects/, 'of N projects');
}

const beside = { list_hosts: false, list_storages: false, list_networks: false, list_syncs: false };
const quiet = { page_size: 50, ...beside };

/** An exporter of one cloud; what its collections do is told as short as can be, unless it is asked for. */
const setUp = (servers = 3, settings: object = quiet) => exportCloud({ servers, settings });

describe('/probe?debug=true', () => {
  it('tells of the lists beside the servers, and why there is none', async () => {
    const { cloud, exporter } = await setUp(80, {});
    const { story, steps, metrics } = await explain(exporter);
    expect(story).toMatch(/^cloud one, asked at \d{4}-\S+Z\nThis scrape started a collection:\n/);
    expect(steps.slice(0, 4).map(plain)).toEqual([
      'collection started',
      'no token is held',
      'in detail: to begin with',
      'logging in (startup)',
    ]);
    expect(steps.at(-1)).toContain(`; ${cloud.fleet.hosts.length} hosts; `);
    const parsed = parseExposition(metrics);
    expect(parsed.sum('cloud_servers', { cloud: 'one' })).toBe(80);
    expect(parsed.families.has('cloud_exporter_build_info')).toBe(false);
    const ordinary = await exporter.text('/probe?cloud=one&debug=false');
    expect(parseExposition(ordinary).value('cloud_up')).toBe(1);
    cloud.faults.set({ operation: 'hosts', fault: { kind: 'status', code: 403 } });
    expect(plain((await explain(exporter)).steps.at(-1)!)).toContain(
      '; hosts not listed (forbidden): GET http://cloud/compute/hosts: status 403',
    );
  });

  it('tells a failure with its reason, its meaning and its cure', async () => {
    const { cloud, exporter } = await setUp();
    cloud.setPassword('changed-meanwhile');
    const { story, steps, metrics } = await explain(exporter);
    expect(steps.slice(3).map(plain)).toEqual([
      'logging in (startup)',
      'login http://cloud/identity/v3/auth/tokens: 401, N bytes, N s',
      'login failed (unauthorized)',
      'failed (unauthorized): POST http://cloud/identity/v3/auth/tokens: status 401 (WrongPassword): the password is wrong',
      expect.stringMatching(/^The login was refused, .*Check user, password, domain and project/),
    ]);
    expect(story).toContain('The answer has no numbers of servers: there is no snapshot.');
    expect(parseExposition(metrics).value('cloud_up')).toBe(0);
  });

  it('tells that it joined a collection, and that patience ended first', async () => {
    const { cloud, exporter } = await setUp();
    const [arrived, gate] = [createGate(), createGate()];
    cloud.hooks.beforePage = () => {
      arrived.open();
      return gate.passed;
    };
    const first = exporter.text('/probe?cloud=one');
    await arrived.passed;
    const hasty = await explain(exporter, { 'X-Prometheus-Scrape-Timeout-Seconds': '0.1' });
    expect(hasty.story).toMatch(/^This scrape joined a collection that was running:$/m);
    expect(hasty.story).toContain('The collection was not done when patience ended; it goes on');
    expect(hasty.steps.at(-1)).not.toContain('succeeded');
    gate.open();
    expect(parseExposition(await first).value('cloud_up')).toBe(1);
    expect(cloud.journal.count('list')).toBe(1);
  });

  it('tells that the platform was not asked, where the snapshot is younger than max_age', async () => {
    const { cloud, exporter } = await setUp(3, { max_age: '1h' });
    await exporter.text('/metrics');
    const { story, steps } = await explain(exporter);
    expect(story).toContain('This scrape asked the platform nothing: the snapshot is younger than max_age.');
    expect(steps.at(-1)).toMatch(/^succeeded: 3 servers/);
    expect(cloud.journal.count('list')).toBe(1);
  });

  it('keeps the last 500 steps, says how many came before, and holds no secret of a query', async () => {
    const query = { scope: 'system', api_token: 'hush-hush', 'X-Secret': 'hush-hush' };
    const { exporter } = await setUp(600, { ...quiet, page_size: 1, query });
    const { text, story, steps } = await explain(exporter);
    expect(steps).toHaveLength(500);
    expect(story).toMatch(/^ *\(\d+ earlier steps are left out\)$/m);
    expect(steps.at(-1)).toMatch(/^succeeded: 5\d\d servers/);
    expect(text).toContain('api_token=[hidden]');
    expect(text).not.toContain('hush-hush');
  });
});
