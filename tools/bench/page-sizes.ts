import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant, Task } from './contestants.ts';
import { watchHealth, type Health } from './health.ts';
import { startProgram } from './program.ts';
import { gapMs, median } from './race.ts';
import { scrape } from './scrape.ts';

export interface PageSizeRun {
  readonly pageSize: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakBytes: number;
  readonly health: Health;
}

/** What the size of a page costs the exporter. */
export async function tryPageSizes(ours: Contestant, task: Task, rounds: number): Promise<PageSizeRun[]> {
  const runs: PageSizeRun[] = [];
  for (const pageSize of [100, 200, 500, 1000, 2048]) {
    const program = await startProgram(ours.start({ ...task, pageSize }));
    await scrape(program);
    const scrapes = [];
    for (let round = 0; round < rounds; round += 1) {
      await wait(gapMs);
      scrapes.push(await scrape(program));
    }
    await program.stop();
    runs.push({
      pageSize,
      cpuMs: median(scrapes.map(({ cpuMs }) => cpuMs)),
      wallMs: median(scrapes.map(({ wallMs }) => wallMs)),
      peakBytes: median(scrapes.map(({ peakBytes }) => peakBytes)),
      health: await watchHealth(ours, { ...task, pageSize }, 1),
    });
  }
  return runs;
}
