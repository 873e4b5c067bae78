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
/** To ask for the time at each step would take as long as to do the work. */
const stepsPerLook = 128;

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

/**
 * Takes so many steps, some at a time. A step is a function of a module that is handed its state: the compiled code of one
 * that is made anew in each collection would be dropped with it.
 */
export async function inSlices<State>(
  slices: Slices,
  steps: number,
  state: State,
  step: (state: State, at: number) => void,
): Promise<void> {
  for (let from = 0; from < steps; from += stepsPerLook) {
    takeSteps(from, Math.min(steps, from + stepsPerLook), state, step);
    if (isOver(slices)) await nextSlice(slices);
  }
}

/** By itself, because it is called often: a loop in a function that is called once is compiled anew each time. */
function takeSteps<State>(from: number, to: number, state: State, step: (state: State, at: number) => void) {
  for (let at = from; at < to; at += 1) step(state, at);
}
