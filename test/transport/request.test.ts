import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure, type FailureReason } from '../../src/transport/failure.ts';
import type { Request, Transport } from '../../src/transport/request.ts';
import { createGate } from '../support/gate.ts';
import { createEagerClock } from '../support/manual-clock.ts';
import { parseExposition } from '../support/exposition.ts';
import { serve as serveAt, transportWith } from '../support/served.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const attemptTimeoutMs = 7000;

const serve = async (respond: RequestListener) => new URL('/servers', await serveAt(respond));

/** Answers with these statuses, the last of them for good, and counts how often it was asked. */
async function serveStatuses(...statuses: number[]) {
  const asked: number[] = [];
  const url = await serve((_request, response) => {
    asked.push(statuses[asked.length] ?? statuses.at(-1)!);
    response.writeHead(asked.at(-1)!, { Location: '/elsewhere' }).end('{}');
  });
  return { url, asked };
}

/** A transport whose back-off takes no time and whose attempts never time out, unless the test says so. */
function transportFor(
  options: { timesOut?: boolean; limitBytes?: number; onAttempt?: () => void; lookup?: LookupFunction } = {},
) {
  const clock = createEagerClock((ms) => options.timesOut === true || ms !== attemptTimeoutMs);
  const events: string[] = [];
  const transport = transportWith({
    clock,
    observer: {
      attempted({ operation, code }) {
        events.push(`${operation} ${code}`);
        options.onAttempt?.();
      },
      retrying: ({ reason }) => events.push(`retry ${reason}`),
    },
    requestTimeoutMs: attemptTimeoutMs,
    responseLimitBytes: options.limitBytes ?? 1_000_000,
    random: () => 0.5,
    ...(options.lookup && { lookup: options.lookup }),
  });
  return { transport, clock, events };
}

