import { finished, pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { systemClock, within, type Clock } from '../clock.ts';
import type { YieldToEventLoop } from '../yield-to-event-loop.ts';

export function sendText(response: Response, status: number, words: string): void {
  response.status(status).type('text').send(`${words}\n`);
}

/** Several times what any client sends. Who sends more is answered as if nothing was asked for, at no cost. */
const maxAcceptLength = 1000;

/** The content type that the client likes best; the first of them if it names none. */
export function preferredType(request: Request, types: readonly [string, ...string[]]): string {
  return (isRead(request, 'accept') && request.accepts([...types])) || types[0];
}

export function acceptsGzip(request: Request): boolean {
  return isRead(request, 'accept-encoding') && request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
}

const isRead = (request: Request, header: string) => (request.get(header) ?? '').length <= maxAcceptLength;

/** `vary` names the headers that the answer depends on, if there are more than the usual one. */
export type SendLong = (
  request: Request,
  response: Response,
  /** Each piece is asked for when the one before it is on its way, so that all may be in the same memory. */
  answer: { type: string; vary?: string; pieces: AsyncIterable<Buffer> | Iterable<Buffer> },
) => Promise<void>;

/** How an answer is sent; whoever waited for a collection goes on one by one, with turns of the event loop between. */
export interface Sending {
  readonly send: SendLong;
  readonly yieldToEventLoop: YieldToEventLoop;
}

/** Whoever takes no piece for this long is let go. */
const maxSilenceMs = 30_000;

/** The reader left, or took nothing for too long. */
export class ReaderGone extends Error {}

/** Sends a long answer piece by piece, as gzip for who accepts it. */
export function createSendLong(clock: Clock = systemClock): SendLong {
  return async (request, response, { type, vary = 'Accept-Encoding', pieces }) => {
    const isZipped = acceptsGzip(request);
    response.status(200).set({ 'Content-Type': type, Vary: vary });
    if (isZipped) response.set('Content-Encoding', 'gzip');
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    // Level 1 costs a third of the usual level's time for a fifth more bytes.
    const zip = isZipped ? createGzip({ level: 1 }) : undefined;
    const target = zip ?? response;
    const write = promisify((piece: Buffer, done: (error?: Error | null) => void) =>
      target.write(piece, done),
    );
    const sent = zip ? pipeline(zip, response) : finished(response);
    // The reader may go before there is a first piece; after that it is waited for no more.
    sent.catch(() => undefined);
    try {
      for await (const piece of pieces) await inTime(Promise.race([sent, write(piece)]), clock);
      target.end();
      await inTime(sent, clock);
    } catch (error) {
      target.destroy();
      response.destroy();
      throw error;
    }
  };
}

/** Only so many at a time; the next one is turned away at once. 0 lets all in. */
export function limitSendLong(send: SendLong, limit: number, refused: () => void): SendLong {
  let underWay = 0;
  return async (request, response, answer) => {
    if (limit > 0 && underWay >= limit) {
      refused();
      return sendText(response, 503, `more than ${limit} answers at once; see --web.max-requests`);
    }
    underWay += 1;
    return send(request, response, answer).finally(() => (underWay -= 1));
  };
}

function inTime(work: Promise<void>, clock: Clock): Promise<void> {
  const late = () => Promise.reject(new Error(`nothing was taken for ${maxSilenceMs / 1000} s`));
  return within({ clock, ms: maxSilenceMs }, work, late).catch((error: unknown) => {
    throw new ReaderGone(String(error), { cause: error });
  });
}
