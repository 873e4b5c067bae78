import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/inventory/snapshot.ts';
import { createSnapshotTexts } from '../../src/metrics/snapshot-texts.ts';
import type { TextChunks } from '../../src/metrics/text-chunks.ts';
import { yieldToEventLoop } from '../../src/yield-to-event-loop.ts';
import { collectGarbage } from '../support/garbage.ts';
import { createGate } from '../support/gate.ts';

const snapshotOf = (cloud: string) => ({ cloud }) as Snapshot;

function written(text: string, memory: TextChunks): Buffer {
  const chunk = memory.take(text.length, 0);
  // Nothing will be copied from it.
  memory.isCopied(chunk);
  return chunk.bytes.subarray(0, chunk.bytes.write(text));
}

/** Texts of a few lines each, which say in which memory they are. */
function createTexts() {
  const rendered: string[] = [];
  const gates = new Map<Snapshot, Promise<void>>();
  const texts = createSnapshotTexts(async (snapshot, memory) => {
    rendered.push(snapshot.cloud);
    const words = `${snapshot.cloud} ${rendered.length}!`;
    const chunks = [written(words, memory)];
    await gates.get(snapshot);
    return { blocks: new Map([['lines', { chunks, series: 1 }]]), dropped: 0 };
  });

  async function open(snapshot: Snapshot) {
    const reading = texts.open(snapshot);
    const { blocks } = await reading.text;
    const { chunks } = blocks.get('lines')!;
    return {
      ...reading,
      memory: chunks[0]!.buffer,
      words: () => Buffer.concat(chunks).toString(),
    };
  }

  return { open, texts, rendered, gates };
}

describe('the text of a snapshot', () => {
  it('is rendered once, however often it is read', async () => {
    const { open, rendered } = createTexts();
    const snapshot = snapshotOf('east');
    for (const reading of await Promise.all([open(snapshot), open(snapshot)])) reading.close();
    expect((await open(snapshot)).words()).toBe('east 1!');
    expect(rendered).toEqual(['east']);
  });

  it('is written where that of the snapshot before it was', async () => {
    const { open } = createTexts();
    const first = await open(snapshotOf('east'));
    first.close();
    const second = await open(snapshotOf('east'));
    expect(second.words()).toBe('east 2!');
    expect(second.memory).toBe(first.memory);
    expect((await open(snapshotOf('west'))).memory).not.toBe(first.memory);
  });

  it('is written there, too, where the snapshot before it is long forgotten', async () => {
    const { open } = createTexts();
    const places = new Set<object>();
    async function readOnce() {
      const { memory, close } = await open(snapshotOf('east'));
      places.add(memory);
      close();
    }
    for (let count = 0; count < 3; count += 1) {
      await readOnce();
      // Not before the end of a turn is anything garbage that was looked at in it.
      await yieldToEventLoop();
      collectGarbage();
    }
    expect(places.size).toBe(1);
  });

  it('is as it was for who reads it, but its memory serves no other once its cloud is forgotten', async () => {
    const { open, texts } = createTexts();
    const first = await open(snapshotOf('east'));
    texts.forget('east');
    const second = await open(snapshotOf('east'));
    first.close();
    const third = await open(snapshotOf('east'));
    expect([first.words(), second.words(), third.words()]).toEqual(['east 1!', 'east 2!', 'east 3!']);
    expect([second.memory, third.memory]).not.toContain(first.memory);
  });

  it('stays as it is while anybody reads it, and its memory serves once nobody does', async () => {
    const { open } = createTexts();
    const snapshot = snapshotOf('east');
    const [one, other] = [await open(snapshot), await open(snapshot)];
    one.close();
    const second = await open(snapshotOf('east'));
    second.close();
    expect([other.words(), second.words()]).toEqual(['east 1!', 'east 2!']);
    other.close();
    const third = await open(snapshotOf('east'));
    expect(third.words()).toBe('east 3!');
    expect([one.memory, second.memory]).toContain(third.memory);
  });

  it('is rendered again for who comes late with an old snapshot', async () => {
    const { open } = createTexts();
    const old = snapshotOf('east');
    (await open(old)).close();
    const second = await open(snapshotOf('east'));
    const late = await open(old);
    expect([second.words(), late.words()]).toEqual(['east 2!', 'east 3!']);
  });

  it('is not written over while it is still being rendered, though nobody waits for it', async () => {
    const { open, texts, gates } = createTexts();
    const slow = snapshotOf('east');
    const gate = createGate();
    gates.set(slow, gate.passed);
    const reading = texts.open(slow);
    reading.close();
    const second = await open(snapshotOf('east'));
    gate.open();
    const { blocks } = await reading.text;
    expect(Buffer.concat(blocks.get('lines')!.chunks).toString()).toBe('east 1!');
    expect(second.words()).toBe('east 2!');
  });
});
