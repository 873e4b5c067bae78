import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyTooLarge, createBodyReader } from '../../src/transport/body.ts';

function streamOf(...chunks: string[]): Readable {
  return Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
}

describe('a body', () => {
  it.each([10, 5, 0])('is read whole, whatever length is announced: %i', async (announced) => {
    const body = await createBodyReader(1000)(streamOf('{"a"', ':', '"é"}'), announced);
    expect(body.toString()).toBe(`{"a":"é"}`);
  });

  it('is read into the memory of the one before, and shows nothing of it', async () => {
    const read = createBodyReader(1000);
    const first = await read(streamOf('a long body'), 11);
    const second = await read(streamOf('a body!'), 7);
    expect(second.toString()).toBe('a body!');
    expect(second.buffer).toBe(first.buffer);
  });

  it('gets more memory where it needs more, a few times at most', async () => {
    const read = createBodyReader(1_000_000);
    await read(streamOf('short'), 5);
    const chunks = Array.from({ length: 1000 }, (_, index) => `${index},`.repeat(20));
    for (const announced of [0, chunks.join('').length]) {
      const body = await read(streamOf(...chunks), announced);
      expect(body.toString()).toBe(chunks.join(''));
      expect(body.buffer.byteLength).toBeLessThan(3 * body.length);
    }
  });

  it('that breaks off fails, and the next one is read as if nothing had been', async () => {
    const read = createBodyReader(1000);
    const stream = new Readable({ read: () => undefined });
    stream.push('first');
    stream.once('data', () => stream.destroy(new Error('reset')));
    await expect(read(stream, 9)).rejects.toThrow('reset');
    expect((await read(streamOf('other'), 5)).toString()).toBe('other');
  });

  it('that was given up before it was read, or while it is, fails', async () => {
    const read = createBodyReader(1000);
    const given = streamOf('first', 'next');
    given.destroy();
    await expect(read(given, 9)).rejects.toThrow('Premature close');
    const later = streamOf('first', 'next');
    later.once('data', () => later.destroy());
    await expect(read(later, 9)).rejects.toThrow('Premature close');
  });

  it('is refused if it is announced or turns out to be larger than what is accepted', async () => {
    const announced = streamOf('a');
    await expect(createBodyReader(1000)(announced, 1001)).rejects.toThrow(BodyTooLarge);
    const unannounced = streamOf('a'.repeat(600), 'b'.repeat(600));
    await expect(createBodyReader(1000)(unannounced, 0)).rejects.toThrow(BodyTooLarge);
    expect([announced.destroyed, unannounced.destroyed]).toEqual([true, true]);
  });
});
