import { yieldToEventLoop } from '../yield-to-event-loop.ts';

/** Does a piece of work when its turn has come. */
export type SerialQueue = <Done>(work: () => Done | Promise<Done>) => Promise<Done>;

/** One piece of work at a time, each in a turn of the event loop of its own: many pages never block a health check. */
export function createSerialQueue(): SerialQueue {
  let last = Promise.resolve();
  return (work) => {
    const done = last.then(() => yieldToEventLoop()).then(work);
    last = done.then(ignore, ignore);
    return done;
  };
}

function ignore(): void {}
