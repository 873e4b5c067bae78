import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { patienceOf } from '../../src/http/metrics.ts';
import { exportCloud } from '../support/exported-cloud.ts';
import { parseExposition } from '../support/exposition.ts';
import { createGate } from '../support/gate.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

async function setUp() {
  const cloud = await simulate({ servers: 20 });
  const exporter = await runExporter({ one: settingsFor(cloud), 'a&b': settingsFor(cloud) });
  return { cloud, exporter, http: request(exporter.url) };
}

describe('the endpoints', () => {
  it('give the same samples as text, as OpenMetrics and packed, from one rendering', async () => {
    const { exporter } = await setUp();
    const text = await fetch(`${exporter.url}/metrics`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(text.headers.get('vary')).toBe('Accept, Accept-Encoding');
    const plain = parseExposition(await text.text());
    const headers = { Accept: 'application/openmetrics-text', 'Accept-Encoding': 'gzip' };
    const packed = await fetch(`${exporter.url}/metrics`, { headers });
    const body = await packed.text();
    expect(body).toContain('# UNIT cloud_servers_memory_bytes bytes\n');
    expect(body).not.toMatch(/_created[ {]/);
    const openmetrics = parseExposition(body, true);
    expect(openmetrics.of('cloud_servers')).toEqual(plain.of('cloud_servers'));
    expect(plain.sum('cloud_servers')).toBe(40);
    expect(openmetrics.families.get('cloud_exporter_collections')?.type).toBe('counter');
    expect(plain.families.get('cloud_exporter_collections_total')?.type).toBe('counter');
  });

  it('give the exporter’s own metrics alone for collect[]=exporter, and ask no platform for it', async () => {
    const { cloud, exporter, http } = await setUp();
    const own = parseExposition(await exporter.text('/metrics?collect[]=exporter'));
    expect(own.value('cloud_exporter_build_info')).toBe(1);
    expect(own.of('cloud_up')).toEqual([]);
    for (const reason of ['busy', 'rate_limit', 'unauthorized'])
      expect(own.value('cloud_exporter_scrapes_refused_total', { reason })).toBe(0);
    expect(cloud.journal.count()).toBe(0);
    await exporter.text('/probe?cloud=one');
    const later = parseExposition(await exporter.text('/metrics?collect%5B%5D=exporter'));
    expect(later.value('cloud_exporter_collections_total', { cloud: 'one' })).toBe(1);
    expect(later.of('cloud_servers')).toEqual([]);
    for (const wrong of ['collect[]=exporters', 'collect[]=', 'collect[]=exporter&collect[]=clouds'])
      await http.get(`/metrics?${wrong}`).expect(400, /exporter/);
  });

  it('refuse a probe of no cloud or an unknown one, and say which there are', async () => {
    const { http } = await setUp();
    const words = '?cloud=NAME has to name a configured cloud; known: one, a&b\n';
    await http.get('/probe').expect(400, words);
    await http.get('/probe?cloud=http://evil').expect(404, words);
    await http.get('/probe?cloud=one&cloud=two').expect(404);
  });

  it('are healthy and ready without asking the platform, and not more than there are', async () => {
    const { http, cloud } = await setUp();
    await http.get('/-/healthy').expect(200);
    await http.get('/-/ready').expect(200);
    await http
      .head('/metrics')
      .expect('Content-Type', /text\/plain/)
      .expect(200);
    await http.get('/metrics2').expect(404);
    for (const path of ['/', '/metrics', '/probe', '/-/healthy'])
      await http.delete(path).expect('Allow', 'GET, HEAD').expect(405);
    await http.get('/-/reload').expect('Allow', 'POST, PUT').expect(405);
    await http.post('/-/reload').expect(403, /^reloading is off; start with --web\.enable-lifecycle/);
    expect(cloud.journal.count()).toBe(0);
  });
});

it('a reload that a browser sends is one of the exporter’s own pages, or refused', async () => {
  const { exporter } = await exportCloud({ servers: 1, options: { enableLifecycle: true } });
  const own = exporter.url;
  const requests: [headers: Record<string, string>, status: number][] = [
    [{}, 200],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: own }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ Origin: own }, 200],
    [{ Origin: 'http://evil.example.com' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'http://evil.example.com' }, 403],
  ];
  for (const [headers, status] of requests) await request(own).post('/-/reload').set(headers).expect(status);
  expect(exporter.logged().match(/configuration reloaded/g)).toHaveLength(4);
});

