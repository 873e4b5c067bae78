import type { Clock } from '../clock.ts';

export type ListMemory = ReturnType<typeof createListMemory>;

const dayMs = 86_400_000;
const smallestHalf = 20;
const listsUntilLimitDoubles = 10;

/** What is remembered from list to list of one resource of one cloud. */
export function createListMemory(clock: Clock) {
  let maxLimit = Infinity;
  let calmLists = 0;
  let byOffset: { readonly why: string; readonly until: number } | undefined;
  return {
    clock,
    /** Records to ask for at once: no more than the platform sends, and sends in time. */
    limit: (pageSize: number) => Math.min(pageSize, maxLimit),
    timedOut(limit: number): void {
      maxLimit = Math.min(maxLimit, halfOf(limit));
      // The end of this list makes it none.
      calmLists = -1;
    },
    /** The platform sent no more than so many, though there were more. */
    cut(limit: number): void {
      maxLimit = Math.min(maxLimit, limit);
    },
    listEnded(): void {
      calmLists += 1;
      if (calmLists < listsUntilLimitDoubles) return;
      calmLists = 0;
      maxLimit *= 2;
    },
    /** Why lists are read by offset for now, if so. */
    whyByOffset: () => (byOffset && clock.monotonic() < byOffset.until ? byOffset.why : undefined),
    readByOffset(why: string): void {
      byOffset = { why, until: clock.monotonic() + dayMs };
    },
    /** For a reload: everything is tried again. */
    forget(): void {
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
