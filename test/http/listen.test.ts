import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, listenOnAll, ListenError, type Timeouts } from '../../src/http/listen.ts';
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

describe('an address', () => {
  it('that another program has is an error with a way out', async () => {
    const { port } = await open(hello);
    const taken = listen({ respond: hello, address: { ...address, port }, log: silentLog });
    await expect(taken).rejects.toThrow(ListenError);
    await expect(taken).rejects.toThrow(
      `cannot listen on ${address.host}:${port}: another program has this port; choose another with --web.listen-address`,
    );
  });

  it('of an interface that is not there is an error too', async () => {
    const elsewhere = listen({ respond: hello, address: { host: '192.0.2.1', port: 0 }, log: silentLog });
    await expect(elsewhere).rejects.toThrow('cannot listen on 192.0.2.1:0: EADDRNOTAVAIL');
  });

  it('is not kept when another of them is not to be had', async () => {
    const taken = await open(hello);
    const free = await open(hello);
    await free.close(0);
    const both = [free, taken].map(({ port }) => ({ host: address.host, port }));
    await expect(listenOnAll(both, { respond: hello, log: silentLog })).rejects.toThrow(`${taken.port}`);
    const [again] = await listenOnAll(both.slice(0, 1), { respond: hello, log: silentLog });
    await again!.close(0);
  });
});

describe('a client', () => {
  it.each([
    ['a header', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a URL', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a list of headers', `GET / HTTP/1.1\r\n${'some: thing\r\n'.repeat(5000)}\r\n`],
  ])('that sends %s without end is answered 431', async (_words, request) => {
    const { port } = await open(hello);
    expect(await talk(port, request)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    ['not HTTP', 'hello there\r\n\r\n'],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
    [
      'of two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('whose request is %s is answered 400', async (_words, request) => {
    const { port } = await open(hello);
    expect(await talk(port, request)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['nothing', ''],
    ['half a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow:'],
  ])('that sends %s is cut off after a while', async (_words, beginning) => {
    const { port } = await open(hello, { headersMs: 50, requestMs: 100, checkEveryMs: 10 });
    expect(await talk(port, beginning)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that never ends its body is cut off after a while', async () => {
    const { port } = await open(drink, { headersMs: 50, requestMs: 100, checkEveryMs: 10 });
    expect(await talk(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf')).toMatch(/ 408 /);
  });

  it('that reads nothing of its answer is cut off after a while', async () => {
    const left = createGate();
    const { port } = await open(
      (_request, response) => {
        response.once('close', left.open);
        response.write(Buffer.alloc(50_000_000));
      },
      { silenceMs: 50 },
    );
    const socket = await connectTo(port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await left.passed;
  });
});

describe('closing', () => {
  it('lets an answer under way end, and says that it is the last', async () => {
    const [started, gate] = [createGate(), createGate()];
    const listener = await open((_request, response) => {
      started.open();
      void gate.passed.then(() => response.end('whole'));
    });
    const agent = new Agent({ keepAlive: true });
    const answer = ask(listener.url, agent);
    await started.passed;
    const closed = listener.close(60_000);
    await expect(connectTo(listener.port)).rejects.toThrow('ECONNREFUSED');
    gate.open();
    expect(await answer).toMatchObject({ statusCode: 200, body: 'whole' });
    expect((await answer).headers.connection).toBe('close');
    await closed;
  });

  it('lets an answer end whose beginning is on the way already', async () => {
    const [started, gate] = [createGate(), createGate()];
    const listener = await open((_request, response) => {
      response.write('be');
      started.open();
      void gate.passed.then(() => response.end('gun'));
    });
    const answer = ask(listener.url, new Agent({ keepAlive: true }));
    await started.passed;
    const closed = listener.close(60_000);
    gate.open();
    expect((await answer).body).toBe('begun');
    await closed;
  });

  it('waits for no connection that is kept alive for later', async () => {
    const listener = await open(hello);
    const agent = new Agent({ keepAlive: true });
    expect((await ask(listener.url, agent)).body).toBe('hello');
    await listener.close(60_000);
  });

  it('waits for a connection without a request a moment, and then no longer', async () => {
    const listener = await open(hello);
    const socket = await connectTo(listener.port);
    const ended = text(socket);
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