describe('the format of an answer', () => {
  const plain = 'text/plain; version=0.0.4; charset=utf-8';
  const openmetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  const long = (word: string) => Array.from({ length: 1000 / word.length }, () => word).join();
  const askedByPrometheus = [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6',
    'application/openmetrics-text;version=0.0.1;q=0.5',
    'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4',
    'text/plain;version=0.0.4;q=0.3',
    '*/*;q=0.2',
  ];

  it('is the one that is asked for, and else plain text', async () => {
    const { http } = await setUp();
    const wishes: [accept: string, type: string][] = [
      ['*/*', plain],
      ['text/html,application/xhtml+xml', plain],
      ['text/plain;version=9.9.9', plain],
      ['text/plain;version=1.0.0', 'text/plain; version=1.0.0; charset=utf-8; escaping=underscores'],
      [askedByPrometheus.slice(2).join(), 'text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8'],
      [askedByPrometheus.join(), `${openmetrics}; escaping=allow-utf-8`],
      ['application/openmetrics-text', `${openmetrics}; escaping=underscores`],
      ['application/openmetrics-text; version=1.0.0; escaping=values', `${openmetrics}; escaping=values`],
      ['application/openmetrics-text; version=1.0.0; escaping=dots', plain],
      ['application/openmetrics-text;version=1.0.0;escaping="X-Evil"', plain],
      ['application/openmetrics-text;version=0.0.1', openmetrics.replace('1.0.0', '0.0.1')],
      ['application/openmetrics-text;version=2.0.0,text/plain;version=0.0.4;q=0.1', plain],
      ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.9', plain],
      ['application/openmetrics-text;q=0', plain],
      ['__proto__;q=1,constructor', plain],
      // Longer than any client sends.
      [long('application/openmetrics-text'), plain],
    ];
    for (const [accept, type] of wishes) {
      const { headers, text } = await http.get('/metrics?collect[]=exporter').set('Accept', accept);
      expect(headers['content-type'], accept).toBe(type);
      parseExposition(text, !type.startsWith('text'));
    }
  });

  it('is packed for who takes gzip', async () => {
    const { http } = await setUp();
    const expectPacked = async (wish: string, encoding: string | undefined) => {
      const { headers } = await http.get('/metrics?collect[]=exporter').set('Accept-Encoding', wish);
      expect(headers['content-encoding'], wish).toBe(encoding);
    };
    for (const wish of ['gzip', 'gzip, deflate, br', '*']) await expectPacked(wish, 'gzip');
    for (const wish of ['identity', '', 'gzip;q=0', 'gzip;q=0, *', long('gzip')])
      await expectPacked(wish, undefined);
  });
});

const read = (path: string) => readFileSync(`dashboards/${path}`, 'utf8');

describe('/runbook', () => {
  it('serves the runbook as text, with a heading for each alert, to whoever may read /metrics', async () => {
    const { cloud, exporter } = await exportCloud({ options: { runbook: read('runbook.md') } });
    const answer = await fetch(`${exporter.url}/runbook`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const page = await answer.text();
    const alerts = [...read('rules/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(new Set(alerts).size).toBeGreaterThan(20);
    for (const name of alerts) expect(page).toContain(`\n## ${name}\n`);
    expect(await exporter.text('/')).toContain('<a href="./runbook">Runbook</a>');
    expect(cloud.journal.count()).toBe(0);
  });
});

it.each([
  ['10', 8500],
  ['60', 53_500],
  ['0.2', 0],
  ['soon', 30_000],
  [undefined, 30_000],
])('who waits for %s seconds is given %i ms, whoever read slowly before', (seconds, ms) =>
  expect(patienceOf(seconds)).toBe(ms),
);

it('scrapes that waited for one collection are answered one by one, with turns of the event loop between them', async () => {
  const { cloud, exporter } = await exportCloud({ options: { maxRequests: 2 } });
  const gate = createGate();
  cloud.hooks.beforePage = () => gate.passed;
  const path = '/probe?cloud=one';
  const paths = [path, `${path}&debug=true`, '/sd/servers'];
  const count = 90;
  let [arrived, turn, isOver] = [0, 0, false];
  const answers = new Map<number, number>();
  const ours = ({ request: { url } }: { request: IncomingMessage }) => paths.includes(url ?? '');
  const onStart = (message: unknown) => (arrived += Number(ours(message as { request: IncomingMessage })));
  const onFinish = (message: unknown) => {
    if (ours(message as { request: IncomingMessage })) answers.set(turn, (answers.get(turn) ?? 0) + 1);
  };
  subscribe('http.server.request.start', onStart);
  subscribe('http.server.response.finish', onFinish);
  onTestFinished(() => {
    unsubscribe('http.server.request.start', onStart);
    unsubscribe('http.server.response.finish', onFinish);
  });
  const asked = Array.from({ length: count }, (_, index) => exporter.text(paths[index % 3]!));
  await expect.poll(() => arrived).toBe(count);
  const nextTurn = () => {
    turn += 1;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  gate.open();
  await Promise.all(asked);
  isOver = true;
  expect(Math.max(...answers.values())).toBeLessThanOrEqual(4);
});
