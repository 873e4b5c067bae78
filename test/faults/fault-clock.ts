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

export type FaultClock = ReturnType<typeof createFaultClock>;

/** Time stands still but for pauses between attempts, which are over at once; nobody loses patience. */
export function createFaultClock(start = Date.parse('2026-11-15T00:00:00Z')) {
  let now = start;
  let attempts: { readonly endsAt: number; readonly end: () => void }[] = [];
  /** The pauses between attempts, in milliseconds. */
  const backOffs: number[] = [];
  const wait: Clock['wait'] = (ms, signal) => {
    if (ms === requestTimeoutMs)
      return new Promise((resolve, reject) => {
        const attempt = { endsAt: now + ms, end: resolve };
        attempts.push(attempt);
        const leave = () => {
          attempts = attempts.filter((other) => other !== attempt);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', leave, { once: true });
      });
    if (isLimit(ms)) return new Promise(() => undefined);
    backOffs.push(ms);
    now += ms;
    return Promise.resolve();
  };
  return {
    backOffs,
    now: () => now,
    monotonic: () => now - start,
    wait,
    /** Lets time pass; attempts whose time is over end. */
    async advance(ms: number): Promise<void> {
      now += ms;
      const over = attempts.filter(({ endsAt }) => endsAt <= now);
      attempts = attempts.filter(({ endsAt }) => endsAt > now);
      for (const { end } of over) end();
    },
  };
}
