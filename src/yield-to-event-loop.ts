import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets others work between two pieces of long work. */
export type YieldToEventLoop = () => Promise<void>;

/**
 * One for each exporter: one piece at a time, however many pages or clouds are at work, so a health check waits for one
 * of them and not for one of each. A request takes one turn of the event loop to be accepted and one to be read, so two
 * turns lie between two pieces.
 */
export function createYieldToEventLoop(): YieldToEventLoop {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(twoTurns));
}

async function twoTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Work in slices: long enough to be cheap, short enough that a health check never waits for it. */
export interface Slices {
  readonly yieldToEventLoop: YieldToEventLoop;
  endsAt: number;
}

const sliceMs = 5;
/** To ask for the time at each item would take as long as to do the work. */
const itemsPerLook = 128;

/** The first slice waits for its turn, too: the first ones of many who begin at once would else be one long piece. */
export function createSlices(yieldToEventLoop: YieldToEventLoop): Slices {
  return { yieldToEventLoop, endsAt: 0 };
}

export async function nextSlice(slices: Slices): Promise<void> {
  await slices.yieldToEventLoop();
  slices.endsAt = performance.now() + sliceMs;
}

/** Asked between two steps of any length. */
export function isOver(slices: Slices): boolean {
  return performance.now() >= slices.endsAt;
}

/** Does the work for all items, some at a time. */
export async function inSlices(
  slices: Slices,
  items: number,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < items; from += itemsPerLook) {
    work(from, Math.min(items, from + itemsPerLook));
    if (isOver(slices)) await nextSlice(slices);
  }
}
