import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Room for garbage. What arrives from a cloud is garbage soon, however few servers are kept of it. */
const room = 24 * 2 ** 20;
const least = 42;
const most = 500;
/** So much of a full heap may be holes between what is in use. */
const mostHoles = 8 * 2 ** 20;
/** In milliseconds: the most that V8 takes, 24 days without a collection of garbage. */
const never = 2 ** 31 - 1;

/** What a collection of garbage left. */
export interface HeapUse {
  readonly used: number;
  /** What the heap holds of the machine's memory. */
  readonly held: number;
  /** Whether all garbage is gone, and not only that of the last moments. */
  readonly isAllGone: boolean;
}

/** How garbage is collected from now on. */
export interface HeapLimits {
  /** By how many percent of what is in use the heap may grow before all garbage is collected. */
  readonly growthPercent: number;
  /** Whether what is in use is moved together then. It has a price: much of the code is compiled again afterwards. */
  readonly isMoved: boolean;
}

/**
 * V8 would let garbage grow to three times what is in use, which is too much for a large fleet. But half of a small
 * heap is full several times a scrape.
 *
 * Nor does it close most holes by itself. What a scrape adds for long lies among its garbage: with light lists of
 * 100,000 servers a heap without this held 20 MB more after fifty scrapes, and went on growing.
 */
export function createHeapGrowth(): { after(use: HeapUse): HeapLimits } {
  let inUse = 0;
  let isMoved = false;
  return {
    after({ used, held, isAllGone }) {
      // More than fits in the room is no garbage: while a first list is read, the heap grows quickly.
      inUse = isAllGone ? used : Math.max(inUse, used - room);
      const growthPercent = Math.min(most, Math.max(least, Math.round((100 * room) / inUse)));
      const growth = (inUse * growthPercent) / 100;
      // Until it is half full again, the heap may still hold what it is about to give back.
      const isHalfFull = inUse > 0 && used > inUse + growth / 2;
      const hasHoles = isHalfFull && held > inUse + growth + mostHoles;
      isMoved = !isAllGone && (isMoved || hasHoles);
      return { growthPercent, isMoved };
    },
  };
}

export function limitHeapGrowth(): void {
  // While nothing happens, V8 would throw away what it knows of objects that are not there at the moment, such as
  // requests: all code that handles them would be compiled again for the next scrape.
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${never}`);
  const growth = createHeapGrowth();
  let limits: HeapLimits | undefined;
  const limit = (isAllGone: boolean) => {
    const { used_heap_size: used, total_heap_size: held } = getHeapStatistics();
    const { growthPercent, isMoved } = growth.after({ used, held, isAllGone });
    // Only where it is another one: each takes a tenth of a millisecond, and this happens dozens of times a scrape.
    if (growthPercent !== limits?.growthPercent)
      setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
    if (isMoved !== limits?.isMoved)
      setFlagsFromString(isMoved ? '--optimize-for-size' : '--no-optimize-for-size');
    limits = { growthPercent, isMoved };
  };
  limit(false);
  new PerformanceObserver((list) => limit(list.getEntries().some(isOfAll))).observe({ entryTypes: ['gc'] });
}

function isOfAll(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** For that of the last moments, which takes a millisecond. Node has no function for it; V8 has one for its own tests. */
export function createYoungCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (what: { type: 'minor' }) => void;
  return () => collect({ type: 'minor' });
}
