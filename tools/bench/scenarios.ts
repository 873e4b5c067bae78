import { startCloud, type Cloud } from './cloud.ts';
import type { Program, Scrape } from './program.ts';
import type { Side } from './side.ts';

/** What both sides are asked for. */
export const modes = {
  'detailed, needed fields': { details_max_age: 0 },
  'detailed, fields: all': { details_max_age: 0, fields: 'all' },
  'light, the default': { details_max_age: '30m' },
  changes: { details_max_age: '30m', list_max_age: '5m' },
} as const;
export type Mode = keyof typeof modes;

/** What one side takes for one mode and size. */
export interface Result {
  readonly mode: Mode;
  readonly side: Side;
  /** Undefined where this side has no such mode; then there are no scrapes. */
  readonly settings: object | undefined;
  readonly firsts: Billed[];
  /** After nothing has changed, and after one server in so many has. */
  readonly idle: Billed[];
  readonly steady: Billed[];
  peakBytes: number;
}

type Billed = Scrape & { readonly platformMs: number };

export interface Pace {
  /** First scrapes of processes of their own. */
  readonly starts: number;
  /** Scrapes that are not counted: the engine compiles, and details are due in the rhythm of half an hour. */
  readonly warmUps: number;
  readonly rounds: number;
}

/** One server in so many changes from scrape to scrape. */
const oneIn = 100;

/** Every mode with one size of cloud, the sides in turn, scrape by scrape: a machine's speed changes within minutes. */
export async function race(
  sides: readonly Side[],
  servers: number,
  chosen: readonly Mode[],
  pace: Pace,
  more: object,
): Promise<Result[]> {
  const cloud = await startCloud(servers);
  const results: Result[] = [];
  try {
    for (const mode of chosen) {
      const ofMode: Result[] = [];
      for (const side of sides) {
        const settings = await side.settingsFor(cloud, { ...modes[mode], ...more });
        ofMode.push({ mode, side, settings, firsts: [], idle: [], steady: [], peakBytes: NaN });
      }
      await measure(
        ofMode.filter(({ settings }) => settings),
        cloud,
        pace,
      );
      results.push(...ofMode);
    }
  } finally {
    cloud.stop();
  }
  return results;
}

async function measure(runners: readonly Result[], cloud: Cloud, { starts, warmUps, rounds }: Pace) {
  /** Whoever comes second has a machine that is warm. */
  const inTurn = (round: number) => (round % 2 === 0 ? runners : runners.toReversed());
  const programs = new Map<Result, Program>();
  const scrape = async (runner: Result, isWatched = false): Promise<Billed> => {
    await cloud.takeBill();
    const scraped = await programs.get(runner)!.scrape(isWatched);
    return { ...scraped, platformMs: await cloud.takeBill() };
  };
  for (let start = 0; start < starts; start += 1)
    for (const runner of inTurn(start)) {
      await programs.get(runner)?.stop();
      programs.set(runner, await runner.side.start(cloud, runner.settings!));
      runner.firsts.push(await scrape(runner, true));
    }

  async function round(number: number, changed: number, into?: 'steady' | 'idle') {
    await cloud.passMinute(changed);
    for (const program of programs.values()) program.passMinute();
    for (const runner of inTurn(number)) {
      const scraped = await scrape(runner);
      if (into) runner[into].push(scraped);
    }
  }
  for (let count = 0; count < warmUps; count += 1) await round(count, oneIn);
  for (let count = 0; count < rounds; count += 1) await round(count, oneIn, 'steady');
  for (let count = 0; count < rounds; count += 1) await round(count, 0, 'idle');
  for (const [runner, program] of programs) {
    runner.peakBytes = program.peakBytes();
    await program.stop();
  }
}
