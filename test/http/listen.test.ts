import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, listenOnAll, type Timeouts } from '../../src/http/listen.ts';
import { createGate } from '../support/gate.ts';
import { ownAddress } from '../support/loopback.ts';
import { silentLog } from '../support/silent-log.ts';

const address = { host: ownAddress, port: 0 };

async function open(respond: RequestListener, timeouts: Partial<Timeouts> = {}) {
  const listener = await listen({ respond, address, log: silentLog, timeouts });
  onTestFinished(() => listener.close(0));
  return { ...listener, port: Number(new URL(listener.url).port) };
}

const hello: RequestListener = (_request, response) => response.end('hello');

const drink: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('all'));
};

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, address.host);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Everything the other side says until it closes. */
async function talk(port: number, words: string): Promise<string> {
  const socket = await connectTo(port);
  socket.write(words);
  return text(socket);
}

async function ask(url: string, agent: Agent): Promise<IncomingMessage & { body: string }> {
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return Object.assign(answer, { body: await text(answer) });
}

it('no address is kept when another of them is not to be had', async () => {
  const taken = await open(hello);
  const free = await open(hello);
  await free.close(0);
  const both = [free, taken].map(({ port }) => ({ host: address.host, port }));
  const words = `cannot listen on ${address.host}:${taken.port}: another program has this port`;
  await expect(listenOnAll(both, { respond: hello, log: silentLog })).rejects.toThrow(words);
  const [again] = await listenOnAll(both.slice(0, 1), { respond: hello, log: silentLog });
  await again!.close(0);
});

describe('a client', () => {
  const short = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 };
  const get = 'GET / HTTP/1.1\r\n';
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n';

  it.each([
    ['a header without end', `${get}Host: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no HTTP', 'hello there\r\n\r\n', 400],
    ['nothing', '', 408],
    ['half a header', `${get}Host: a\r\nX-Slow:`, 408],
    ['half a body', `${post}\r\nhalf`, 408],
  ])('that sends %s is answered, and cut off', async (_words, request, status) => {
    const { port } = await open(drink, short);
    expect(await talk(port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

it('one connection has one answer under way, and others get theirs meanwhile', async () => {
  const gate = createGate();
  let [begun, atOnce, most] = [0, 0, 0];
  const { port } = await open(({ url = '' }, response) => {
    begun += 1;
    most = Math.max(most, (atOnce += 1));
    response.on('close', () => (atOnce -= 1));
    void (begun === 1 ? gate.passed : Promise.resolve()).then(() => response.end(`[${url}]`));
  });
  const count = 3000;
  const socket = await connectTo(port);
  const paths = Array.from({ length: count }, (_, index) => `/${index}`);
  const lines = paths.map(
    (path) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\n${path === `/${count - 1}` ? 'Connection: close\r\n' : ''}\r\n`,
  );
  socket.write(lines.join(''));
  const answers = text(socket);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(begun).toBe(1);
  gate.open();
  const inOrder = [...(await answers).matchAll(/\[(.*?)\]/g)].map(([, path]) => path);
  expect([most, inOrder.length, inOrder.join() === paths.join()]).toEqual([1, count, true]);
});

it.each([
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['an expectation of its own', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'],
])('requests with %s, which Node would answer itself, are one at a time as well', async (_words, request) => {
  let [atOnce, most, all] = [0, 0, 0];
  const { port } = await open((_request, response) => {
    all += 1;
    most = Math.max(most, (atOnce += 1));
    response.on('close', () => (atOnce -= 1));
    setImmediate(() => response.end('hello'));
  });
  const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const answers = await talk(port, request.repeat(2999) + last);
  expect([answers.match(/hello/g)?.length, most, all]).toEqual([3000, 1, 3000]);
});

it('a client that leaves while its answer is under way is noticed', async () => {
  const [begun, left] = [createGate(), createGate()];
  const { port } = await open((_request, response) => {
    response.once('close', left.open);
    begun.open();
  });
  const socket = await connectTo(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun.passed;
  socket.destroy();
  await left.passed;
});

it('however many ask at once, the event loop has a turn after some of them', async () => {
  const beginnings = new Map<number, number>();
  let [turn, isOver] = [0, false];
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const { port } = await open((_request, response) => {
    beginnings.set(turn, (beginnings.get(turn) ?? 0) + 1);
    response.end();
  });
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  await Promise.all(Array.from({ length: 50 }, () => talk(port, request.repeat(20) + last)));
  isOver = true;
  const counts = [...beginnings.values()];
  expect(counts.reduce((sum, begun) => sum + begun)).toBe(50 * 21);
  expect(Math.max(...counts)).toBeLessThanOrEqual(32);
});

describe('closing', () => {
  it('lets an answer end that has begun', async () => {
    const [started, gate] = [createGate(), createGate()];
    const listener = await open((_request, response) => {
      response.write('who');
      started.open();
      void gate.passed.then(() => response.end('le'));
    });
    const answer = ask(listener.url, new Agent({ keepAlive: true }));
    await started.passed;
    const closed = listener.close(60_000);
    await expect(connectTo(listener.port)).rejects.toThrow('ECONNREFUSED');
    gate.open();
    expect((await answer).body).toBe('whole');
    await closed;
  });

  it('waits for no connection that is kept for later, and a moment for one without a request', async () => {
    const listener = await open(hello);
    expect((await ask(listener.url, new Agent({ keepAlive: true }))).body).toBe('hello');
    const ended = text(await connectTo(listener.port));
    await listener.close(60_000);
    expect(await ended).toBe('');
  });

  it('answers a request that comes on an open connection while it waits', async () => {
    const listener = await open(hello);
    const socket = await connectTo(listener.port);
    socket.write('GET / HTTP/1.1\r\nHo');
    await new Promise(setImmediate);
    const closed = listener.close(60_000);
    socket.write('st: a\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n/);
    await closed;
  });

  it('cuts what has not ended when the time is over', async () => {
    const started = createGate();
    const listener = await open(() => started.open());
    const answer = ask(listener.url, new Agent());
    await started.passed;
    const failed = expect(answer).rejects.toThrow('socket hang up');
    await listener.close(0);
    await failed;
  });
});
