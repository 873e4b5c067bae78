import type { Log } from '../log.ts';

const pauseAfterDriftMs = 3_600_000;
const pauseMs = 600_000;
const maxMismatches = 3;
/** So many ids of a drift are logged, of each kind. */
const maxLoggedIds = 5;

/** Servers that a full list shows otherwise than they were known, by how. */
export interface Drift {
  readonly altered: readonly string[];
  readonly unknown: readonly string[];
  readonly gone: readonly string[];
}

export function sizeOf({ altered, unknown, gone }: Drift): number {
  return altered.length + unknown.length + gone.length;
}

/** Whether lists of changes are to be relied on. */
export function createTrust(log: Log) {
  let disabledBy: string | undefined;
  let pausedUntil = -Infinity;
  let mismatches = 0;
  let isMismatchSaid = false;

  return {
    /** Why the list has to be a full one at this moment, if so. */
    objection(now: number): string | undefined {
      if (disabledBy !== undefined) return disabledBy;
      return now < pausedUntil ? 'change lists paused after a mismatch' : undefined;
    },
    disable(why: string): void {
      if (disabledBy === undefined) log.warn({}, `${why}; list_max_age disabled, reading full lists`);
      disabledBy = why;
    },
    agreed(): void {
      mismatches = 0;
    },
    mismatch(why: string, now: number): void {
      mismatches += 1;
      if (mismatches < maxMismatches) return;
      mismatches = 0;
      pausedUntil = now + pauseMs;
      log[isMismatchSaid ? 'debug' : 'warn'](
        { why },
        `${maxMismatches} change lists in a row did not match the platform's total; reading full lists for 10 minutes. Without system scope the platform does not report deletions, so list_max_age saves little.`,
      );
      isMismatchSaid = true;
    },
    drifted(drift: Drift, now: number): void {
      pausedUntil = now + pauseAfterDriftMs;
      const { altered, unknown, gone } = drift;
      const ids = (kind: readonly string[]) => kind.slice(0, maxLoggedIds);
      log.warn(
        { altered: ids(altered), unknown: ids(unknown), gone: ids(gone) },
        `full list differs from change lists for ${sizeOf(drift)} servers; reading full lists for an hour`,
      );
    },
  };
}
