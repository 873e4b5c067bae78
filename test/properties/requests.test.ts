import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { exportCloud } from '../support/exported-cloud.ts';

/** Bare node:http, which sends a path and headers as they are. */
function send(url: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const asking = request(url, { path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asking.on('error', reject).end();
  });
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
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    });
    const accept = fc.oneof(
      text,
      fc
        .array(
          fc.tuple(
            fc.constantFrom('text/plain', 'application/openmetrics-text', '*/*', 'application/json', ''),
            fc.constantFrom('', ';q=0', ';q=0.5', ';q=9', ';q=x', '; version=1.0.0', ';;', ';q'),
          ),
        )
        .map((wishes) => wishes.map((wish) => wish.join('')).join(',')),
    );
    const seconds = fc.oneof(
      text,
      fc.constantFrom('-1', 'NaN', 'Infinity', '1e300', '3000000', '0x10', '10'),
    );
    await fc.assert(
      fc.asyncProperty(
        accept,
        seconds,
        fc.constantFrom('/metrics', '/probe?cloud=one'),
        async (wish, time, path) => {
          const headers = { Accept: wish, 'X-Prometheus-Scrape-Timeout-Seconds': time };
          const answer = await send(exporter.url, path, headers);
          expectClear(answer);
          expect(answer.status).toBe(200);
          // A scrape may wait for longer than a timer can run.
          if (time === '3000000' && answer.type.startsWith('text'))
            expect(answer.text).toMatch(/^cloud_up.* 1$/m);
        },
      ),
      { numRuns: 100 },
    );
  });
});
