import type { Log } from '../log.ts';
import { sizeOf, type Drift } from './list-proof.ts';

/** Whether lists of changes are to be relied on. */
export interface ListTrust {
  /** Why the list has to be a whole one at this moment, if so. */
  objection(now: number): string | undefined;
  /** There will be no lists of changes any more. */
  giveUp(why: string): void;
  agreed(): void;
  disagreed(why: string, now: number): void;
  drifted(drift: Drift, now: number): void;
}

const pauseAfterDriftMs = 3_600_000;
const pauseMs = 600_000;
const mostDisagreements = 3;
/** So many ids of a drift are logged, of each kind. */
const mostIds = 5;

export function createListTrust(log: Log): ListTrust {
  let givenUp: string | undefined;
  let pausedUntil = -Infinity;
  let disagreements = 0;
  let isDisagreementSaid = false;

  return {
    objection(now) {
      if (givenUp !== undefined) return givenUp;
      return now < pausedUntil ? 'lists of changes rest, since they were wrong' : undefined;
    },
    giveUp(why) {
      if (givenUp === undefined) log.warn({}, `${why}: every list is whole, as without list_max_age`);
      givenUp = why;
    },
    agreed() {
      disagreements = 0;
    },
    disagreed(why, now) {
      disagreements += 1;
      if (disagreements < mostDisagreements) return;
      disagreements = 0;
      pausedUntil = now + pauseMs;
      const words = `${mostDisagreements} lists of changes in a row did not add up: every list is whole for ten minutes; if the account is not of the whole system, deletions are not told to it, and list_max_age is of little use`;
      log[isDisagreementSaid ? 'debug' : 'warn']({ why }, words);
      isDisagreementSaid = true;
    },
    drifted(drift, now) {
      pausedUntil = now + pauseAfterDriftMs;
      const { altered, unknown, gone } = drift;
      const ids = (kind: readonly string[]) => kind.slice(0, mostIds);
      log.warn(
        { altered: ids(altered), unknown: ids(unknown), gone: ids(gone) },
        `a whole list showed ${sizeOf(drift)} servers otherwise than lists of changes had told: ${altered.length} altered, ${unknown.length} not known, ${gone.length} gone; every list is whole for an hour`,
      );
    },
  };
}