function get(transport: Transport, url: URL, deadlineInMs = 60_000, more: Partial<Request> = {}) {
  const headers = { 'X-Auth-Token': 'secret-token', 'Content-Type': 'application/json' };
  const deadline = performance.now() + deadlineInMs;
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
  it('carries its headers and brings back status, headers and JSON', async () => {
    const url = await serve((request, response) => {
      response.setHeader('X-Request-Id', 'abc123').end(JSON.stringify({ headers: request.headers }));
    });
    const { transport } = transportFor();
    const answer = await get(transport, url);
    expect(answer.status).toBe(200);
    expect(answer.header('X-Request-Id')).toBe('abc123');
    expect(answer.result).toMatchObject({
      headers: { 'x-auth-token': 'secret-token', 'content-type': 'application/json', 'user-agent': 'test' },
    });
  });

  it.each([500, 502, 503, 408, 429])('is tried again after %i', async (status) => {
    const { url, asked } = await serveStatuses(status, status, 200);
    const { transport, clock } = transportFor();
    // So it is for who would not have a timeout tried again, too.
    await get(transport, url, 60_000, { retryTimeouts: false });
    expect([asked.length, clock.waits]).toEqual([3, [150, 300]]);
  });

  it('is tried three times at most', async () => {
    const { url, asked } = await serveStatuses(503);
    const { transport, events } = transportFor();
    expect((await failureOf(get(transport, url))).reason).toBe('upstream');
    expect(asked).toHaveLength(3);
    const [attempt, retry] = ['list_servers 503', 'retry upstream'];
    expect(events).toEqual([attempt, retry, attempt, retry, attempt]);
  });

  it.each<[number, FailureReason]>([
    [400, 'rejected'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'rejected'],
    [302, 'rejected'],
  ])('that is answered %i fails at once as %s', async (status, reason) => {
    const { url, asked } = await serveStatuses(status);
    expect((await failureOf(get(transportFor().transport, url))).reason).toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it('waits as long as Retry-After says, in seconds or until a date', async () => {
    // A date is by the clock of whoever answers, here one that is years behind.
    const answers = ['2', 'Sun, 15 Nov 2020 08:00:03 GMT'];
    const url = await serve((_request, response) => {
      const retryAfter = answers.shift();
      if (retryAfter === undefined) response.end('{}');
      else
        response
          .writeHead(429, { 'Retry-After': retryAfter, Date: 'Sun, 15 Nov 2020 08:00:00 GMT' })
          .end('{}');
    });
    const { transport, clock } = transportFor();
    await get(transport, url);
    expect(clock.waits).toEqual([2000, 3000]);
  });

  it('is not tried again when that could not end in time', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.writeHead(503, { 'Retry-After': '90' }).end('{}');
    });
    expect((await failureOf(get(transportFor().transport, url, 60_000))).reason).toBe('upstream');
    expect(requests).toBe(1);
  });

  it('fails as timeout when no attempt is answered, each with more time: the platform still works', async () => {
    const url = await serve(() => undefined);
    const { transport, clock } = transportFor({ timesOut: true });
    const failure = await failureOf(get(transport, url));
    expect(failure.reason).toBe('timeout');
    expect(failure.message).toContain('no answer within 7 s');
    expect(clock.waits).toEqual([7000, 3000, 7000, 6000, 7000]);
  });

  it('that timed out is not sent again for who would rather ask for less', async () => {
    let requests = 0;
    const url = await serve(() => void (requests += 1));
    const { transport, clock } = transportFor({ timesOut: true });
    const failure = await failureOf(get(transport, url, 60_000, { retryTimeouts: false }));
    expect([failure.reason, clock.waits]).toEqual(['timeout', [7000]]);
    expect(requests).toBeLessThanOrEqual(1);
  });

  it('is not sent when nobody waits for it any more: its answer would hold the connection for good', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    const { transport, events } = transportFor();
    const enough = new Error('enough');
    // More than there are connections: were each to keep one, the next would have none.
    for (let count = 0; count < 4; count += 1)
      await expect(get(transport, url, 60_000, { signal: AbortSignal.abort(enough) })).rejects.toBe(enough);
    await get(transport, url);
    expect({ asked, events }).toEqual({ asked: 1, events: ['list_servers 200'] });
  });

  it('that is given up while its answer comes leaves its connection to the next', async () => {
    const over = new AbortController();
    const url = await serve((request, response) => {
      if (request.method === 'POST') return response.end('{}');
      setImmediate(() => over.abort(new Error('enough')));
      return response.write('{');
    });
    const { transport } = transportFor();
    const givenUp = [1, 2, 3].map(() => get(transport, url, 60_000, { signal: over.signal }));
    for (const one of givenUp) await expect(one).rejects.toThrow('enough');
    expect((await get(transport, url, 60_000, { method: 'POST' })).result).toEqual({});
  });

  it('that ends after everything was closed closes its connection, too; until the next one asks', async () => {
    const answer = createGate();
    const ports: (number | undefined)[] = [];
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort);
      void answer.passed.then(() => response.end('{}'));
    });
    const { transport } = transportFor();
    const late = get(transport, url);
    transport.closeIdle();
    answer.open();
    await late;
    await get(transport, url);
    await get(transport, url);
    const [first, second, third] = ports;
    expect({ isFirstClosed: second !== first, isSecondKept: third === second }).toEqual({
      isFirstClosed: true,
      isSecondKept: true,
    });
  });

  it('names operation, address, status, class and request id, and nothing that it carried', async () => {
    const url = await serve((request, response) => {
      const details = `token ${request.headers['x-auth-token']?.toString()} is bad`;
      response.writeHead(403, { 'X-Request-Id': '39dada' });
      response.end(JSON.stringify({ class: 'ForbiddenError', code: 403, details }));
    });
    url.search = '?limit=1';
    const failure = await failureOf(get(transportFor().transport, url));
    expect(failure.message).toBe(`GET ${url.origin}/servers: status 403 (ForbiddenError)`);
    expect(failure).toMatchObject({ operation: 'list_servers', requestId: '39dada', reason: 'forbidden' });
    expect(JSON.stringify(failure) + failure.stack).not.toContain('secret-token');
  });
});

