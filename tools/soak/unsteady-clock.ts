import { systemClock, type Clock } from '../../src/clock.ts';

const hourMs = 3_600_000;

export interface UnsteadyClock extends Clock {
  /** Sets the wall clock back or forth by an hour; no time passes. */
  step(): void;
  /** When that was in truth, of a moment that this clock told. */
  realTimeOf(told: number): number;
}

/** Time as it passes, with a wall clock that somebody sets while it runs. */
export function createUnsteadyClock(): UnsteadyClock {
  let settings = [{ since: 0, byMs: 0 }];

  return {
    ...systemClock,
    now: () => Date.now() + settings.at(-1)!.byMs,
    step() {
      const { byMs } = settings.at(-1)!;
      const next = byMs === 0 ? (settings.length % 2 === 0 ? hourMs : -hourMs) : 0;
      // What was told longer ago is not asked for any more.
      settings = [...settings.slice(-20), { since: Date.now(), byMs: next }];
    },
    realTimeOf(told) {
      const held = settings.findIndex(({ since, byMs }, index) => {
        const until = settings[index + 1]?.since ?? Infinity;
        return told - byMs >= since - 1 && told - byMs <= until + 1;
      });
      return told - (settings[held]?.byMs ?? 0);
    },
  };
}
