import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Room for garbage. What arrives from a cloud is garbage soon, however few servers are kept of it. */
const room = 40 * 2 ** 20;
const least = 50;
const most = 200;

export interface HeapGrowth {
  /**
   * By how many percent of what is in use the heap may grow before garbage is collected. Is told each time some was:
   * how much the heap holds now, and whether all garbage is gone.
   */
  after(used: number, isAllGone: boolean): number;
}

/**
 * V8 would let garbage grow to three times what is in use, which is too much for a large fleet. But half of a small
 * heap is full several times a scrape.
 */
export function createHeapGrowth(): HeapGrowth {
  let inUse = 0;
  return {
    after(used, isAllGone) {
      // More than fits in the room is no garbage: while a first list is read, the heap grows quickly.
      inUse = isAllGone ? used : Math.max(inUse, used - room);
      return Math.min(most, Math.max(least, Math.round((100 * room) / inUse)));
    },
  };
}

export function limitHeapGrowth(): void {
  const growth = createHeapGrowth();
  const limit = (isAllGone: boolean) => {
    const percent = growth.after(getHeapStatistics().used_heap_size, isAllGone);
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  limit(false);
  new PerformanceObserver((list) => limit(list.getEntries().some(isOfAll))).observe({ entryTypes: ['gc'] });
}

function isOfAll(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
