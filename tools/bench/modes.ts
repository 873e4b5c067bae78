import { setTimeout as wait } from 'node:timers/promises';
import { fieldsFor } from '../../src/platform/fields.ts';
import { createServerReader } from '../../src/platform/server.ts';
import type { Contestant, Task } from './contestants.ts';
import type { Platform } from './platform.ts';
import { startProgram } from './program.ts';
import type { Promised } from './promises.ts';
import { gapMs, median } from './race.ts';
import { count, megabyte, megabytes, ratio, seconds, table } from './report.ts';
import { scrape } from './scrape.ts';

/** What a scrape costs whom, with one server in a hundred changed since the last one. */
export interface ModeRun {
  readonly mode: Mode;
  readonly servers: number;
  readonly firstCpuMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** What the platform has spent on a scrape, and on the dearest one. */
  readonly platformMs: number;
  readonly meanPlatformMs: number;
  readonly worstPlatformMs: number;
  readonly bytes: number;
  /**
   * CPU of the fastest Go reader here, in turn with ours, on the same bytes; with light lists on whole records, where it
   * stands for version 0.1. Undefined where there is none.
   */
  readonly goMs: number | undefined;
}

const query = 'scope=system&pending_delete=all';
const needs = { labelSources: [], singleServers: false };
const needed = fieldsFor(createServerReader([]), needs).map((field) => `&field=${field}`);
/**
 * Scrapes that are not counted: an exporter runs for months, and its engine compiles for as long as functions reach
 * their thousandth call, which with few pages takes hours.
 */
const warmUps = (servers: number) => Math.max(24, Math.min(150, 1_500_000 / servers));
/** More of them, in the rhythm of those that are counted: with light lists, what a scrape has to do depends on it. */
const inRhythm = 6;
/** From one scrape to the next; it stands for a minute, and all ages are as much shorter. */
const intervalMs = (servers: number) => gapMs + Math.max(1000, servers / 15);

const modesFor = (minute: number) => ({
  // Without hosts: the Go reader has none, and they have a table of their own.
  'whole records': { settings: { query, fields: 'all', per_host: false }, query: `&${query}` },
  'needed fields': { settings: { query, per_host: false }, query: `&${query}${needed.join('')}` },
  'light lists': { settings: { query, details_max_age: `${30 * minute}ms` }, query: `&${query}` },
  'lists of changes': {
    settings: { query, details_max_age: `${30 * minute}ms`, list_max_age: `${5 * minute}ms` },
    query: undefined,
  },
});
type Mode = keyof ReturnType<typeof modesFor>;

export async function tryModes(input: {
  platform: Platform;
  ours: Contestant;
  go: Contestant | undefined;
  task: Omit<Task, 'cloud'>;
  servers: number;
  rounds: number;
}): Promise<ModeRun[]> {
  const { platform, ours, go, servers, rounds } = input;
  const runs: ModeRun[] = [];
  const minute = intervalMs(servers);
  const modes = modesFor(minute);
  for (const mode of Object.keys(modes) as Mode[]) {
    const cloud = await platform.liveCloud(servers);
    // Whoever asks for changes is told those of the last minutes, and all of these would be such.
    const isOfChanges = mode === 'lists of changes';
    const task = {
      ...input.task,
      ...modes[mode],
      cloud,
      warmUps: isOfChanges ? 0 : warmUps(servers),
      inRhythm: isOfChanges ? 0 : inRhythm,
      query: modes[mode].query ?? '',
    };
    const rival = modes[mode].query === undefined ? undefined : go;
    const contest = { ours, rival, rounds, minute };
    const { first, scrapes, rivals, bills, peakBytes } = await scrapeWhileChanging(platform, task, contest);
    const spent = bills.map(({ milliseconds }) => milliseconds);
    runs.push({
      mode,
      servers,
      firstCpuMs: first.cpuMs,
      cpuMs: median(scrapes.map(({ cpuMs }) => cpuMs)),
      peakBytes,
      platformMs: median(spent),
      meanPlatformMs: spent.reduce((sum, one) => sum + one, 0) / spent.length,
      worstPlatformMs: Math.max(...spent),
      bytes: median(bills.map(({ bytes }) => bytes)),
      goMs: rivals.length === 0 ? undefined : median(rivals.map(({ cpuMs }) => cpuMs)),
    });
  }
  return runs;
}

/** Both in turn, scrape by scrape: how fast a machine is may change within minutes. */
async function scrapeWhileChanging(
  platform: Platform,
  task: Task & { readonly warmUps: number; readonly inRhythm: number },
  contest: { ours: Contestant; rival: Contestant | undefined; rounds: number; minute: number },
) {
  const program = await startProgram(contest.ours.start(task));
  const other = contest.rival && (await startProgram(contest.rival.start(task)));
  let startedAt = performance.now();
  const first = await scrape(program);
  const early = [];
  for (let count = 0; count < task.warmUps; count += 1) {
    await platform.change(task.cloud, 100);
    startedAt = performance.now();
    early.push(await scrape(program));
    if (other) await scrape(other);
    await platform.takeBill(task.cloud);
  }
  const scrapes = [];
  const rivals = [];
  const bills = [];
  for (let round = -task.inRhythm; round < contest.rounds; round += 1) {
    await platform.change(task.cloud, 100);
    await wait(Math.max(gapMs, startedAt + contest.minute - performance.now()));
    await platform.takeBill(task.cloud);
    startedAt = performance.now();
    const one = await scrape(program);
    const bill = await platform.takeBill(task.cloud);
    const rival = other && (await scrape(other));
    if (round < 0) early.push(one);
    else {
      scrapes.push(one);
      bills.push(bill);
      if (rival) rivals.push(rival);
    }
  }
  await program.stop();
  await other?.stop();
  const peakBytes = Math.max(...[first, ...early, ...scrapes].map((one) => one.peakBytes));
  return { first, scrapes, rivals, bills, peakBytes };
}

