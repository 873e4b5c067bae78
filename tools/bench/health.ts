import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant, Task } from './contestants.ts';
import type { Watched } from './health-prober.ts';
import { compiled, startProgram, type Program } from './program.ts';
import { gapMs, median } from './race.ts';
import { scrape } from './scrape.ts';

export interface Health {
  readonly answers: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** How long /-/healthy takes to answer while a scrape collects and renders: the worst of all rounds, else medians. */
export async function watchHealth(ours: Contestant, task: Task, rounds: number): Promise<Health> {
  const program = await startProgram(ours.start(task));
  await scrape(program);
  const watched: Health[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await wait(gapMs);
    watched.push(summarise(await watchOneScrape(program)));
  }
  await program.stop();
  return {
    answers: median(watched.map(({ answers }) => answers)),
    p99Ms: median(watched.map(({ p99Ms }) => p99Ms)),
    worstMs: Math.max(...watched.map(({ worstMs }) => worstMs)),
  };
}

async function watchOneScrape(program: Program): Promise<readonly number[]> {
  const prober = fork(compiled('health-prober.js'), [program.url]);
  await once(prober, 'message');
  prober.send('begin');
  await scrape(program);
  prober.send('end');
  const [{ latenciesMs, failures }] = (await once(prober, 'message')) as [Watched];
  if (failures > 0) throw new Error(`/-/healthy failed ${failures} times`);
  return latenciesMs;
}

function summarise(latenciesMs: readonly number[]): Health {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    answers: sorted.length,
    p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    worstMs: sorted.at(-1) ?? 0,
  };
}
