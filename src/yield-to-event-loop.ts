import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets others work between two pieces of long work. A request takes one turn of the event loop to be accepted and one
 * to be read: with both in one pause, it waits for one piece of work and not for three.
 */
export async function yieldToEventLoop(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
