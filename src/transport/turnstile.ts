import { setImmediate as nextTurn } from 'node:timers/promises';

export type Turnstile = () => Promise<void>;

/** Lets one caller through per turn of the event loop, so that parsing many pages never blocks a health check. */
export function createTurnstile(): Turnstile {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => nextTurn());
    return last;
  };
}
