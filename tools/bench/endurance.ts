import type { Contestant, Task } from './contestants.ts';
import { startProgram } from './program.ts';
import { median } from './race.ts';
import { scrape } from './scrape.ts';

export interface Endurance {
  readonly servers: number;
  readonly collections: number;
  /** Highest memory of one collection, around the fifth one and at the end. */
  readonly earlyBytes: number;
  readonly lateBytes: number;
}

/** Collects again and again without a pause; what is not given back shows in the memory of the last ones. */
export async function endure(
  ours: Contestant,
  task: Task,
  { servers, collections }: { servers: number; collections: number },
): Promise<Endurance> {
  const program = await startProgram(ours.start(task));
  const peaks: number[] = [];
  for (let count = 0; count < collections; count += 1) peaks.push((await scrape(program)).peakBytes);
  await program.stop();
  return { servers, collections, earlyBytes: median(peaks.slice(2, 7)), lateBytes: median(peaks.slice(-5)) };
}
