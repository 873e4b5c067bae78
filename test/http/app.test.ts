import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { parseListenAddress } from '../../src/http/listen.ts';
import { contentTypeFor, patienceOf } from '../../src/http/metrics.ts';
import { acceptsGzip } from '../../src/http/send.ts';
import { parseExposition } from '../support/exposition.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

/** What is answered to these very bytes. */
async function talk({ hostname, port }: URL, words: string): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.end(words);
  return text(socket);
}

async function setUp() {
  const cloud = await simulate({ servers: 20 });
  const exporter = await runExporter({ one: settingsFor(cloud), 'a&b': settingsFor(cloud) });
  return { cloud, exporter, http: request(exporter.url) };
}

describe('the endpoints', () => {
  it('give the same samples as text, as OpenMetrics and packed, from one rendering', async () => {
    const { exporter } = await setUp();
    const text = await fetch(`${exporter.url}/metrics`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(text.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(text.headers.get('content-encoding')).toBeNull();
    const plain = parseExposition(await text.text());
    const packed = await fetch(`${exporter.url}/metrics`, {
      headers: { Accept: 'application/openmetrics-text', 'Accept-Encoding': 'gzip' },
    });
    expect(packed.headers.get('content-type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores',
    );
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const openmetrics = parseExposition(await packed.text(), true);
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
    expect(cloud.journal.count()).toBe(0);
    await exporter.text('/probe?cloud=one');
    const later = parseExposition(await exporter.text('/metrics?collect%5B%5D=exporter'));
    expect(later.value('cloud_exporter_collections_total', { cloud: 'one' })).toBe(1);
    expect(later.of('cloud_servers')).toEqual([]);
    for (const wrong of ['collect[]=exporters', 'collect[]=', 'collect[]=exporter&collect[]=clouds']) {
      const answer = await http.get(`/metrics?${wrong}`);
      expect([answer.status, answer.text], wrong).toEqual([400, expect.stringContaining('exporter')]);
    }
  });

  it('keep other clouds off /probe, and the exporter’s own metrics too', async () => {
    const { exporter } = await setUp();
    const all = parseExposition(await exporter.text('/metrics'));
    const one = parseExposition(await exporter.text('/probe?cloud=a%26b'));
    const of = (name: string) => [all.of(name).length, one.of(name).length];
    expect([of('cloud_up'), of('cloud_exporter_build_info'), of('process_resident_memory_bytes')]).toEqual([
      [2, 1],
      [1, 0],
      [1, 0],
    ]);
    expect(one.value('cloud_up', { cloud: 'a&b' })).toBe(1);
  });

  it('refuse a probe of no cloud or an unknown one, and say which there are', async () => {
    const { http } = await setUp();
    await http.get('/probe').expect(400, 'say which cloud, as in ?cloud=NAME; known: one, a&b\n');
    await http
      .get('/probe?cloud=http://evil')
      .expect(404, 'no cloud of that name is configured; known: one, a&b\n');
    await http.get('/probe?cloud=one&cloud=two').expect(404);
  });

  it('are healthy and ready without asking the platform', async () => {
    const { http, cloud } = await setUp();
    await http.get('/-/healthy').expect(200);
    await http.get('/-/ready').expect(200);
    await http.head('/-/healthy').expect(200);
    await http
      .head('/metrics')
      .expect('Content-Type', /text\/plain/)
      .expect(200);
    expect(cloud.journal.count()).toBe(0);
  });

  it('are not more than there are, each with its methods', async () => {
    const { exporter, http } = await setUp();
    await http.get('/metrics2').expect(404);
    for (const path of ['/', '/metrics', '/probe', '/-/healthy'])
      await http.delete(path).expect('Allow', 'GET, HEAD').expect(405);
    await http.get('/-/reload').expect('Allow', 'POST, PUT').expect(405);
    await http.post('/-/reload').expect(403, /^reloading is off; start with --web\.enable-lifecycle/);
    const own = parseExposition(await exporter.text('/metrics?collect[]=exporter'));
    for (const reason of ['busy', 'rate_limit', 'unauthorized'])
      expect(own.value('cloud_exporter_scrapes_refused_total', { reason })).toBe(0);
  });

  it('hand out no servers unless they were told to', async () => {
    const cloud = await simulate({ servers: 2 });
    const exporter = await runExporter({ one: settingsFor(cloud) }, { enableDiscovery: false });
    const answer = await fetch(`${exporter.url}/sd/servers`);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      'this path hands out names and addresses of all servers; start with --web.enable-discovery to open it\n',
    ]);
    expect(cloud.journal.count()).toBe(0);
    expect(await exporter.text('/sd/clouds')).toContain('"one"');
    expect(await exporter.text('/')).not.toContain('sd/servers');
  });
});

describe('a header that fills all the room there is', () => {
  const fills = [' ', ';', ',', '=', '"', '\\', '*/*,', 'a/b;q = ', 'gzip;q=1,', ':', '[', '.'];
  const headers = ['Accept', 'Accept-Encoding', 'Authorization', 'Cookie', 'Origin', 'Sec-Fetch-Site'];
  const timeouts = ['X-Prometheus-Scrape-Timeout-Seconds', 'X-Prometheus-Refresh-Interval-Seconds'];

  it.each([...headers, ...timeouts, 'Host'])('is answered like any other: %s', async (name) => {
    const { exporter } = await setUp();
    const address = new URL(exporter.url);
    for (const fill of fills) {
      const value = `Basic a${fill.repeat(14_000 / fill.length)}b`;
      for (const path of ['/', '/sd/clouds', '/metrics?collect[]=exporter']) {
        const host = name === 'Host' ? '' : 'Host: a\r\n';
        const answer = await talk(
          address,
          `GET ${path} HTTP/1.1\r\n${host}${name}: ${value}\r\nConnection: close\r\n\r\n`,
        );
        expect(answer, fill).toMatch(/^HTTP\/1\.1 (200|400) /);
      }
    }
  });

  it.each([
    '/metrics?collect[]=',
    '/probe?cloud=',
    '/sd/servers?',
    '/sd/servers?state=',
    '/sd/servers?port=',
  ])('is refused briefly in a query: %s', async (start) => {
    const { exporter } = await setUp();
    const answer = await fetch(`${exporter.url}${start}${'x'.repeat(14_000)}`);
    expect([400, 404]).toContain(answer.status);
    expect((await answer.text()).length).toBeLessThan(1000);
  });
});

describe('OpenMetrics', () => {
  it('has units, and tells when each counter and histogram began', async () => {
    const cloud = await simulate({ servers: 2 });
    const clock = createManualClock(Date.parse('2026-11-15T00:00:00Z'));
    const exporter = await runExporter({ one: settingsFor(cloud) }, { clock });
    const body = await exporter.text('/metrics', { Accept: 'application/openmetrics-text' });
    expect(body).toContain('# UNIT cloud_servers_memory_bytes bytes\n');
    expect(body).toContain('# UNIT process_cpu_seconds seconds\n');
    const parsed = parseExposition(body, true);
    const began = clock.now() / 1000;
    const counters = [...parsed.families.values()].filter(
      ({ name, type }) => type === 'counter' && !name.startsWith('cloud_list_'),
    );
    for (const { name } of counters) {
      const totals = parsed.of(`${name}_total`).map(({ labels }) => labels);
      expect(
        parsed.of(`${name}_created`).map(({ labels }) => labels),
        name,
      ).toEqual(totals);
      for (const { value } of parsed.of(`${name}_created`)) expect(value).toBe(began);
    }
    const histogram = 'cloud_exporter_api_request_duration_seconds';
    expect(parsed.of(`${histogram}_created`)).toHaveLength(parsed.of(`${histogram}_count`).length);
    expect(await exporter.text('/metrics')).not.toMatch(/_created[ {]|# UNIT/);
  });
});

describe('a reload that a browser sends', () => {
  it.each([
    [{}, 200],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'http://HOST' }, 200],
    [{ 'Sec-Fetch-Site': 'none' }, 200],
    [{ Origin: 'http://HOST' }, 200],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Origin: 'http://evil.example.com' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'http://evil.example.com' }, 403],
  ] as [Record<string, string>, number][])('with %j is answered %i', async (headers, status) => {
    const cloud = await simulate({ servers: 1 });
    const exporter = await runExporter({ one: settingsFor(cloud) }, { enableLifecycle: true });
    const own = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('HOST', new URL(exporter.url).host),
    ]);
    await request(exporter.url)
      .post('/-/reload')
      .set(Object.fromEntries(own) as Record<string, string>)
      .expect(status);
    expect(exporter.logged().includes('configuration reloaded')).toBe(status === 200);
  });
});

