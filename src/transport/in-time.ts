import { within, type Clock } from '../clock.ts';
import type { Failure } from './failure.ts';

/** Requests time out first and give a better error; this long after the deadline, the rest is given up. */
export const graceMs = 250;

/** Ends with the work, or when its time or the signal is over, whatever it waits for; what comes later is ignored. */
export async function inTime<Done>(
  work: (signal: AbortSignal) => Promise<Done>,
  limit: {
    readonly clock: Clock;
    readonly ms: number;
    readonly timeoutError: () => Failure;
    /** To end it from outside. */
    readonly controller?: AbortController;
  },
): Promise<Done> {
  const { clock, controller = new AbortController() } = limit;
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Failure));
  });
  return within({ clock, ms: limit.ms + graceMs }, Promise.race([work(signal), aborted]), () => {
    controller.abort(limit.timeoutError());
    return aborted;
  });
}
