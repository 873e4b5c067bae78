import { setTimeout as wait } from 'node:timers/promises';
import { startCloud } from './cloud.ts';
import type { Program, Scrape } from './program.ts';
import type { Side } from './side.ts';

/** How the servers are listed. */
export const modes = {
  default: { details_max_age: '30m' },
  detailed: { details_max_age: 0 },
  'all fields': { details_max_age: 0, fields: 'all' },
} as const;
export type Mode = keyof typeof modes;

export interface Plan {
  /** Scrapes one after another: the engine compiles, memory grows to its peak, an hour of the platform passes. */
  readonly warmUps: number;
  /** Scrapes after a rest, of each kind. */
  readonly scrapes: number;
  readonly restMs: number;
}

export type Billed = Scrape & { readonly platformMs: number };

/** What one side took in one mode. */
export interface Result {
  readonly mode: Mode;
  readonly side: Side;
  readonly program: Program;
  readonly backToBack: Billed[];
  /** After a rest in which one server in so many changed, or none. */
  readonly changed: Billed[];
  readonly unchanged: Billed[];
  peakBytes: number;
}

const minuteMs = 60_000;
/** One server in so many changes from scrape to scrape. */
const oneIn = 100;
/** `/-/healthy` is watched at the first of so many warm-ups. */
const watchedOneIn = 10;

/**
 * Every side in every mode beside one cloud, in turn, scrape by scrape: a machine's speed changes within minutes. From
 * scrape to scrape a minute passes for all, and a rest is the same for all.
 */
export async function measure(
  sides: readonly Side[],
  chosen: readonly Mode[],
  servers: number,
  plan: Plan,
): Promise<Result[]> {
  const cloud = await startCloud(servers);
  const results: Result[] = [];

  async function round(number: number, kind: 'backToBack' | 'changed' | 'unchanged') {
    const restMs = kind === 'backToBack' ? 0 : plan.restMs;
    await cloud.pass(minuteMs - restMs, kind === 'unchanged' ? 0 : oneIn);
    await wait(restMs);
    // Whoever comes second has a machine that is warm.
    for (const result of number % 2 === 0 ? results : results.toReversed()) {
      await cloud.takeBill();
      const isWatched = kind === 'backToBack' && number % watchedOneIn === 0;
      const scrape = await result.program.scrape(minuteMs - restMs, isWatched);
      result[kind].push({ ...scrape, platformMs: await cloud.takeBill() });
    }
  }

  try {
    for (const mode of chosen)
      for (const side of sides) {
        const program = await side.start(cloud, modes[mode]);
        results.push({ mode, side, program, backToBack: [], changed: [], unchanged: [], peakBytes: NaN });
      }
    for (let count = 0; count < plan.warmUps; count += 1) await round(count, 'backToBack');
    for (let count = 0; count < plan.scrapes; count += 1) await round(count, 'changed');
    for (let count = 0; count < plan.scrapes; count += 1) await round(count, 'unchanged');
    for (const result of results) result.peakBytes = result.program.peakBytes();
  } finally {
    for (const { program } of results) await program.stop();
    cloud.stop();
  }
  return results;
}
