import { setImmediate as nextTurn } from 'node:timers/promises';

/** The turn of who asked last. Of the whole program, as the event loop is. */
let last: Promise<void> = Promise.resolve();

/**
 * Lets others work between two pieces of long work. One piece at a time, however many pages or clouds are at work: a
 * health check waits for one of them and not for one of each. A request takes one turn of the event loop to be accepted
 * and one to be read, so two turns lie between two pieces.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(twoTurns);
  return last;
}

async function twoTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
