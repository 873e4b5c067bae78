import type { Clock } from '../../src/clock.ts';

export const minuteMs = 60_000;

export type ManualClock = ReturnType<typeof createManualClock>;

/** A clock that stands still until the test moves it. */
export function createManualClock(start = Date.parse('2026-11-15T00:00:00Z')) {
  let now = start;
  // Far from the wall clock, so that a moment of one that is compared with one of the other is noticed.
  let passed = 5_000_000;
  let pending: { until: number; end: () => void }[] = [];
  const waits: number[] = [];
  return {
    /** Every wait that was asked for, in milliseconds. */
    waits,
    /** How many of them are still waited for. */
    pending: () => pending.length,
    now: () => now,
    monotonic: () => passed,
    /** Sets the wall clock, back if negative; no time passes. */
    stepWall: (byMs: number) => void (now += byMs),
    wait(ms: number, signal?: AbortSignal) {
      waits.push(ms);
      return new Promise<void>((resolve, reject) => {
        const wait = { until: passed + ms, end: resolve };
        pending.push(wait);
        const leave = () => {
          pending = pending.filter((other) => other !== wait);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    /** Moves time on and ends every wait that is over by then. */
    async advance(ms: number) {
      now += ms;
      passed += ms;
      const over = pending.filter(({ until }) => until <= passed);
      pending = pending.filter(({ until }) => until > passed);
      for (const { end } of over) end();
      await Promise.resolve();
    },
  };
}

/** One that stands still, but for the pauses within a collection, which are over at once. */
export function createShortPauses(): ManualClock {
  const clock = createManualClock();
  return { ...clock, wait: (ms, signal) => (ms <= 1000 ? clock.advance(ms) : clock.wait(ms, signal)) };
}

/** Time as it passes, except that nobody waits: each wait ends at once and is written down. */
export function createEagerClock(
  shouldEnd: (ms: number) => boolean = () => true,
): Clock & { waits: number[] } {
  const waits: number[] = [];
  let skipped = 0;
  return {
    waits,
    now: () => Date.now() + skipped,
    monotonic: () => performance.now() + skipped,
    wait(ms, signal) {
      if (!shouldEnd(ms)) {
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      }
      waits.push(ms);
      skipped += ms;
      return Promise.resolve();
    },
  };
}
