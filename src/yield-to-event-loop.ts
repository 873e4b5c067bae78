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

export type Slices = ReturnType<typeof createSlices>;

const sliceMs = 5;
/** To ask for the time at each row would take as long as to write it. */
const rowsPerLook = 32;

/** Work in slices: long enough to be cheap, short enough that a health check never waits for it. */
export function createSlices(yieldToEventLoop: YieldToEventLoop) {
  let endsAt = performance.now() + sliceMs;
  let rows = 0;
  return {
    /** Asked at each row. */
    isOver(): boolean {
      rows += 1;
      return rows % rowsPerLook === 0 && performance.now() >= endsAt;
    },
    /** Asked between steps of any other length. */
    isTimeOver: () => performance.now() >= endsAt,
    async next(): Promise<void> {
      await yieldToEventLoop();
      endsAt = performance.now() + sliceMs;
    },
  };
}
