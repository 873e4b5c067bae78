/** Time as a parameter: tests pass their own, so none of them sleeps. */
export interface Clock {
  /** The wall clock, for what is shown and for moments that others name. It may be set, back or forth. */
  now(): number;
  /** Milliseconds since a moment of its own; it only goes on. For ages, pauses and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The end of the work or, when its time is over first, of `late`; what the other one brings is of no interest then. */
export async function within<Done>(
  { clock, ms }: { readonly clock: Pick<Clock, 'wait'>; readonly ms: number },
  work: Promise<Done>,
  late: () => Done | Promise<Done>,
): Promise<Done> {
  const waiting = new AbortController();
  try {
    return await Promise.race([work, clock.wait(ms, waiting.signal).then(late)]);
  } finally {
    waiting.abort();
  }
}

/** Node turns a longer wait into one of a millisecond. */
const longestWaitMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Node's own promise makes an error with a stack each time a wait is called off, which is how almost all of them end.
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(end, Math.min(ms, longestWaitMs));
      signal?.addEventListener('abort', callOff, { once: true });
      if (signal?.aborted) callOff();

      function end(): void {
        signal?.removeEventListener('abort', callOff);
        resolve();
      }

      function callOff(): void {
        clearTimeout(timer);
        reject(signal!.reason as Error);
      }
    }),
};
