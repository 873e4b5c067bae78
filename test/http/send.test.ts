import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSendLong, limitSendLong, ReaderGone } from '../../src/http/send.ts';
import { createGate } from '../support/gate.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { serve } from '../support/served.ts';

/** Sends these pieces to whoever asks; `failures` has an error for each answer that broke off. */
async function sending(pieces: () => AsyncGenerator<Buffer>, limit = 0) {
  const clock = createManualClock();
  const [isOver, isGone] = [createGate(), createGate()];
  const failures: unknown[] = [];
  let refused = 0;
  const send = limitSendLong(createSendLong(clock), limit, () => (refused += 1));
  async function* watched() {
    try {
      yield* pieces();
    } finally {
      isOver.open();
    }
  }
  const app = express().get('/', (request, response) => {
    response.once('close', isGone.open);
    send(request, response, { type: 'text/plain', pieces: watched() }).catch((error: unknown) =>
      failures.push(error),
    );
  });
  const url = await serve(app);

  function ask(encoding = 'identity') {
    const asking = get(url, { headers: { 'accept-encoding': encoding }, agent: false });
    // A reader that leaves is told so.
    asking.on('error', () => {});
    onTestFinished(() => void asking.destroy());
    return asking;
  }
  return {
    clock,
    failures,
    refused: () => refused,
    isOver: isOver.passed,
    isGone: isGone.passed,
    ask,
    async read(encoding?: string): Promise<IncomingMessage> {
      const [answer] = (await once(ask(encoding), 'response')) as [IncomingMessage];
      return answer;
    },
  };
}

/** So small that a stream takes several of them before it says that it has enough. */
const pieceBytes = 5000;
const count = 4000;
const letters = Array.from({ length: count }, (_, index) => index % 251);

/** All in the same memory: each is written over when the next one is asked for. */
async function* inOnePlace(): AsyncGenerator<Buffer> {
  const memory = Buffer.alloc(pieceBytes);
  for (const letter of letters) yield memory.fill(letter);
}

/** More than the operating system takes for who does not read. */
async function* huge(): AsyncGenerator<Buffer> {
  for (;;) yield randomBytes(50_000_000);
}

describe.each(['identity', 'gzip'])('an answer in pieces, as %s', (encoding) => {
  it('is whole though all pieces are in the same memory, and nobody reads at first', async () => {
    const answer = await (await sending(inOnePlace)).read(encoding);
    // The operating system takes a few megabytes for who does not read; the rest waits.
    await once(answer, 'readable');
    const body = await buffer(answer);
    const expected = Buffer.concat(letters.map((letter) => Buffer.alloc(pieceBytes, letter)));
    expect((encoding === 'gzip' ? gunzipSync(body) : body).equals(expected)).toBe(true);
  });

  it('asks for no more pieces once its reader has gone', async () => {
    const { read, isOver, failures } = await sending(huge);
    (await read(encoding)).destroy();
    await isOver;
    await expect.poll(() => failures).toEqual([expect.any(ReaderGone)]);
  });

  it('lets go of a reader that takes nothing for 30 s', async () => {
    const { clock, read, isOver, failures } = await sending(huge);
    const answer = await read(encoding);
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
    const { clock, read, failures } = await sending(async function* slow() {
      for (let index = 0; index < 10; index += 1) {
        yield Buffer.alloc(pieceBytes);
        await clock.advance(29_999);
      }
    });
    expect([(await buffer(await read())).length, failures]).toEqual([10 * pieceBytes, []]);
    expect(clock.pending()).toBe(0);
  });

  it('breaks off where the pieces do: half an answer must not look like a whole one', async () => {
    const { read, failures } = await sending(async function* broken() {
      yield Buffer.alloc(pieceBytes);
      throw new Error('no more');
    });
    await expect(buffer(await read())).rejects.toThrow('aborted');
    expect(failures).toEqual([new Error('no more')]);
  });

  it('is one of so many at once: the next one is turned away until a reader has its own or is let go', async () => {
    const { clock, read, refused, failures } = await sending(huge, 2);
    await read();
    await read();
    const third = await read();
    const words = 'more than 2 answers at once; see --web.max-requests\n';
    expect([third.statusCode, await text(third), refused()]).toEqual([503, words, 1]);
    await clock.advance(30_000);
    await expect.poll(() => failures).toHaveLength(2);
    expect((await read()).statusCode).toBe(200);
  });
});
