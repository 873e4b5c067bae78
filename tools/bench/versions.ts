import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import { fieldsFor } from '../../src/platform/fields.ts';
import { createServerReader } from '../../src/platform/server.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { imageEnvironment, type Contestant, type Task } from './contestants.ts';
import type { Platform } from './platform.ts';
import { compiled, startProgram, type Start } from './program.ts';
import type { Promised } from './promises.ts';
import { gapMs, median } from './race.ts';
import { count, megabytes, ratio, seconds, table } from './report.ts';
import { scrape } from './scrape.ts';

/** What a version of this exporter takes for a fleet of which one server in a hundred changes from scrape to scrape. */
interface VersionRun {
  /** Of each start, in their order. */
  readonly firstCpuMs: readonly number[];
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/**
 * What arrives from the platform as it is, and at last as its document has it, where `field` is not heeded. All but the
 * first are of the same bytes, and without hosts, as far as a version can leave them out: not every one has them.
 */
export const recordKinds = [
  'what each asks for',
  'needed fields',
  'whole records',
  'whole records as documented',
] as const;
type RecordKind = (typeof recordKinds)[number];

const usual = 'scope=system&pending_delete=all';
const needed = fieldsFor(createServerReader([]), { labelSources: [], singleServers: false });
const usualAndNeeded = [usual, ...needed.map((field) => `field=${field}`)].join('&');

/** The settings, and those that give the same in a version that does not know one of them; what the Go reader asks for. */
const settings: Record<RecordKind, { now: object; before: object; go: string | undefined }> = {
  'what each asks for': { now: { query: usual }, before: { query: usual }, go: undefined },
  'needed fields': {
    now: { query: usual, per_host: false },
    before: { query: usualAndNeeded },
    go: usualAndNeeded,
  },
  'whole records': {
    now: { query: usual, per_host: false, fields: 'all' },
    before: { query: usual },
    go: usual,
  },
  'whole records as documented': {
    now: { query: usual, per_host: false },
    before: { query: usual },
    go: usual,
  },
};

export interface VersionRuns {
  readonly servers: number;
  readonly records: RecordKind;
  readonly ours: VersionRun;
  readonly other: VersionRun;
  /** CPU of the fastest Go reader here for the same bytes; undefined where there is none, or each asks for others. */
  readonly goMs: number | undefined;
}

/** So many scrapes are not counted, but for their memory. */
const warmUps = 13;
/** Each start has only one first scrape. Of a small fleet it is short, and the machine's moods are the longer. */
const startsOf = (servers: number) => (servers > 30_000 ? 11 : 25);

/** This version and that of another folder, in turn: each as its own image runs it, and else with its own defaults. */
export async function compareVersions(input: {
  platform: Platform;
  /** The other version, after `npm run build`. */
  against: string;
  go: Contestant | undefined;
  task: Omit<Task, 'cloud'>;
  folder: string;
  servers: number;
  records: RecordKind;
  rounds: number;
}): Promise<VersionRuns> {
  const { platform, against, task, folder, servers, records, rounds } = input;
  const cloud =
    records === 'whole records as documented'
      ? await platform.cloud({ servers })
      : await platform.liveCloud(servers);
  const startOfOurs = startOf('.', compiled('../../src/main.js'), join(folder, 'ours.yml'));
  const startOfOther = startOf(against, join(against, 'dist', 'main.js'), join(folder, 'other.yml'));
  await configure(startOfOurs, cloud, records);
  await configure(startOfOther, cloud, records);
  const { go: query } = settings[records];
  const go = query && input.go?.start({ ...task, cloud, query: `&${query}` });
  const goProgram = go ? await startProgram(go) : undefined;
  const firsts = { ours: [] as number[], other: [] as number[], go: [] as number[] };
  for (let start = 0; start < startsOf(servers); start += 1) {
    const pair = [
      async () => firsts.ours.push(await firstScrape(startOfOurs)),
      async () => firsts.other.push(await firstScrape(startOfOther)),
    ];
    // Whoever comes second has a machine that is warm.
    for (const one of start % 2 === 0 ? pair : pair.toReversed()) await one();
    if (goProgram) firsts.go.push((await scrape(goProgram)).cpuMs);
  }
  await goProgram?.stop();
  const ours = await begin(startOfOurs, firsts.ours);
  const other = await begin(startOfOther, firsts.other);
  for (let round = -warmUps; round < rounds; round += 1) {
    await platform.change(cloud, 100);
    for (const one of [ours, other]) {
      if (round >= 0) await wait(gapMs);
      const { cpuMs, peakBytes } = await scrape(one.program);
      one.peakBytes = Math.max(one.peakBytes, peakBytes);
      if (round >= 0) one.cpuMs.push(cpuMs);
    }
  }
  const goMs = goProgram && median(firsts.go);
  return { servers, records, ours: await end(ours), other: await end(other), goMs };
}

interface VersionStart extends Start {
  readonly file: string;
}

async function configure(
  start: VersionStart,
  cloud: { authUrl: string },
  records: RecordKind,
): Promise<void> {
  const { now, before } = settings[records];
  const write = (more: object) =>
    writeFileSync(start.file, stringify({ clouds: { default: settingsFor(cloud, more) } }));
  write(now);
  try {
    await (await startProgram(start)).stop();
  } catch {
    write(before);
  }
}

function startOf(root: string, main: string, file: string): VersionStart {
  return {
    file,
    command: process.execPath,
    arguments: [main, '--web.listen-address=127.0.0.1:0', `--config.file=${file}`],
    environment: imageEnvironment(root),
  };
}

async function firstScrape(start: Start): Promise<number> {
  const program = await startProgram(start);
  const { cpuMs } = await scrape(program);
  await program.stop();
  return cpuMs;
}

type Runner = Awaited<ReturnType<typeof begin>>;

async function begin(start: Start, firstCpuMs: readonly number[]) {
  const program = await startProgram(start);
  return { program, firstCpuMs, peakBytes: 0, cpuMs: [] as number[] };
}

async function end({ program, firstCpuMs, cpuMs, peakBytes }: Runner): Promise<VersionRun> {
  await program.stop();
  return { firstCpuMs, cpuMs: median(cpuMs), peakBytes };
}

/** Of two starts next to each other, from the least: the machine may be slow for some of them, but seldom for one alone. */
function firstRatios({ ours, other }: VersionRuns): number[] {
  return ours.firstCpuMs.map((cpuMs, start) => cpuMs / other.firstCpuMs[start]!).toSorted((a, b) => a - b);
}

/** With that of the pairs in the middle, half of them all: how far it can be trusted. */
function firstRatioText(runs: VersionRuns): string {
  const ratios = firstRatios(runs);
  const quarter = Math.floor(ratios.length / 4);
  const [low, high] = [ratios[quarter]!, ratios[ratios.length - 1 - quarter]!];
  return `${median(ratios).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

export function versionsTable(runs: VersionRuns): string {
  const { servers, records, ours, other, goMs } = runs;
  const row = (words: string, run: VersionRun, firstRatio: string) => [
    words,
    seconds(median(run.firstCpuMs)),
    firstRatio,
    ratio(median(run.firstCpuMs), goMs),
    seconds(run.cpuMs),
    ratio(run.cpuMs, other.cpuMs),
    megabytes(run.peakBytes),
    ratio(run.peakBytes, other.peakBytes),
  ];
  const columns = 'version,CPU s at first,×,× json-iterator,CPU s,×,peak RSS MB,×'.split(',');
  const rows = [row('this one', ours, firstRatioText(runs)), row('the other', other, '1')];
  return `## ${count(servers)} servers, ${records}, by two versions\n\n${table(columns, rows)}`;
}

/** Nothing becomes worse from one version to the next, but for what two runs differ by chance. Beside the Go reader too: both are divided by the same. */
export function versionPromises(runs: VersionRuns): Promised[] {
  const { servers, records, ours, other } = runs;
  const over = (words: string, value: number): Promised => ({
    words: `${count(servers)} servers, ${records}: ${words}, × the other version`,
    value,
    atMost: 1.05,
  });
  return [
    over('CPU of a first scrape', median(firstRatios(runs))),
    over('CPU of a scrape', ours.cpuMs / other.cpuMs),
    over('peak RSS', ours.peakBytes / other.peakBytes),
  ];
}
