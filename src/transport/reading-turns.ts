import { yieldToEventLoop } from '../yield-to-event-loop.ts';

/** Who reads bodies, taking turns. One for all clouds, since they share the event loop. */
export interface ReadingTurns {
  /** So many bytes were read: a promise if that is enough for this turn of the event loop, of when to go on. */
  took(bytes: number): Promise<void> | undefined;
}

/** So much is read within a few milliseconds, and the pages of one cloud are seldom more. */
const mostBytes = 4 * 2 ** 20;
/** So much of what was read may lie about. */
const mostLeft = 6 * 2 ** 20;

/**
 * Node reads up to two megabytes of each connection in one turn of the event loop. With a dozen clouds, which all answer
 * at once, a health check would wait for a hundred megabytes.
 *
 * `tidyUp` collects young garbage. What Node has read is such garbage, once it is copied, but lies outside the engine's
 * heap: by itself the engine would leave 30 MB of it, and then look through everything that is in use.
 */
export function createReadingTurns(tidyUp: () => void): ReadingTurns {
  let taken = 0;
  let left = 0;
  keepFreed();
  return {
    took(bytes) {
      if (taken === 0) setImmediate(() => (taken = 0));
      taken += bytes;
      left += bytes;
      if (left > mostLeft) {
        left = 0;
        tidyUp();
      }
      return taken > mostBytes ? yieldToEventLoop() : undefined;
    },
  };
}

/**
 * The C library gives the kernel back what is free at the end of its memory, and asks for it again with the next bytes:
 * some percent of the time that a first list of whole records takes. Once a piece of some size has come and gone, it
 * keeps twice as much. Sooner or later one does; so it is this one, which goes with the first garbage.
 */
function keepFreed(): void {
  Buffer.allocUnsafeSlow(mostLeft / 2);
}
