import type { Clock } from '../clock.ts';

/** What is remembered from list to list of one resource of one cloud. */
export interface ListMemory {
  readonly clock: Clock;
  /** Records to ask for at once: no more than the platform sends, and sends in time. */
  limit(pageSize: number): number;
  timedOut(limit: number): void;
  /** The platform sent no more than so many, though there were more. */
  cut(limit: number): void;
  listEnded(): void;
  /** Why lists are read by offset for now, if so. */
  whyByOffset(): string | undefined;
  readByOffset(why: string): void;
  /** For a reload: everything is tried again. */
  forget(): void;
}

const dayMs = 86_400_000;
const smallestHalf = 20;
const listsUntilLimitDoubles = 10;

export function createListMemory(clock: Clock): ListMemory {
  let maxLimit = Infinity;
  let calmLists = 0;
  let byOffset: { readonly why: string; readonly until: number } | undefined;
  return {
    clock,
    limit: (pageSize) => Math.min(pageSize, maxLimit),
    timedOut(limit) {
      maxLimit = Math.min(maxLimit, halfOf(limit));
      // The end of this list makes it none.
      calmLists = -1;
    },
    cut(limit) {
      maxLimit = Math.min(maxLimit, limit);
    },
    listEnded() {
      calmLists += 1;
      if (calmLists < listsUntilLimitDoubles) return;
      calmLists = 0;
      maxLimit *= 2;
    },
    whyByOffset: () => (byOffset && clock.monotonic() < byOffset.until ? byOffset.why : undefined),
    readByOffset(why) {
      byOffset = { why, until: clock.monotonic() + dayMs };
    },
    forget() {
      maxLimit = Infinity;
      calmLists = 0;
      byOffset = undefined;
    },
  };
}

/** What to ask for in place of a page that took too long. */
export function halfOf(limit: number): number {
  return Math.min(limit, Math.max(smallestHalf, Math.ceil(limit / 2)));
}
