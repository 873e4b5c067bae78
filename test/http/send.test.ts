import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { createSendLong, limitSendLong, ReaderGone, type SendLong } from '../../src/http/send.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { serve as serveAt } from '../support/served.ts';

/** Sends these pieces to whoever asks; `failures` has an error for each answer that broke off. */
async function serve(pieces: () => AsyncGenerator<Buffer>, send: SendLong) {
  const [isOver, isGone] = [createGate(), createGate()];
  const failures: unknown[] = [];
  const app = express();
  app.get('/', (request, response) => {
    response.once('close', isGone.open);
    const watched = (async function* () {
      try {
        yield* pieces();
      } finally {
        isOver.open();
      }
    })();
    const type = 'text/plain; charset=utf-8';
    send(request, response, { type, vary: 'Accept-Encoding', pieces: watched }).catch((error: unknown) =>
      failures.push(error),
    );
  });
  const url = await serveAt(app);

  function request(headers: Record<string, string> = {}): ClientRequest {
    const asking = get(url, { headers, agent: false });
    // A reader that leaves is told so.
    asking.on('error', () => {});
    onTestFinished(() => void asking.destroy());
    return asking;
  }

  async function ask(headers: Record<string, string> = {}) {
    const asking = request(headers);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return { answer, asking };
  }
  return { ask, request, isOver: isOver.passed, isGone: isGone.passed, failures };
}

async function ask(
  pieces: () => AsyncGenerator<Buffer>,
  headers: Record<string, string> = {},
  clock: Clock = systemClock,
) {
  const served = await serve(pieces, createSendLong(clock));
  return { ...served, ...(await served.ask(headers)) };
}

/** So small that a stream takes several of them before it says that it has enough. */
const pieceBytes = 5000;
const count = 4000;

/** All in the same memory: each is written over when the next one is asked for. */
async function* inOnePlace(): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(pieceBytes);
  for (let index = 0; index < count; index += 1) yield memory.fill(index % 251);
}

async function* endless(): AsyncGenerator<Buffer> {
  for (let pieces = 0; ; pieces += 1) yield Buffer.alloc(pieceBytes, String(pieces));
}

/** More than the operating system takes for who does not read. */
async function* huge(): AsyncGenerator<Buffer> {
  yield randomBytes(50_000_000);
}

const expected = () =>
  Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.alloc(pieceBytes, index % 251)));

describe.each(['identity', 'gzip'])('an answer in pieces, as %s', (encoding) => {
  const headers = { 'accept-encoding': encoding };

  it('is whole though all pieces are in the same memory, and nobody reads at first', async () => {
    const { answer } = await ask(inOnePlace, headers);
    // The operating system takes a few megabytes for who does not read; the rest waits.
    await once(answer, 'readable');
    const body = await buffer(answer);
    expect((encoding === 'gzip' ? gunzipSync(body) : body).equals(expected())).toBe(true);
  });

  it('asks for no more pieces once its reader has gone', async () => {
    const { answer, asking, isOver, failures } = await ask(endless, headers);
    await once(answer, 'readable');
    asking.destroy();
    await isOver;
    await expect.poll(() => failures).toEqual([expect.any(ReaderGone)]);
  });

  it('ends well when its reader leaves before the first piece', async () => {
    const [asked, gate] = [createGate(), createGate()];
    async function* late(): AsyncGenerator<Buffer> {
      asked.open();
      await gate.passed;
      yield Buffer.alloc(pieceBytes);
    }
    const { request, isGone, isOver, failures } = await serve(late, createSendLong());
    const asking = request(headers);
    await asked.passed;
    asking.destroy();
    await isGone;
    gate.open();
    await isOver;
    await expect.poll(() => failures).toEqual([expect.any(ReaderGone)]);
  });

  it('lets go of a reader that takes nothing for 30 s', async () => {
    const clock = createManualClock();
    const { answer, isOver, failures } = await ask(huge, headers, clock);
    await clock.advance(29_999);
    expect([clock.pending(), failures]).toEqual([1, []]);
    await clock.advance(1);
    await isOver;
    await expect.poll(() => failures).toEqual([new ReaderGone('Error: nothing was taken for 30 s')]);
    await expect(buffer(answer)).rejects.toThrow('aborted');
  });
});

describe('an answer in pieces', () => {
  it('keeps a reader that takes each piece in time, however long the answer takes', async () => {
    const clock = createManualClock();
    async function* slow(): AsyncGenerator<Buffer> {
      for (let index = 0; index < 10; index += 1) {
        yield Buffer.alloc(pieceBytes);
        await clock.advance(29_999);
      }
    }
    const { answer, failures } = await ask(slow, {}, clock);
    expect([(await buffer(answer)).length, failures]).toEqual([10 * pieceBytes, []]);
    expect(clock.pending()).toBe(0);
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

describe('a limit of answers', () => {
  it('is of those that are written: the next one is turned away until a reader has its own or is let go', async () => {
    const clock = createManualClock();
    let refused = 0;
    const send = limitSendLong(createSendLong(clock), 2, () => (refused += 1));
    const { ask: read, failures } = await serve(huge, send);
    await read();
    await read();
    const third = await read();
    expect([third.answer.statusCode, await text(third.answer)]).toEqual([
      503,
      'more than 2 answers at once; see --web.max-requests\n',
    ]);
    expect(refused).toBe(1);
    await clock.advance(30_000);
    await expect.poll(() => failures).toHaveLength(2);
    expect((await read()).answer.statusCode).toBe(200);
  });
});
