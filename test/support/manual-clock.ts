import type { Clock } from '../../src/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on and ends every wait that is over by then. */
  advance(ms: number): Promise<void>;
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: readonly number[];
}

/** A clock that stands still until the test moves it. */
export function createManualClock(start = Date.parse('2026-11-15T00:00:00Z')): ManualClock {
  let now = start;
  let pending: { until: number; end: () => void }[] = [];
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    wait(ms, signal) {
      waits.push(ms);
      return new Promise((resolve, reject) => {
        pending.push({ until: now + ms, end: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
    async advance(ms) {
      now += ms;
      const over = pending.filter(({ until }) => until <= now);
      pending = pending.filter(({ until }) => until > now);
      for (const { end } of over) end();
      await Promise.resolve();
    },
  };
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
