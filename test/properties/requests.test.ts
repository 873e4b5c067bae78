import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { exportCloud } from '../support/exported-cloud.ts';

/** Bare node:http, which sends a path and headers as they are. */
async function send(url: string, path: string, headers: Record<string, string> = {}) {
  const asking = request(url, { path, headers }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const type = response.headers['content-type'] ?? '';
  return { status: response.statusCode!, type, text: await text(response) };
}

/** An answer is what its type says, or a refusal in words; a fault of ours it never is. */
function expectClear({ status, type, text }: Awaited<ReturnType<typeof send>>): void {
  expect([200, 400, 404, 503]).toContain(status);
  if (status !== 200) expect(text).toMatch(/\S.*\n$/s);
  else if (type.startsWith('application/json')) expect(JSON.parse(text)).toBeInstanceOf(Array);
  else if (type.startsWith('application/openmetrics-text')) parseExposition(text, true);
  else if (type.startsWith('text/plain; version=0.0.4')) parseExposition(text);
  else expect(text).toContain('cloud');
}

async function setUp() {
  const settings = { max_age: '1h', labels: { team: 'metadata.user:team' } };
  return (await exportCloud({ servers: 25, settings })).exporter;
}

const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const names =
  'cloud port address network state status project zone id name team debug __proto__ constructor'.split(' ');
const value = fc.oneof(
  fc.constantFrom(...'one two 9100 0 65536 private public ipv6 running true % %E0%A4%A []'.split(' ')),
  fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
  printable,
);
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...names), printable), value), { maxLength: 5 })
  .map((pairs) => pairs.map(([name, item]) => `${name}=${item}`).join('&'));

describe('the exporter answers or refuses clearly,', () => {
  it('whatever path is asked for, and whatever of each that there is', async () => {
    const exporter = await setUp();
    const known = ['/sd/servers', '/sd/clouds', '/probe', '/metrics'];
    const queried = fc.tuple(fc.constantFrom(...known), query).map(([path, asked]) => `${path}?${asked}`);
    const paths = fc.oneof(
      { weight: 3, arbitrary: queried },
      printable.map((path) => `/${path}`),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => expectClear(await send(exporter.url, path))),
      { numRuns: 350 },
    );
    expect(exporter.logged()).not.toContain('request failed');
  });

  it('whatever the headers say', async () => {
    const exporter = await setUp();
    const anyWords = fc.string({ unit: 'grapheme-ascii' });
    const types = ['text/plain', 'application/openmetrics-text', '*/*', 'application/json', ''];
    const wishes = ['', ';q=0', ';q=0.5', ';q=9', ';q=x', '; version=1.0.0', ';;', ';q'];
    const wish = fc
      .tuple(fc.constantFrom(...types), fc.constantFrom(...wishes))
      .map((parts) => parts.join(''));
    const accept = fc.oneof(
      anyWords,
      fc.array(wish).map((some) => some.join(',')),
    );
    const seconds = fc.oneof(
      anyWords,
      fc.constantFrom('-1', 'NaN', 'Infinity', '1e300', '3000000', '0x10', '10'),
    );
    const path = fc.constantFrom('/metrics', '/probe?cloud=one');
    const property = fc.asyncProperty(accept, seconds, path, async (wish, time, path) => {
      const headers = { Accept: wish, 'X-Prometheus-Scrape-Timeout-Seconds': time };
      const answer = await send(exporter.url, path, headers);
      expectClear(answer);
      expect(answer.status).toBe(200);
      // A scrape may wait for longer than a timer can run.
      if (time === '3000000' && answer.type.startsWith('text'))
        expect(answer.text).toMatch(/^cloud_up.* 1$/m);
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
