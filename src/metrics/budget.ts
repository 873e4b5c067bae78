import { fleetFamilies } from './fleet.ts';

/** How many label sets the fleet may have: each becomes about one series in each of its families. */
export function groupLimit(seriesLimit: number): number {
  return Math.max(1, Math.floor(seriesLimit / fleetFamilies.length));
}

/** Whether so many families of single servers may all fit; a family more than that has no hope. */
export function mayFit(families: number, servers: number, seriesLimit: number): boolean {
  return families * servers <= seriesLimit;
}

export interface Budget {
  /** For what is exported in any case. */
  spend(series: number): void;
  /** Whether so many more series are within the limit; they are dropped as a whole if not. */
  affords(series: number): boolean;
  dropped(): number;
}

/** How `series_limit` is shared out: to the fleet first, then to whole families in the order in which they ask. */
export function createBudget(seriesLimit: number, mergedSets: number): Budget {
  let left = seriesLimit;
  let dropped = mergedSets;
  return {
    spend(series) {
      left -= series;
    },
    affords(series) {
      left -= series;
      if (left >= 0) return true;
      dropped += series;
      return false;
    },
    dropped: () => dropped,
  };
}
