import { cpus } from 'node:os';
import { table } from '../docs/section.ts';
import type { Result } from './scenarios.ts';

type Figures<Key extends string> = readonly Readonly<Record<Key, number>>[];

function median<Key extends string>(scrapes: Figures<Key>, key: Key): number {
  const sorted = scrapes.map((scrape) => scrape[key]).toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function mean<Key extends string>(scrapes: Figures<Key>, key: Key): number {
  return scrapes.reduce((sum, scrape) => sum + scrape[key], 0) / scrapes.length;
}

export function machineLine(): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model || process.arch}), Node.js ${process.version}, ${process.arch}, ${day}.`;
}

const figures: readonly (readonly [name: string, digits: number, of: (result: Result) => number])[] = [
  ['first: CPU s', 2, ({ firsts }) => median(firsts, 'cpuMs') / 1000],
  ['first: s', 2, ({ firsts }) => median(firsts, 'wallMs') / 1000],
  ['first: /-/healthy at worst, ms', 0, ({ firsts }) => Math.max(...firsts.map(({ healthMs }) => healthMs))],
  ['first: platform s', 2, ({ firsts }) => median(firsts, 'platformMs') / 1000],
  ['nothing changed: CPU ms', 0, ({ idle }) => median(idle, 'cpuMs')],
  ['1 % changed: CPU ms', 0, ({ steady }) => median(steady, 'cpuMs')],
  // A list of changes is followed by a full one now and then, which no median shows.
  ['mean CPU ms', 0, ({ steady }) => mean(steady, 'cpuMs')],
  ['answered in ms', 0, ({ steady }) => median(steady, 'wallMs')],
  ['mean platform s', 2, ({ steady }) => mean(steady, 'platformMs') / 1000],
  ['peak MB', 1, ({ peakBytes }) => peakBytes / 1e6],
  ['answer MB', 1, ({ steady }) => median(steady, 'bytes') / 1e6],
];

/** All of one size: of each mode what both sides took, and what the first is of the second. */
export function sizeTable(servers: number, results: readonly Result[]): string {
  const names = [...new Set(results.map(({ side }) => side.name))];
  const inDetail = ({ side }: Result) =>
    results.find((result) => result.side === side && result.mode === 'detailed, needed fields');
  /** Over the hour that sixty rounds are, and in its worst minute. */
  const share = (result: Result) => {
    const base = inDetail(result);
    const most = Math.max(...result.steady.map(({ platformMs }) => platformMs));
    const shares = [mean(result.steady, 'platformMs'), most].map((spent) =>
      textOf(base ? spent / mean(base.steady, 'platformMs') : NaN, 3),
    );
    return `${shares[0]} (${shares[1]})`;
  };
  const textOf = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '–');
  const rows = [...new Set(results.map(({ mode }) => mode))].map((mode) => {
    const both = results.filter((result) => result.mode === mode);
    const cells = figures.map(([, digits, of]) => {
      const values = both.map(of);
      const words = values.map((value) => textOf(value, digits)).join(' / ');
      const ratio = values[0]! / values[1]!;
      return Number.isFinite(ratio) ? `${words} = ${ratio.toFixed(2)}` : words;
    });
    return [mode, ...cells, both.map(share).join(' / ')];
  });
  const title = `### ${servers.toLocaleString('en')} servers, a scrape a minute: ${names.join(' / ')}`;
  return `${title}\n\n${table(['lists', ...figures.map(([name]) => name), 'platform × detailed (worst minute)'], rows)}`;
}

/** What each side was asked, since settings change. */
export function askedTable(results: readonly Result[]): string {
  const rows = results.map(({ mode, side, settings }) => [
    mode,
    side.name,
    settings === undefined ? 'has no such lists' : `\`${JSON.stringify(settings)}\``,
  ]);
  return table(['lists', 'of', 'settings'], rows);
}
