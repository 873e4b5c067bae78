import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { AnswerTooLarge, createBodyMemory, createBodyReader } from '../../src/transport/body.ts';

const streamOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('a body is read into memory that rests, the smallest that is large enough, and is never shared by two', async () => {
  const bodies = createBodyMemory();
  const readers = [1000, 10, 100].map((announced) => ({ announced, reader: createBodyReader(bodies) }));
  const read = () =>
    Promise.all(readers.map(({ announced, reader }) => reader.read(streamOf('ab', 'c'), announced, 2000)));
  const first = await read();
  expect(first.map(String)).toEqual(['abc', 'abc', 'abc']);
  for (const { reader } of readers) reader.end();
  const again = await read();
  for (const [at, { buffer }] of again.entries()) expect(buffer === first[at]!.buffer).toBe(true);
});

it('a body that was not announced is read into the largest memory there is, which grows where it must', async () => {
  const bodies = createBodyMemory();
  const sizes: number[] = [];
  for (const length of [10, 5000, 20]) {
    const reader = createBodyReader(bodies);
    const body = await reader.read(streamOf('x'.repeat(length), 'y'), 0, 10_000);
    expect(String(body)).toBe(`${'x'.repeat(length)}y`);
    sizes.push(body.buffer.byteLength);
    reader.end();
  }
  expect(sizes[1]).toBeGreaterThan(5000);
  expect(sizes[2]).toBe(sizes[1]);
});

it('little memory rests, and a body that is too large is refused', async () => {
  const bodies = createBodyMemory();
  const taken = Array.from({ length: 40 }, (_, at) => bodies.take(100 + at));
  for (const one of taken) bodies.giveBack(one);
  const [largest] = taken.map(({ length }) => length).toSorted((a, b) => b - a);
  const left = Array.from({ length: 40 }, () => bodies.take(1));
  expect(left.filter(({ length }) => length > 100)).toHaveLength(12);
  expect(Math.max(...left.map(({ length }) => length))).toBe(largest);
  for (const [stream, announced] of [[streamOf('x'), 11] as const, [streamOf('x'.repeat(11)), 0] as const])
    await expect(createBodyReader(bodies).read(stream, announced, 10)).rejects.toThrow(AnswerTooLarge);
});
