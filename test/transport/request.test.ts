import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/transport/failure.ts';
import type { Request, Transport } from '../../src/transport/request.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { parseExposition } from '../support/exposition.ts';
import { serve as serveAt, transportWith } from '../support/served.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const attemptTimeoutMs = 7000;

const serve = async (respond: RequestListener) => new URL('/servers', await serveAt(respond));

/** A transport whose back-off takes no time and whose attempts never time out, unless the test says so. */
function transportFor(options: { timesOut?: boolean; limitBytes?: number; lookup?: LookupFunction } = {}) {
  const clock = createEagerClock((ms) => options.timesOut === true || ms !== attemptTimeoutMs);
  const events: string[] = [];
  const transport = transportWith({
    clock,
    observer: {
      attempted: ({ operation, code }) => events.push(`${operation} ${code}`),
      retrying: ({ reason }) => events.push(`retry ${reason}`),
    },
    requestTimeoutMs: attemptTimeoutMs,
    responseLimitBytes: options.limitBytes ?? 1_000_000,
    random: () => 0.5,
    ...(options.lookup && { lookup: options.lookup }),
  });
  return { transport, clock, events };
}

function get(transport: Transport, url: URL, more: Partial<Request> = {}) {
  const headers = { 'X-Auth-Token': 'secret-token', 'Content-Type': 'application/json' };
  const deadline = performance.now() + 60_000;
  const secrets = ['secret-token'];
  const request = { operation: 'list_servers', method: 'GET', url, headers, secrets, deadline } as const;
  return transport.json({ ...request, ...more });
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(Failure);
  return outcome as Failure;
}

describe('a request', () => {
  it('waits until the date of Retry-After, by the clock of whoever answers', async () => {
    const date = 'Sun, 15 Nov 2020 08:00:00 GMT';
    const refusal = { 'Retry-After': 'Sun, 15 Nov 2020 08:00:03 GMT', Date: date };
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      (asked === 1 ? response.writeHead(429, refusal) : response).end('{}');
    });
    const { transport, clock } = transportFor();
    await get(transport, url);
    expect(clock.waits).toEqual([3000]);
  });

  it('fails as timeout when no attempt is answered, each with more time: the platform still works', async () => {
    const url = await serve(() => undefined);
    const patient = transportFor({ timesOut: true });
    expect(await failureOf(get(patient.transport, url))).toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('no answer within 7 s'),
    });
    expect(patient.clock.waits).toEqual([7000, 3000, 7000, 6000, 7000]);
    // Who would rather ask for less does not send it again.
    const { transport, clock } = transportFor({ timesOut: true });
    const failure = await failureOf(get(transport, url, { retryTimeouts: false }));
    expect([failure.reason, clock.waits]).toEqual(['timeout', [7000]]);
  });

  it('that is given up while its answer comes leaves its connection to the next', async () => {
    const over = new AbortController();
    const url = await serve((request, response) => {
      if (request.method === 'POST') return response.end('{}');
      setImmediate(() => over.abort(new Error('enough')));
      return response.write('{');
    });
    const { transport } = transportFor();
    const givenUp = [1, 2, 3].map(() => get(transport, url, { signal: over.signal }));
    for (const one of givenUp) await expect(one).rejects.toThrow('enough');
    expect((await get(transport, url, { method: 'POST' })).result).toEqual({});
  });
});

