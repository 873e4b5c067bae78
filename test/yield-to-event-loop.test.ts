import { describe, expect, it } from 'vitest';
import { createYieldToEventLoop } from '../src/yield-to-event-loop.ts';

const yieldToEventLoop = createYieldToEventLoop();

/** Counts the turns of the event loop until it is told to end. */
function countTurns() {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return { now: () => turns, end: () => (isOver = true) };
}

describe('long work in pieces', () => {
  it('is done one piece at a time, with two turns of the event loop in between, by however many', async () => {
    const turns = countTurns();
    const pieces: { worker: number; turn: number }[] = [];
    const work = async (_: unknown, worker: number) => {
      for (let piece = 0; piece < 3; piece += 1) {
        await yieldToEventLoop();
        pieces.push({ worker, turn: turns.now() });
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    turns.end();
    const between = pieces.slice(1).map(({ turn }, index) => turn - pieces[index]!.turn);
    expect(between).toEqual(between.map(() => 2));
    expect(pieces.map(({ worker }) => worker).join('')).toBe('012301230123');
  });

  it('goes on when nobody else works', async () => {
    const turns = countTurns();
    await yieldToEventLoop();
    const before = turns.now();
    await yieldToEventLoop();
    turns.end();
    expect(turns.now() - before).toBe(2);
  });
});
