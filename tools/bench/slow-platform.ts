import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant } from './contestants.ts';
import type { Platform } from './platform.ts';
import { startProgram } from './program.ts';
import { gapMs } from './race.ts';
import { scrape } from './scrape.ts';

export interface SlowRun {
  readonly concurrency: number;
  readonly pageSize: number;
  /** The first scrape of a process, which has to read the first page alone. */
  readonly firstMs: number;
  /** A later one, which knows how the last list was laid out. */
  readonly wallMs: number;
  /** What the platform's work alone takes, evenly shared. */
  readonly leastMs: number;
  readonly pagesAskedTwice: number;
}

const millisecondsPerServer = 3;

/** On the real platform a list costs the platform about 3 ms a server: what parallel pages save. */
export async function timeSlowPlatform(
  platform: Platform,
  ours: Contestant,
  { servers, pageSizes }: { servers: number; pageSizes: readonly number[] },
): Promise<SlowRun[]> {
  const cloud = await platform.cloud({ servers, slow: true });
  const runs: SlowRun[] = [];
  for (const pageSize of pageSizes) {
    for (const concurrency of [1, 2, 4, 8]) {
      const program = await startProgram(ours.start({ cloud, perServer: false, pageSize, concurrency }));
      const { wallMs: firstMs } = await scrape(program);
      await wait(gapMs);
      await platform.takePages(cloud);
      const { wallMs } = await scrape(program);
      const offsets = await platform.takePages(cloud);
      await program.stop();
      const leastMs = (servers * millisecondsPerServer) / concurrency;
      const pagesAskedTwice = offsets.length - new Set(offsets).size;
      runs.push({ concurrency, pageSize, firstMs, wallMs, leastMs, pagesAskedTwice });
    }
  }
  return runs;
}
