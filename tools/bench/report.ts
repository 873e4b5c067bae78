import { cpus } from 'node:os';
import { names, type ContestantId } from './contestants.ts';
import type { Endurance } from './endurance.ts';
import type { WrittenTwice } from './exposition-alone.ts';
import type { Health } from './health.ts';
import type { HostsPrice, Priced } from './hosts.ts';
import type { PageSizeRun } from './page-sizes.ts';
import type { Heat, Result } from './race.ts';
import type { SlowRun } from './slow-platform.ts';

export interface Findings {
  readonly heats: readonly Heat[];
  readonly health: {
    readonly servers: number;
    readonly sums: Health;
    readonly single: Health;
    readonly clouds: Health;
  };
  readonly endurance: Endurance;
  readonly written: WrittenTwice;
  readonly hosts: HostsPrice;
  readonly slow: readonly SlowRun[];
  readonly pageSizes: readonly PageSizeRun[];
}

export const megabyte = 1e6;
export const seconds = (ms: number) => (ms / 1000).toFixed(2);
export const megabytes = (bytes: number) => String(Math.round(bytes / megabyte));
export const count = (number: number) => number.toLocaleString('en');
export const ratio = (value: number, of: number | undefined) =>
  of === undefined ? '–' : (value / of).toFixed(2);

export function machineLine(rounds: number): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model || process.arch}), Node.js ${process.version}, ${process.arch}, ${day}, ${rounds} rounds.`;
}

export function of(heat: Heat, id: ContestantId): Result | undefined {
  return heat.results.find((result) => result.id === id);
}

export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function heatTable(heat: Heat): string {
  const head = `## ${count(heat.servers)} servers${heat.perServer ? ', single servers too' : ', sums only'}`;
  const rows = heat.results.map((result) => [
    names[result.id],
    seconds(result.cpuMs),
    ratio(result.cpuMs, of(heat, 'floor')?.cpuMs),
    ratio(result.cpuMs, of(heat, 'go')?.cpuMs),
    seconds(result.wallMs),
    megabytes(result.peakBytes),
    count(result.series),
    (result.bytes / 1e6).toFixed(1),
  ]);
  const columns = 'contestant,CPU s,× floor,× Go,wall s,peak RSS MB,series,MB of text'.split(',');
  return `${head}\n\n${table(columns, rows)}`;
}

export function healthTable({ health }: Pick<Findings, 'health'>): string {
  const row = (words: string, one: Health) => [
    words,
    one.p99Ms.toFixed(1),
    one.worstMs.toFixed(1),
    one.answers,
  ];
  const columns = [`${count(health.servers)} servers`, 'p99 ms', 'worst ms', 'answers'];
  return [
    '## `/-/healthy` while a scrape collects and renders',
    'Asked every 5 ms, by another process.',
    table(columns, [
      row('sums only', health.sums),
      row('single servers too', health.single),
      row('12 clouds of 10,000 each instead, sums only', health.clouds),
    ]),
  ].join('\n\n');
}

export function writerTable({ written }: Findings): string {
  const row = (words: string, { series, cpuMs, longestBlockMs }: WrittenTwice['own']) => [
    words,
    count(series),
    seconds(cpuMs),
    longestBlockMs.toFixed(1),
  ];
  const columns = ['writer', 'series', 'CPU s', 'longest block of the event loop ms'];
  const rows = [
    row('this exporter', written.own),
    row('prom-client: Gauge.set, metrics()', written.promClient),
  ];
  return `## The text alone\n\n${table(columns, rows)}`;
}

export function enduranceTable({ endurance }: Findings): string {
  const { servers, collections, earlyBytes, lateBytes } = endurance;
  const rows = [
    [count(servers), megabytes(earlyBytes), collections, megabytes(lateBytes), ratio(lateBytes, earlyBytes)],
  ];
  const columns = 'servers,peak RSS MB at the 5th collection,collections,at the last,ratio'.split(',');
  return `## Collection after collection\n\n${table(columns, rows)}`;
}

export function pageSizeTable({ pageSizes, health }: Findings): string {
  const rows = pageSizes.map((run) => [
    run.pageSize,
    seconds(run.cpuMs),
    seconds(run.wallMs),
    megabytes(run.peakBytes),
    run.health.p99Ms.toFixed(1),
    run.health.worstMs.toFixed(1),
  ]);
  const columns = 'page_size,CPU s,wall s,peak RSS MB,healthy p99 ms,worst ms'.split(',');
  return `## Page sizes, ${count(health.servers)} servers, sums only\n\n${table(columns, rows)}`;
}

export function hostsTable({ hosts: { servers, hosts, without, listed } }: Pick<Findings, 'hosts'>): string {
  const row = (words: string, { cpuMs, peakBytes, series }: Priced) => [
    words,
    seconds(cpuMs),
    megabytes(peakBytes),
    count(series),
  ];
  const columns = ['`list_hosts`', 'CPU s', 'peak RSS MB', 'series'];
  const rows = [row('false', without), row('true', listed)];
  return `## ${count(hosts)} hosts listed beside ${count(servers)} servers, one in a hundred changed\n\n${table(columns, rows)}`;
}

export function slowTable({ slow }: Findings): string {
  const rows = slow.map(({ concurrency, pageSize, firstMs, wallMs, leastMs }) => [
    concurrency,
    pageSize,
    seconds(firstMs),
    seconds(wallMs),
    seconds(leastMs),
    ratio(wallMs, leastMs),
  ]);
  const columns =
    'concurrency,page_size,first scrape s,later scrapes s,the platform alone would need s,later × that'.split(
      ',',
    );
  return `## A platform that takes 3 ms a server, with 8 workers\n\n${table(columns, rows)}`;
}
