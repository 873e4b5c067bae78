import { expect, it } from 'vitest';
import { createYieldToEventLoop } from '../src/yield-to-event-loop.ts';

it('long work is done in pieces, one at a time, with two turns of the event loop in between, by however many', async () => {
  const yieldToEventLoop = createYieldToEventLoop();
  let [turns, isOver] = [0, false];
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const pieces: { worker: number; turn: number }[] = [];
  const work = async (_: unknown, worker: number) => {
    for (let piece = 0; piece < 3; piece += 1) {
      await yieldToEventLoop();
      pieces.push({ worker, turn: turns });
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  isOver = true;
  const between = pieces.slice(1).map(({ turn }, index) => turn - pieces[index]!.turn);
  expect(between).toEqual(between.map(() => 2));
  expect(pieces.map(({ worker }) => worker).join('')).toBe('012301230123');
});
