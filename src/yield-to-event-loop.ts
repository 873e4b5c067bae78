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
