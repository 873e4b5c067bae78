import type { Bill } from './billed-cloud.ts';
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

/** What one side takes for one mode and size; medians but where it says otherwise. */
export interface Result {
  readonly mode: Mode;
  readonly side: string;
  /** Undefined where this side has no such mode; then there are no figures. */
  readonly settings: object | undefined;
  readonly figures?: Figures;
}

export interface Figures {
  readonly firstCpuMs: number;
  readonly firstWallMs: number;
  readonly firstPlatformMs: number;
  /** At worst, while the first scrape was made. */
  readonly healthMs: number;
  readonly idleCpuMs: number;
  readonly cpuMs: number;
  /** A list of changes is followed by a full one now and then, which no median shows. */
  readonly meanCpuMs: number;
  readonly wallMs: number;
  readonly bytes: number;
  /** The mean of all scrapes with changes. */
  readonly platformMs: number;
  readonly peakBytes: number;
}

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
      const runners: Runner[] = [];
      for (const side of sides) {
        const settings = await side.settingsFor(cloud, { ...modes[mode], ...more });
        if (settings) runners.push({ side, settings, firsts: [], idle: [], steady: [], peakBytes: 0 });
        else results.push({ mode, side: side.name, settings });
      }
      await measure(runners, cloud, pace);
      for (const runner of runners)
        results.push({
          mode,
          side: runner.side.name,
          settings: runner.settings,
          figures: figuresOf(runner),
        });
    }
  } finally {
    cloud.stop();
  }
  return results;
}

interface Runner {
  readonly side: Side;
  readonly settings: object;
  readonly firsts: (Billed & { readonly healthMs: number })[];
  readonly idle: Billed[];
  readonly steady: Billed[];
  peakBytes: number;
}

type Billed = Scrape & { readonly bill: Bill };

async function measure(runners: readonly Runner[], cloud: Cloud, { starts, warmUps, rounds }: Pace) {
  /** Whoever comes second has a machine that is warm. */
  const inTurn = (round: number) => (round % 2 === 0 ? runners : runners.toReversed());
  const programs = new Map<Runner, Program>();
  for (let start = 0; start < starts; start += 1)
    for (const runner of inTurn(start)) {
      await programs.get(runner)?.stop();
      const program = await runner.side.start(cloud, runner.settings);
      programs.set(runner, program);
      await cloud.takeBill();
      const scraped = await program.scrapeWatched();
      runner.firsts.push({ ...scraped, bill: await cloud.takeBill() });
    }

  async function round(number: number, changed: boolean, take: (runner: Runner, scrape: Billed) => void) {
    await cloud.passMinute(changed ? oneIn : 0);
    for (const program of programs.values()) program.passMinute();
    for (const runner of inTurn(number)) {
      const scraped = await programs.get(runner)!.scrape();
      take(runner, { ...scraped, bill: await cloud.takeBill() });
    }
  }
  for (let count = 0; count < warmUps; count += 1) await round(count, true, () => undefined);
  for (let count = 0; count < rounds; count += 1)
    await round(count, true, ({ steady }, scrape) => steady.push(scrape));
  for (let count = 0; count < rounds; count += 1)
    await round(count, false, ({ idle }, scrape) => idle.push(scrape));
  for (const [runner, program] of programs) {
    runner.peakBytes = program.peakBytes();
    await program.stop();
  }
}

function figuresOf({ firsts, idle, steady, peakBytes }: Runner): Figures {
  return {
    firstCpuMs: median(firsts.map(({ cpuMs }) => cpuMs)),
    firstWallMs: median(firsts.map(({ wallMs }) => wallMs)),
    firstPlatformMs: median(firsts.map(({ bill }) => bill.milliseconds)),
    healthMs: Math.max(...firsts.map(({ healthMs }) => healthMs)),
    idleCpuMs: median(idle.map(({ cpuMs }) => cpuMs)),
    cpuMs: median(steady.map(({ cpuMs }) => cpuMs)),
    meanCpuMs: mean(steady.map(({ cpuMs }) => cpuMs)),
    wallMs: median(steady.map(({ wallMs }) => wallMs)),
    bytes: median(steady.map(({ bytes }) => bytes)),
    platformMs: mean(steady.map(({ bill }) => bill.milliseconds)),
    peakBytes,
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
