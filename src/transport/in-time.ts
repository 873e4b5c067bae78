import type { Clock } from '../clock.ts';
import type { Failure } from './failure.ts';

/** What knows its deadline ends by itself, and says better why; this long after it, the rest is given up. */
export const graceMs = 250;

/** Ends with the work, or when its time or the signal is over, whatever it waits for; what comes later is ignored. */
export async function inTime<Done>(
  work: (signal: AbortSignal) => Promise<Done>,
  limit: {
    readonly clock: Clock;
    readonly ms: number;
    readonly overdue: () => Failure;
    /** To end it from outside. */
    readonly over?: AbortController;
  },
): Promise<Done> {
  const { clock, over = new AbortController() } = limit;
  const { signal } = over;
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Failure));
  });
  const timer = new AbortController();
  clock.wait(limit.ms + graceMs, timer.signal).then(
    () => over.abort(limit.overdue()),
    () => undefined,
  );
  try {
    return await Promise.race([work(signal), givenUp]);
  } finally {
    timer.abort();
  }
}
