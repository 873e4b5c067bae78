import type { Clock } from '../../src/clock.ts';
import { patienceOf } from '../../src/http/metrics.ts';
import { maxRenewalWaitMs } from '../../src/identity/token.ts';
import { graceMs } from '../../src/transport/in-time.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** Lengths that no other wait of the exporter has, so that each sort of wait is known by its length. */
export const requestTimeoutMs = 7001;
export const patienceSeconds = 1000;
const patienceMs = patienceOf(String(patienceSeconds));

/** What ends only if something else does not: a collection, patience with a scrape or with a renewal. */
function isLimit(ms: number): boolean {
  const isCollection = ms % 1000 === graceMs || ms === requestTimeoutMs + graceMs;
  return isCollection || ms === patienceMs || ms === maxRenewalWaitMs;
}

export type FaultClock = ReturnType<typeof createFaultClock>;

/** Time stands still but for pauses between attempts, which are over at once; nobody loses patience. */
export function createFaultClock() {
  const clock = createManualClock();
  /** The pauses between attempts, in milliseconds. */
  const backOffs: number[] = [];
  const wait: Clock['wait'] = (ms, signal) => {
    if (ms === requestTimeoutMs) return clock.wait(ms, signal);
    if (isLimit(ms)) return new Promise(() => undefined);
    backOffs.push(ms);
    return clock.advance(ms);
  };
  return { ...clock, wait, backOffs };
}