export function modesTable(runs: readonly ModeRun[]): string {
  const columns =
    'servers,list,CPU s at first,CPU s,× Go with json-iterator,peak RSS MB,platform s,on average,worst platform s,MB received';
  const rows = runs.map((run) => [
    count(run.servers),
    run.mode,
    seconds(run.firstCpuMs),
    seconds(run.cpuMs),
    ratio(run.cpuMs, run.mode === 'light lists' ? undefined : run.goMs),
    megabytes(run.peakBytes),
    (run.platformMs / 1000).toFixed(1),
    (run.meanPlatformMs / 1000).toFixed(1),
    (run.worstPlatformMs / 1000).toFixed(1),
    (run.bytes / 1e6).toFixed(1),
  ]);
  const hosts =
    'In the long run: the first scrape is told apart, and the dozens after it, while the engine compiles, are not counted, but for lists of changes; the Go reader scrapes in turn with it, and as often. Whole records and needed fields without hosts (`per_host: false`), which the Go reader does not have either; the others with them.';
  return `## Scrape after scrape, one server in a hundred changed\n\n${hosts}\n\n${table(columns.split(','), rows)}`;
}

/** What each kind of list asks of the platform and of the exporter, for those who choose one. */
export function modeSizingTable(runs: readonly ModeRun[]): string {
  const columns = [
    'servers',
    'list',
    'platform busy s, median scrape',
    'on average',
    'at worst',
    'MB received',
    'exporter CPU s',
    'peak RSS MB',
  ];
  const rows = runs.map((run) => [
    count(run.servers),
    run.mode,
    (run.platformMs / 1000).toFixed(1),
    (run.meanPlatformMs / 1000).toFixed(1),
    (run.worstPlatformMs / 1000).toFixed(1),
    (run.bytes / 1e6).toFixed(1),
    seconds(run.cpuMs),
    megabytes(run.peakBytes),
  ]);
  return table(columns, rows);
}

/** Version 0.1 took so many times the CPU of this Go reader for whole records of 100,000 servers: both in turn, x64. */
const versionOne = 1.1;

/** The same for every size of fleet. */
export function modePromises(runs: readonly ModeRun[]): Promised[] {
  const sizes = [...new Set(runs.map(({ servers }) => servers))];
  return sizes.flatMap((size) => {
    const promises = promisesOf(runs.filter(({ servers }) => servers === size));
    return promises.map((promise) => ({ ...promise, words: `${count(size)} servers: ${promise.words}` }));
  });
}

function ratioOf(one: number, other: number | undefined): number | undefined {
  return other && one / other;
}

function promisesOf(runs: readonly ModeRun[]): Promised[] {
  const of = (mode: Mode) => runs.find((run) => run.mode === mode)!;
  const [whole, slim, light] = [of('whole records'), of('needed fields'), of('light lists')];
  const changes = of('lists of changes');
  const before = ({ goMs }: ModeRun) => goMs && versionOne * goMs;
  const overGo = ({ mode, cpuMs, goMs }: ModeRun): Promised => ({
    words: `CPU in the long run, ${mode}, × Go with json-iterator`,
    value: ratioOf(cpuMs, goMs),
    atMost: 0.45,
  });
  return [
    overGo(whole),
    overGo(slim),
    {
      words: 'CPU with needed fields, × version 0.1',
      value: ratioOf(slim.cpuMs, before(whole)),
      atMost: 0.2,
    },
    { words: 'peak RSS with needed fields, MB', value: slim.peakBytes / megabyte, atMost: 220 },
    {
      words: 'platform time of light lists, × detailed',
      value: light.platformMs / whole.platformMs,
      atMost: 0.3,
    },
    {
      words: 'worst light list of all, × the median',
      value: light.worstPlatformMs / light.platformMs,
      atMost: 1.5,
    },
    { words: 'bytes of light lists, × detailed', value: light.bytes / whole.bytes, atMost: 0.25 },
    { words: 'CPU of light lists, × version 0.1', value: ratioOf(light.cpuMs, before(light)), atMost: 0.2 },
    {
      words: 'platform time of ten lists of changes and whole ones between them, × detailed',
      value: changes.meanPlatformMs / whole.meanPlatformMs,
      atMost: 0.15,
    },
    {
      words: 'platform time of a list of changes, × detailed',
      value: changes.platformMs / whole.platformMs,
      atMost: 0.08,
    },
    { words: 'peak RSS with light lists, MB', value: light.peakBytes / megabyte, atMost: 260 },
  ];
}
