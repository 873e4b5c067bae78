import type { Readable } from 'node:stream';
import type { BufferPool } from './buffers.ts';
import type { ReadingTurns } from './reading-turns.ts';

export class BodyTooLarge extends Error {}

/** Reads a whole body into one buffer, which comes from the pool when the length is announced. */
export async function readBody(
  stream: Readable,
  announced: number,
  {
    limitBytes,
    buffers,
    turns,
  }: { limitBytes: number; buffers: BufferPool; turns?: ReadingTurns | undefined },
): Promise<Buffer> {
  if (announced > limitBytes) {
    stream.destroy();
    throw new BodyTooLarge(`${announced} bytes announced, ${limitBytes} accepted`);
  }
  if (turns) takeTurns(stream, turns);
  return announced > 0 ? readAnnounced(stream, buffers.take(announced)) : readUnannounced(stream, limitBytes);
}

function readAnnounced(stream: Readable, body: Buffer): Promise<Buffer> {
  let length = 0;
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      length += chunk.copy(body, length);
    });
    // Node ends a message that stops short of its Content-Length with an error, so this body is whole.
    stream.on('end', () => resolve(body.subarray(0, length)));
    rejectUnlessRead(stream, reject);
  });
}

function readUnannounced(stream: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limitBytes) stream.destroy(new BodyTooLarge(`more than ${limitBytes} bytes`));
    });
    stream.on('end', () => resolve(Buffer.concat(chunks, length)));
    rejectUnlessRead(stream, reject);
  });
}

/** Who gives up closes a stream without an error, and maybe before anybody listens to it. */
function rejectUnlessRead(stream: Readable, reject: (error: Error) => void): void {
  const closed = () => {
    if (!stream.readableEnded) reject(new Error('the body was closed before its end'));
  };
  stream.on('error', reject);
  stream.on('close', closed);
  if (stream.destroyed) closed();
}

/** Others go on while it waits for its turn; the platform, too, once what lies between is full. */
function takeTurns(stream: Readable, turns: ReadingTurns): void {
  stream.on('data', (chunk: Buffer) => {
    const nextTurn = turns.took(chunk.length);
    if (!nextTurn) return;
    stream.pause();
    void nextTurn.then(() => stream.resume());
  });
}
