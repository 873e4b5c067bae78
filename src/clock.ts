import { setTimeout as delay } from 'node:timers/promises';

/** Time as a parameter: tests pass their own, so none of them sleeps. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {});
  },
};