describe('the body of a page', () => {
  const readWith = <Result>(transport: Transport, url: URL, use: (body: Buffer) => Result) => {
    const deadline = performance.now() + 60_000;
    const request = { operation: 'list_servers', method: 'GET', url, headers: {}, deadline } as const;
    return transport.read({ ...request, secrets: [] }, use);
  };

  it('is read whole, in memory that serves the next one too and shows nothing of the one before', async () => {
    const pages = ['a long one', 'é', 'x'.repeat(200_000)].map((name) => `{"servers":["${name}"]}`);
    const left = [...pages];
    const url = await serve((_request, response) => response.end(left.shift()));
    const { transport } = transportFor();
    const read = async () =>
      (await readWith(transport, url, (body) => [body.toString(), body.buffer])).result;
    const answers = [await read(), await read(), await read()];
    expect(answers.map(([text]) => text)).toEqual(pages);
    expect(answers[1]![1]).toBe(answers[0]![1]);
  });

  it('is unpacked where a gateway packed it all the same, and never beyond the limit', async () => {
    const body = JSON.stringify({ servers: 'x'.repeat(4000) });
    const url = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip').end(gzipSync(body));
    });
    expect((await readWith(transportFor().transport, url, String)).result).toBe(body);
    const failure = await failureOf(readWith(transportFor({ limitBytes: 1000 }).transport, url, String));
    expect(failure.reason).toBe('oversized');
  });

  it('is read beside many others of one collection without a warning of Node', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const cloud = await simulate({ servers: 300 });
    const exporter = await runExporter({ one: settingsFor(cloud, { concurrency: 30, page_size: 5 }) });
    // The pages of the second list are asked for at once, and their token has been revoked.
    for (let scrape = 0; scrape < 2; scrape += 1) {
      expect(parseExposition(await exporter.text('/metrics')).sum('cloud_servers')).toBe(300);
      cloud.revokeTokens();
    }
    expect(warnings).toEqual([]);
  });
});

describe('what a gateway calls a request', () => {
  const token = 'gAAAAABlYx7z-3kFq_0Zb1c.9d8e7f6a5b4c3d2e1f';

  async function toldOf(id: string, header = {}): Promise<string | undefined> {
    const url = await serve((_request, response) =>
      response.writeHead(400, { 'X-Request-Id': id, ...header }).end(),
    );
    const secrets = [token, 'pw1', ''];
    return (await failureOf(get(transportFor().transport, url, { secrets }))).requestId;
  }

  const ids = ['39dada', 'req-39dada-000001', 'a.b:c_d', 'x'.repeat(64)];
  it.each(ids)('is told if it looks like an id: %s', async (id) => expect(await toldOf(id)).toBe(id));

  const shown = [token, `req-${token}-1`, token.slice(0, 20), `req-${token.slice(9, 25)}-1`];
  it.each(['', 'x'.repeat(65), 'a b', '<script>', ...shown, 'pw1', 'req-pw1-39dada', 'pw'])(
    'is not told if it is no id, or shows a part of a secret: %s',
    async (id) => {
      expect(await toldOf(id)).toBeUndefined();
    },
  );

  it('is not told if it shows a token that the same answer issues', async () => {
    expect(await toldOf('new-token', { 'X-Subject-Token': 'new-token' })).toBeUndefined();
  });

  it('is not told if it shows the secret of another request of this cloud, however many tokens there were', async () => {
    const password = 'the-password';
    const url = await serve((_request, response) => {
      response.writeHead(400, { 'X-Request-Id': password });
      response.end(JSON.stringify({ class: 'the_password' }));
    });
    const { transport } = transportFor();
    for (let login = 0; login < 17; login += 1) {
      const secrets = [password, 'the_password', `token-${login}`];
      await failureOf(get(transport, url, { secrets }));
    }
    const failure = await failureOf(get(transport, url));
    expect([failure.requestId, failure.message]).toEqual([undefined, `GET ${url.href}: status 400`]);
  });
});

it('a name server that does not answer is named', async () => {
  const { transport } = transportFor({
    lookup: (_host, _options, done) => done(Object.assign(new Error(), { code: 'ETIMEOUT' }), ''),
  });
  const failure = await failureOf(get(transport, new URL('http://cloud.example/servers')));
  expect([failure.reason, failure.message]).toEqual([
    'timeout',
    'GET http://cloud.example/servers: the name server gave no answer',
  ]);
});