describe('the body of a page', () => {
  const pages = ['{"servers":[1]}', '{"servers":[2]}'];
  const servePages = () => {
    const left = [...pages];
    return serve((_request, response) => response.end(left.shift() ?? '{"servers":[]}'));
  };
  const read = <Result>(
    transport: Transport,
    url: URL,
    use: (body: Buffer) => Result,
    more: Partial<Request> = {},
  ) => {
    const deadline = performance.now() + 60_000;
    const request = { operation: 'list_servers', method: 'GET', url, headers: {}, deadline } as const;
    return transport.read({ ...request, secrets: [], ...more }, use);
  };

  it('is read whole, in memory that serves the next one too', async () => {
    const url = await servePages();
    const { transport } = transportFor();
    const bodies: Buffer[] = [];
    for (const page of pages) {
      const answer = await read(transport, url, (body) => {
        bodies.push(body);
        return body.toString();
      });
      expect(answer.result).toBe(page);
    }
    expect(bodies[0]!.buffer).toBe(bodies[1]!.buffer);
  });

  it.each([
    ['is no JSON', () => JSON.parse('{"ser'), 'the body is not JSON'],
    [
      'is not what it should be',
      () => {
        throw new Failure('malformed', 'it has no list of servers', { operation: 'list_servers' });
      },
      'it has no list of servers',
    ],
  ])('that %s is asked for again, since it may have broken off', async (_words, use, words) => {
    let broken = 1;
    const url = await serve((_request, response) => response.setHeader('X-Request-Id', '39dada').end('{}'));
    const once = transportFor();
    const answer = await read(once.transport, url, () => (broken-- > 0 ? (use() as string) : 'good'));
    expect(answer.result).toBe('good');
    expect(once.events).toEqual(['list_servers 200', 'retry malformed', 'list_servers 200']);
    const always = transportFor();
    const failure = await failureOf(read(always.transport, url, use));
    expect(failure.message).toBe(`GET ${url.origin}/servers: ${words}`);
    expect(failure).toMatchObject({ reason: 'malformed', requestId: '39dada' });
    expect(always.clock.waits).toHaveLength(2);
  });

  it('whose reader makes another mistake is not asked for again', async () => {
    const { transport, events } = transportFor();
    const bug = new TypeError('a bug');
    const reading = read(transport, await servePages(), () => {
      throw bug;
    });
    await expect(reading).rejects.toBe(bug);
    expect(events).toEqual(['list_servers 200']);
  });

  it('is not read once nobody waits for it', async () => {
    const over = new AbortController();
    let isRead = false;
    const { transport } = transportFor({ onAttempt: () => over.abort(new Error('enough')) });
    const reading = read(transport, await servePages(), () => (isRead = true), { signal: over.signal });
    await expect(reading).rejects.toThrow('enough');
    expect(isRead).toBe(false);
  });

  it('is unpacked where a gateway packed it all the same, and never beyond the limit', async () => {
    const body = JSON.stringify({ servers: 'x'.repeat(4000) });
    const url = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip').end(gzipSync(body));
    });
    expect((await read(transportFor().transport, url, String)).result).toBe(body);
    const failure = await failureOf(read(transportFor({ limitBytes: 1000 }).transport, url, String));
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
  const idOf = async (id: string, more: Partial<Request> = {}) => {
    const url = await serve((_request, response) => response.writeHead(400, { 'X-Request-Id': id }).end());
    return (await failureOf(get(transportFor().transport, url, 60_000, more))).requestId;
  };

  it('is told if it looks like an id, and never if it shows a secret', async () => {
    expect(await idOf('39dada')).toBe('39dada');
    for (const id of ['secret-token', 'secret-to', 'x-secret-token-1', 'a b', 'x'.repeat(65), '<b>'])
      expect(await idOf(id), id).toBeUndefined();
    expect(await idOf('pw-of-login', { operation: 'login', secrets: ['pw-of-login'] })).toBeUndefined();
  });

  it('is not told if it shows the secret of another request of this cloud', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(400, { 'X-Request-Id': 'the-password' });
      response.end(JSON.stringify({ class: 'the_password' }));
    });
    const { transport } = transportFor();
    await failureOf(get(transport, url, 60_000, { secrets: ['the-password', 'the_password'] }));
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
