import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Room for garbage. What arrives from a cloud is garbage soon, however few servers are kept of it. */
const room = 40 * 2 ** 20;
const least = 50;
const most = 200;

/**
 * By how many percent the heap may grow before garbage is collected; `used` is what it has just before that. V8 would
 * let garbage grow to three times what is in use: too much for a large fleet, whose buffers of large pages count too.
 * But the same part of a small heap is full several times a scrape.
 */
export function growthOf(used: number): number {
  const inUse = Math.max(1, used - room);
  return Math.min(most, Math.max(least, Math.round((100 * room) / inUse)));
}

/** Looks at the heap whenever some garbage was collected: while a first list is read, it grows quickly. */
export function limitHeapGrowth(): void {
  const setGrowth = () =>
    setFlagsFromString(`--heap-growing-percent=${growthOf(getHeapStatistics().used_heap_size)}`);
  setGrowth();
  new PerformanceObserver(setGrowth).observe({ entryTypes: ['gc'] });
}
