import { cpus } from 'node:os';
import type { Figures, Mode, Result } from './scenarios.ts';

export const count = (number: number) => number.toLocaleString('en');
const seconds = (ms: number) => (ms / 1000).toFixed(2);
const whole = (ms: number) => ms.toFixed(0);
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function machineLine(): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model || process.arch}), Node.js ${process.version}, ${process.arch}, ${day}.`;
}

const columns: readonly (readonly [string, keyof Figures, (value: number) => string])[] = [
  ['first: CPU s', 'firstCpuMs', seconds],
  ['first: s', 'firstWallMs', seconds],
  ['first: /-/healthy at worst, ms', 'healthMs', whole],
  ['first: platform s', 'firstPlatformMs', seconds],
  ['nothing changed: CPU ms', 'idleCpuMs', whole],
  ['1 % changed: CPU ms', 'cpuMs', whole],
  ['mean CPU ms', 'meanCpuMs', whole],
  ['answered in ms', 'wallMs', whole],
  ['mean platform s', 'platformMs', seconds],
  ['peak MB', 'peakBytes', megabytes],
  ['answer MB', 'bytes', megabytes],
];

/** All of one size: of each mode what both sides took, and what the first is of the second. */
export function sizeTable(servers: number, results: readonly Result[]): string {
  const sides = [...new Set(results.map(({ side }) => side))];
  const detailed = (side: string) =>
    results.find((result) => result.side === side && result.mode === 'detailed, needed fields')?.figures;
  const share = ({ side, figures }: Result) => {
    const base = detailed(side);
    return figures && base ? (figures.platformMs / base.platformMs).toFixed(2) : '–';
  };
  const rows = [...new Set(results.map(({ mode }) => mode))].map((mode: Mode) => {
    const both = results.filter((result) => result.mode === mode);
    const cells = columns.map(([, key, write]) => {
      const [one, other] = both.map(({ figures }) => figures?.[key]);
      const words = both.map(({ figures }) => (figures ? write(figures[key]) : '–')).join(' / ');
      return one === undefined || other === undefined ? words : `${words} = ${(one / other).toFixed(2)}`;
    });
    return [mode, ...cells, both.map(share).join(' / ')];
  });
  const title = `### ${count(servers)} servers, a scrape a minute: ${sides.join(' / ')}`;
  const names = columns.map(([name]) => name);
  return `${title}\n\n${table(['lists', ...names, 'platform × detailed'], rows)}`;
}

/** What each side was asked, since settings change. */
export function askedTable(results: readonly Result[]): string {
  const rows = results.map(({ mode, side, settings }) => [
    mode,
    side,
    settings === undefined ? 'has no such lists' : `\`${JSON.stringify(settings)}\``,
  ]);
  return table(['lists', 'of', 'settings'], rows);
}
