import type { Clock } from '../clock.ts';

export interface Rate {
  readonly intervalMs: number;
  readonly burst: number;
}

/** A bucket of `burst` tokens that gains one per interval; whoever finds it empty has to come back later. */
export function createRateLimit(clock: Clock): (rate: Rate) => boolean {
  let tokens = Infinity;
  let filledAt = clock.monotonic();
  return ({ intervalMs, burst }) => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + (now - filledAt) / intervalMs);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
