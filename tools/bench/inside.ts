import { GCProfiler, getHeapStatistics } from 'node:v8';

/**
 * Loaded into an exporter before its own program. Each message makes so many milliseconds pass at once, by both clocks,
 * so that nobody has to wait for what is due; it is answered with what the process spent since the one before.
 */
export interface Spent {
  /** Of all threads. */
  readonly cpuMs: number;
  /** In V8's heap: what is there more than before, and what was collected meanwhile. */
  readonly allocatedBytes: number;
}

const [wall, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
let skippedMs = 0;
Date.now = () => wall() + skippedMs;
performance.now = () => monotonic() + skippedMs;

const usedBytes = () => getHeapStatistics().used_heap_size;
const profiler = new GCProfiler();
profiler.start();
let [cpuBefore, usedBefore] = [process.cpuUsage(), usedBytes()];

function takeSpent(): Spent {
  const { user, system } = process.cpuUsage(cpuBefore);
  const grown = usedBytes() - usedBefore;
  const collected = profiler
    .stop()
    .statistics.map(
      ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
    );
  profiler.start();
  [cpuBefore, usedBefore] = [process.cpuUsage(), usedBytes()];
  return {
    cpuMs: (user + system) / 1000,
    allocatedBytes: collected.reduce((sum, bytes) => sum + bytes, grown),
  };
}

process.on('message', (milliseconds: number) => {
  skippedMs += milliseconds;
  process.send!(takeSpent());
});
process.on('disconnect', () => process.exit());
