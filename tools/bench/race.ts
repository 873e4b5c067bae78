import { setTimeout as wait } from 'node:timers/promises';
import { names, type Contestant, type ContestantId, type Task } from './contestants.ts';
import type { Platform } from './platform.ts';
import { startProgram, type Program } from './program.ts';
import { inspect, scrape, type Scrape } from './scrape.ts';

export interface Result extends Scrape {
  readonly id: ContestantId;
  readonly series: number;
}

export interface Heat {
  readonly servers: number;
  readonly perServer: boolean;
  readonly results: readonly Result[];
  /** Pages that a scrape asked for more than once. */
  readonly pagesAskedTwice: number;
}

/** A process that idled pays for waking up, as it does between two scrapes of Prometheus. */
export const gapMs = 3000;

/** All contestants in turn, round after round, so that a busy moment of the machine meets all of them. */
export async function race(input: {
  platform: Platform;
  contestants: readonly Contestant[];
  servers: number;
  task: Task;
  rounds: number;
}): Promise<Heat> {
  const { platform, task, servers } = input;
  const runners = [];
  for (const contestant of input.contestants) runners.push(await warmUp(contestant, task, servers));
  let pagesAskedTwice = 0;
  for (let round = 0; round < input.rounds; round += 1) {
    for (const runner of runners) {
      await wait(Math.max(0, runner.idleSince + gapMs - performance.now()));
      await platform.takePages(task.cloud);
      runner.scrapes.push(await scrape(runner.program));
      runner.idleSince = performance.now();
      const offsets = await platform.takePages(task.cloud);
      pagesAskedTwice += offsets.length - new Set(offsets).size;
    }
  }
  for (const { program } of runners) await program.stop();
  const results = runners.map(({ id, series, scrapes }) => ({ id, series, ...medians(scrapes) }));
  return { servers, perServer: task.perServer, results, pagesAskedTwice };
}

interface Runner {
  readonly id: ContestantId;
  readonly program: Program;
  readonly series: number;
  readonly scrapes: Scrape[];
  idleSince: number;
}

/** The first scrape counts for nothing but its text, which must know every server. */
async function warmUp(contestant: Contestant, task: Task, servers: number): Promise<Runner> {
  const { id } = contestant;
  const program = await startProgram(contestant.start(task));
  const found = await inspect(program);
  if (found.servers !== servers)
    throw new Error(`${names[id]} counted ${found.servers} of ${servers} servers`);
  return { id, program, series: found.series, scrapes: [], idleSince: performance.now() };
}

function medians(scrapes: readonly Scrape[]): Scrape {
  return {
    cpuMs: median(scrapes.map(({ cpuMs }) => cpuMs)),
    wallMs: median(scrapes.map(({ wallMs }) => wallMs)),
    peakBytes: median(scrapes.map(({ peakBytes }) => peakBytes)),
    bytes: median(scrapes.map(({ bytes }) => bytes)),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
