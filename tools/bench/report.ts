import { cpus } from 'node:os';
import { table } from '../docs/section.ts';
import type { Billed, Result } from './contest.ts';

type Figure = Exclude<keyof Billed, 'compiled'>;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const mostOf = (values: readonly number[]) => (values.length === 0 ? NaN : Math.max(...values));
const allOf = (scrapes: readonly Billed[], key: Figure) => scrapes.map((scrape) => scrape[key]);
const compiledIn = (scrapes: readonly Billed[]) => mean(scrapes.map(({ compiled }) => compiled.length));
const afterRest = ({ changed, unchanged }: Result) => [...changed, ...unchanged];
const isWatched = ({ healthMs }: Billed) => !Number.isNaN(healthMs);
/** The engine is warm by then, and watching costs something. */
const lastBackToBack = ({ backToBack }: Result) => backToBack.filter((one) => !isWatched(one)).slice(-10);
/** The first two lists are in detail. */
const hour = (result: Result | undefined) =>
  allOf(result?.backToBack.slice(2).slice(-60) ?? [], 'platformMs');

export function machineLine(): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model || process.arch}), Node.js ${process.version}, ${process.arch}, ${day}.`;
}

const kilobytes = (scrapes: readonly Billed[], servers: number) =>
  median(allOf(scrapes, 'allocatedBytes')) / 1e3 / servers;

/** `detailed` is what the same side took with detailed lists. */
type Measure = (result: Result, servers: number, detailed: Result | undefined) => number;

const measures: readonly (readonly [name: string, digits: number, of: Measure])[] = [
  ['CPU ms, 1 % changed', 0, ({ changed }) => median(allOf(changed, 'cpuMs'))],
  ['CPU ms, nothing changed', 0, ({ unchanged }) => median(allOf(unchanged, 'cpuMs'))],
  ['CPU ms of the rest before it', 0, (result) => median(allOf(afterRest(result), 'restCpuMs'))],
  ['CPU ms back to back, 1 % changed', 0, (result) => median(allOf(lastBackToBack(result), 'cpuMs'))],
  ['CPU ms of the first', 0, ({ backToBack }) => backToBack[0]?.cpuMs ?? NaN],
  ['answered in ms, 1 % changed', 0, ({ changed }) => median(allOf(changed, 'wallMs'))],
  ['functions compiled in a scrape', 1, (result) => compiledIn(afterRest(result))],
  ['functions compiled, back to back', 1, (result) => compiledIn(lastBackToBack(result))],
  ['garbage KB a server, 1 % changed', 2, ({ changed }, servers) => kilobytes(changed, servers)],
  ['garbage KB a server, nothing changed', 2, ({ unchanged }, servers) => kilobytes(unchanged, servers)],
  ['peak memory MB', 0, ({ peakBytes }) => peakBytes / 1e6],
  [
    '`/-/healthy` at worst, ms',
    0,
    ({ backToBack }) => mostOf(allOf(backToBack.filter(isWatched), 'healthMs')),
  ],
  ['platform s', 2, (result) => mean(hour(result)) / 1000],
  ['platform × detailed', 3, (result, _, detailed) => mean(hour(result)) / mean(hour(detailed))],
  [
    'platform × detailed, worst minute',
    3,
    (result, _, detailed) => mostOf(hour(result)) / mean(hour(detailed)),
  ],
];

const textOf = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '–');

/** All of one size: a table for each mode, of what each side took, and what the first is of the last. */
export function sizeTables(servers: number, results: readonly Result[]): string {
  const inDetail = ({ side }: Result) =>
    results.find((other) => other.side === side && other.mode === 'detailed');
  const tables = [...new Set(results.map(({ mode }) => mode))].map((mode) => {
    const sides = results.filter((result) => result.mode === mode);
    const rows = measures.map(([name, digits, of]) => {
      const values = sides.map((result) => of(result, servers, inDetail(result)));
      const ratio = sides.length > 1 ? [textOf(values[0]! / values.at(-1)!, 2)] : [];
      return [name, ...values.map((value) => textOf(value, digits)), ...ratio];
    });
    const columns = ['', ...sides.map(({ side }) => side.name), ...(sides.length > 1 ? ['×'] : [])];
    const measured = rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–'));
    const title = `### ${servers.toLocaleString('en')} servers, ${mode}`;
    return [title, table(columns, measured), ...sides.flatMap(compiledLine)].join('\n\n');
  });
  return tables.join('\n\n');
}

/** The functions that were compiled most often. */
function compiledLine(result: Result): string[] {
  const scrapes = afterRest(result);
  const counts = new Map<string, number>();
  for (const name of scrapes.flatMap(({ compiled }) => compiled))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const often = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 20);
  const names = often.map(([name, count]) => `\`${name}\` ${count}`);
  if (names.length === 0) return [];
  return [`Compiled in ${scrapes.length} scrapes of ${result.side.name} after a rest: ${names.join(', ')}.`];
}
