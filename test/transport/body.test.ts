import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyTooLarge, readBody } from '../../src/transport/body.ts';
import { createBufferPool } from '../../src/transport/buffers.ts';
import { createGate } from '../support/gate.ts';

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

  it.each([15, 0])('is read in turns, if there are many, %i bytes announced', async (announced) => {
    const turns = { took: (bytes: number) => (bytes === 5 ? Promise.resolve() : undefined) };
    const body = await readBody(streamOf('first', 'next', 'third', '.'), announced, { ...settings, turns });
    expect(body.toString()).toBe('firstnextthird.');
  });

  it('does not go on before its turn', async () => {
    const taken: number[] = [];
    const turn = createGate();
    const turns = {
      took(bytes: number) {
        taken.push(bytes);
        return turn.passed;
      },
    };
    const reading = readBody(streamOf('first', 'next'), 9, { ...settings, turns });
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual([5]);
    turn.open();
    expect((await reading).toString()).toBe('firstnext');
  });

  it('that breaks off while it waits for its turn fails, and the turn comes to nothing', async () => {
    const turn = createGate();
    const stream = streamOf('first', 'next');
    const reading = readBody(stream, 9, { ...settings, turns: { took: () => turn.passed } });
    stream.once('data', () => setImmediate(() => stream.destroy(new Error('reset'))));
    await expect(reading).rejects.toThrow('reset');
    turn.open();
    await turn.passed;
  });

  it.each([9, 0])(
    'that was given up before it was read, or while it is, fails: %i bytes announced',
    async (announced) => {
      const given = streamOf('first', 'next');
      given.destroy();
      await expect(readBody(given, announced, settings)).rejects.toThrow('closed before its end');
      const later = streamOf('first', 'next');
      later.once('data', () => later.destroy());
      await expect(readBody(later, announced, settings)).rejects.toThrow('closed before its end');
    },
  );

  it('is refused if it is announced or turns out to be larger than what is accepted', async () => {
    await expect(readBody(streamOf('a'), 1001, settings)).rejects.toThrow(BodyTooLarge);
    const unannounced = streamOf('a'.repeat(600), 'b'.repeat(600));
    await expect(readBody(unannounced, 0, settings)).rejects.toThrow(BodyTooLarge);
  });
});