describe('what is chosen', () => {
  const plain = 'text/plain; version=0.0.4; charset=utf-8';
  const openmetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  const chooser = express().get('/', (asked, response) => {
    response.json({ ...contentTypeFor(asked), isZipped: acceptsGzip(asked) });
  });

  it.each([
    ['*/*', plain],
    ['text/html,application/xhtml+xml', plain],
    ['text/plain', plain],
    ['text/plain;version=9.9.9', plain],
    ['text/plain;version=1.0.0', 'text/plain; version=1.0.0; charset=utf-8; escaping=underscores'],
    [
      'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3',
      'text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8',
    ],
    ['application/openmetrics-text', `${openmetrics}; escaping=underscores`],
    ['application/openmetrics-text; version=1.0.0; escaping=values', `${openmetrics}; escaping=values`],
    ['application/openmetrics-text; version=1.0.0; escaping=dots', plain],
    ['application/openmetrics-text;version=1.0.0;escaping="X-Evil"', plain],
    [
      'application/openmetrics-text;version=0.0.1',
      'application/openmetrics-text; version=0.0.1; charset=utf-8',
    ],
    ['application/openmetrics-text;version=2.0.0,text/plain;version=0.0.4;q=0.1', plain],
    ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.9', plain],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      `${openmetrics}; escaping=allow-utf-8`,
    ],
    ['application/openmetrics-text;q=0', plain],
    ['__proto__;q=1,constructor', plain],
  ])('for Accept: %s is %s', async (accept, type) => {
    const answer = await request(chooser).get('/').set('Accept', accept);
    const format = type.startsWith('text') ? 'text' : 'openmetrics';
    expect(answer.body).toMatchObject({ type, format });
  });

  it('without a header, or for one that is longer than any client sends, is plain text', async () => {
    const choose = (headers: Record<string, string>) => request(chooser).get('/').set(headers);
    const long = (word: string) => Array.from({ length: 1000 / word.length }, () => word).join();
    const headers = { Accept: long('application/openmetrics-text'), 'Accept-Encoding': long('gzip') };
    for (const asked of [headers, { 'Accept-Encoding': '' }])
      expect((await choose(asked)).body).toEqual({ type: plain, format: 'text', isZipped: false });
  });

  it.each([
    ['gzip', true],
    ['gzip, deflate, br', true],
    ['*', true],
    ['identity', false],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
  ])('for Accept-Encoding: %s is gzip: %s', async (encoding, isZipped) => {
    const answer = await request(chooser).get('/').set('Accept-Encoding', encoding);
    expect(answer.body).toMatchObject({ isZipped });
  });

  it.each([
    ['10', 9500],
    ['1.5', 1000],
    ['0.2', 0],
    ['soon', 30_000],
    [undefined, 30_000],
  ])('for a scrape timeout of %s is a patience of %i ms', (header, patience) => {
    expect(patienceOf(header)).toBe(patience);
  });

  it.each([
    [':10700', { host: undefined, port: 10_700 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['example.com:80', { host: 'example.com', port: 80 }],
    ['10700', undefined],
    [':99999', undefined],
    ['::1:80', undefined],
  ])('for the address %s is %j', (given, address) => {
    expect(parseListenAddress(given)).toEqual(address);
  });
});
