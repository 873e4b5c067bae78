import { createServer, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { sendPieces } from '../../src/http/send.ts';
import { createGate } from '../support/gate.ts';

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** Asks for these pieces; `isOver` is when they are not asked for any more. */
async function ask(pieces: () => AsyncGenerator<Buffer>, headers: Record<string, string> = {}) {
  const isOver = createGate();
  const failures: unknown[] = [];
  const app = express();
  app.get('/', (request, response) => {
    const watched = (async function* () {
      try {
        yield* pieces();
      } finally {
        isOver.open();
      }
    })();
    const type = 'text/plain; charset=utf-8';
    sendPieces(request, response, { type, vary: 'Accept-Encoding', pieces: watched }).catch(
      (error: unknown) => failures.push(error),
    );
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', headers, agent: false });
  // A reader that leaves is told so.
  request.on('error', () => {});
  stops.push(() => {
    request.destroy();
    server.close();
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { answer, request, isOver: isOver.passed, failures };
}

/** So small that a stream takes several of them before it says that it has enough. */
const pieceBytes = 5000;
const count = 4000;

/** All in the same memory: each is written over when the next one is asked for. */
async function* inOnePlace(): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(pieceBytes);
  for (let index = 0; index < count; index += 1) yield memory.fill(index % 251);
}

const expected = () =>
  Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.alloc(pieceBytes, index % 251)));

describe('an answer in pieces', () => {
  it('is whole though all pieces are in the same memory, and though nobody reads at first', async () => {
    const { answer } = await ask(inOnePlace);
    // The operating system takes a few megabytes for who does not read; the rest waits.
    await once(answer, 'readable');
    expect((await buffer(answer)).equals(expected())).toBe(true);
  });

  it('is whole as gzip, too', async () => {
    const { answer } = await ask(inOnePlace, { 'accept-encoding': 'gzip' });
    await once(answer, 'readable');
    expect(gunzipSync(await buffer(answer)).equals(expected())).toBe(true);
  });

  it.each(['identity', 'gzip'])('asks for no more pieces once its reader has gone: %s', async (encoding) => {
    let pieces = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) yield Buffer.alloc(pieceBytes, String((pieces += 1)));
    }
    const { answer, request, isOver, failures } = await ask(endless, { 'accept-encoding': encoding });
    await once(answer, 'readable');
    request.destroy();
    await isOver;
    await expect.poll(() => failures.length).toBe(1);
  });

  it('breaks off where the pieces do: half an answer must not look like a whole one', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(pieceBytes);
      throw new Error('no more');
    }
    const { answer, failures } = await ask(broken);
    await expect(buffer(answer)).rejects.toThrow('aborted');
    expect(failures).toEqual([new Error('no more')]);
  });
});
