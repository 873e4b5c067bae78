import type { Readable } from 'node:stream';
import type { BufferPool } from './buffers.ts';

export class BodyTooLarge extends Error {}

/** Reads a whole body into one buffer, which comes from the pool when the length is announced. */
export async function readBody(
  stream: Readable,
  announced: number,
  { limitBytes, buffers }: { limitBytes: number; buffers: BufferPool },
): Promise<Buffer> {
  if (announced > limitBytes) {
    stream.destroy();
    throw new BodyTooLarge(`${announced} bytes announced, ${limitBytes} accepted`);
  }
  return announced > 0 ? readAnnounced(stream, buffers.take(announced)) : readUnannounced(stream, limitBytes);
}

function readAnnounced(stream: Readable, body: Buffer): Promise<Buffer> {
  let length = 0;
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      length += chunk.copy(body, length);
    });
    stream.on('error', reject);
    // Node ends a message that stops short of its Content-Length with an error, so this body is whole.
    stream.on('end', () => resolve(body.subarray(0, length)));
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
    stream.on('error', reject);
    stream.on('end', () => resolve(Buffer.concat(chunks, length)));
  });
}
