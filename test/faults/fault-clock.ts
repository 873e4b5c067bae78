import type { Clock } from '../../src/clock.ts';
import { maxRenewalWaitMs } from '../../src/identity/token.ts';
import { graceMs } from '../../src/transport/in-time.ts';

/** Lengths that no other wait of the exporter has, so that each sort of wait is known by its length. */
export const requestTimeoutMs = 7001;
export const patienceSeconds = 1000;
const patienceMs = patienceSeconds * 1000 - 500;

/** What ends only if something else does not: a collection, patience with a scrape or with a renewal. */
function isLimit(ms: number): boolean {
  const isCollection = ms % 1000 === graceMs || ms === requestTimeoutMs + graceMs;
  return isCollection || ms === patienceMs || ms === maxRenewalWaitMs;
}

export interface FaultClock extends Clock {
  /** Lets time pass; attempts whose time is over end. */
  advance(ms: number): Promise<void>;
  /** The pauses between attempts, in milliseconds. */
  readonly backOffs: number[];
}

/** Time stands still but for pauses between attempts, which are over at once; nobody loses patience. */
export function createFaultClock(start = Date.parse('2026-11-15T00:00:00Z')): FaultClock {
  let now = start;
  let attempts: { readonly endsAt: number; readonly end: () => void }[] = [];
  const backOffs: number[] = [];

  function untilAborted(
    signal: AbortSignal | undefined,
    resolve: () => void,
    reject: (error: Error) => void,
  ) {
    const attempt = { endsAt: now + requestTimeoutMs, end: resolve };
    attempts.push(attempt);
    signal?.addEventListener(
      'abort',
      () => {
        attempts = attempts.filter((other) => other !== attempt);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  }

  return {
    backOffs,
    now: () => now,
    monotonic: () => now - start,
    wait(ms, signal) {
      if (ms === requestTimeoutMs)
        return new Promise((resolve, reject) => untilAborted(signal, resolve, reject));
      if (isLimit(ms)) return new Promise(() => undefined);
      backOffs.push(ms);
      now += ms;
      return Promise.resolve();
    },
    async advance(ms) {
      now += ms;
      const over = attempts.filter(({ endsAt }) => endsAt <= now);
      attempts = attempts.filter(({ endsAt }) => endsAt > now);
      for (const { end } of over) end();
    },
  };
}
