import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { acceptsGzip } from './negotiate.ts';

/** A short answer in words. */
export function sendText(response: Response, status: number, words: string): void {
  response.status(status).type('text').send(`${words}\n`);
}

/** A long answer, piece by piece, as gzip for who accepts it. `vary` names the headers that it depends on. */
export async function sendPieces(
  request: Request,
  response: Response,
  answer: { readonly type: string; readonly vary: string; readonly pieces: AsyncIterable<Buffer> },
): Promise<void> {
  const isZipped = acceptsGzip(request.get('accept-encoding'));
  response.status(200).set({ 'Content-Type': answer.type, Vary: answer.vary });
  if (isZipped) response.set('Content-Encoding', 'gzip');
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const body = Readable.from(answer.pieces, { objectMode: false });
  // Level 1 costs a third of the usual level's time for a fifth more bytes.
  if (isZipped) await pipeline(body, createGzip({ level: 1 }), response);
  else await pipeline(body, response);
}
