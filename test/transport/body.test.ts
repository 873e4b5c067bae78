import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyTooLarge, readBody } from '../../src/transport/body.ts';
import { createBufferPool } from '../../src/transport/buffers.ts';

const settings = { limitBytes: 1000, buffers: createBufferPool(4) };

function streamOf(...chunks: string[]): Readable {
  return Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
}

describe('a body', () => {
  it('is read whole, whether its length is announced or not', async () => {
    for (const announced of [10, 0]) {
      const body = await readBody(streamOf('{"a"', ':', '"é"}'), announced, settings);
      expect(body.toString()).toBe(`{"a":"é"}`);
    }
  });

  it('shows nothing of the one that was in its memory before', async () => {
    const first = await readBody(streamOf('a long body'), 11, settings);
    settings.buffers.giveBack(first);
    const second = await readBody(streamOf('short'), 5, settings);
    expect(second.buffer).toBe(first.buffer);
    expect(second.toString()).toBe('short');
  });

  it('is refused if it is announced or turns out to be larger than what is accepted', async () => {
    await expect(readBody(streamOf('a'), 1001, settings)).rejects.toThrow(BodyTooLarge);
    const unannounced = streamOf('a'.repeat(600), 'b'.repeat(600));
    await expect(readBody(unannounced, 0, settings)).rejects.toThrow(BodyTooLarge);
  });
});
