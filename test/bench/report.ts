import { cpus } from 'node:os';
import { names, type ContestantId } from './contestants.ts';
import type { Health } from './health.ts';
import type { Heat, Result } from './race.ts';
import type { SlowRun } from './slow-platform.ts';

export interface Findings {
  readonly heats: readonly Heat[];
  readonly health: Health;
  readonly slow: readonly SlowRun[];
}

const mebibyte = 2 ** 20;
const seconds = (ms: number) => (ms / 1000).toFixed(2);
const megabytes = (bytes: number) => String(Math.round(bytes / mebibyte));
const ratio = (value: number, of: number | undefined) => (of === undefined ? '–' : (value / of).toFixed(2));

export function machineLine(rounds: number): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model || process.arch}), Node.js ${process.version}, ${process.arch}, ${day}, ${rounds} rounds.`;
}

function of(heat: Heat, id: ContestantId): Result | undefined {
  return heat.results.find((result) => result.id === id);
}

export function heatTable(heat: Heat): string {
  const head = `## ${heat.servers.toLocaleString('en')} servers${heat.perServer ? ', single servers too' : ', sums only'}`;
  const rows = heat.results.map((result) =>
    [
      names[result.id],
      seconds(result.cpuMs),
      ratio(result.cpuMs, of(heat, 'floor')?.cpuMs),
      ratio(result.cpuMs, of(heat, 'go')?.cpuMs),
      seconds(result.wallMs),
      megabytes(result.peakBytes),
      result.series.toLocaleString('en'),
      (result.bytes / 1e6).toFixed(1),
    ].join(' | '),
  );
  const columns = [
    'contestant',
    'CPU s',
    '× floor',
    '× Go',
    'wall s',
    'peak RSS MiB',
    'series',
    'MB of text',
  ];
  const lines = [columns.join(' | '), columns.map(() => '---').join(' | '), ...rows].map(
    (row) => `| ${row} |`,
  );
  return `${head}\n\n${lines.join('\n')}`;
}

export function healthLine({ heats, health }: Findings): string {
  const largest = Math.max(...heats.map(({ servers }) => servers));
  return `## Health\n\nWhile ${largest.toLocaleString('en')} servers are collected and rendered, \`/-/healthy\` answers within ${health.p99Ms.toFixed(1)} ms in 99 of 100 cases, ${health.worstMs.toFixed(1)} ms at worst (${health.answers} answers).`;
}

export function slowTable(runs: readonly SlowRun[]): string {
  const rows = runs.map(
    ({ concurrency, wallMs, leastMs }) =>
      `| ${concurrency} | ${seconds(wallMs)} | ${seconds(leastMs)} | ${ratio(wallMs, leastMs)} |`,
  );
  return [
    '## A platform that takes 3 ms a server',
    '',
    '| pages at once | seconds | of which the platform needs | × that |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The promises in figures: each holds or does not, and says by how much. */
export function verdicts({ heats, health, slow }: Findings): string {
  const heat = (servers: number, perServer: boolean) =>
    heats.find((one) => one.servers === servers && one.perServer === perServer);
  const largest = Math.max(...heats.map(({ servers }) => servers));
  const smallest = Math.min(...heats.map(({ servers }) => servers));
  const sums = heat(largest, false);
  const single = heat(largest, true);
  const cpu = (one: Heat | undefined, id: ContestantId) => one && of(one, id)?.cpuMs;
  const checks: [string, number | undefined, number][] = [
    ['CPU of sums, × the floor', divide(cpu(sums, 'ours'), cpu(sums, 'floor')), 1.45],
    ['CPU of sums, × Go with encoding/json', divide(cpu(sums, 'ours'), cpu(sums, 'go')), 0.6],
    ['CPU of sums, × Go with json-iterator', divide(cpu(sums, 'ours'), cpu(sums, 'goFast')), 1.35],
    ['CPU with single servers, × Go', divide(cpu(single, 'ours'), cpu(single, 'go')), 0.4],
    ['peak RSS of sums, MiB', sums && of(sums, 'ours')!.peakBytes / mebibyte, 200],
    ['p99 of /-/healthy, ms', health.p99Ms, 25],
    ['worst of /-/healthy, ms', health.worstMs, 50],
    ['four pages at once on a slow platform, × its own time', divideRun(slow, 4), 1.15],
    [
      'CPU per server at the largest size, × at the smallest',
      divide(perServer(cpu(sums, 'ours'), largest), perServer(cpu(heat(smallest, false), 'ours'), smallest)),
      1.25,
    ],
    ['pages asked for twice', [...heats, ...slow].reduce((sum, one) => sum + one.pagesAskedTwice, 0), 0],
  ];
  return checks
    .filter((check): check is [string, number, number] => check[1] !== undefined)
    .map(
      ([words, value, limit]) =>
        `- ${value <= limit ? 'holds' : 'FAILS'}: ${words}: ${value.toFixed(2)} (at most ${limit})`,
    )
    .join('\n');
}

function divide(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function perServer(ms: number | undefined, servers: number): number | undefined {
  return ms === undefined ? undefined : ms / servers;
}

function divideRun(runs: readonly SlowRun[], concurrency: number): number | undefined {
  const run = runs.find((one) => one.concurrency === concurrency);
  return run && run.wallMs / run.leastMs;
}
