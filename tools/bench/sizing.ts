import type { Heat } from './race.ts';
import { count, megabytes, of, seconds, table } from './report.ts';

/** What the real platform takes for a server in a list, measured once, and the pages that are asked for at once. */
const millisecondsPerServer = 3;

/** What a user should plan for, from what was measured here. */
export function sizingTable(heats: readonly Heat[], concurrency: number): string {
  const rows = heats.map((heat) => {
    const { cpuMs, peakBytes, series, bytes } = of(heat, 'ours')!;
    const platformMs = (heat.servers * millisecondsPerServer) / concurrency;
    return [
      count(heat.servers),
      heat.perServer ? 'yes' : 'no',
      (platformMs / 1000).toFixed(platformMs < 10_000 ? 1 : 0),
      seconds(cpuMs),
      megabytes(peakBytes),
      memoryLimit(peakBytes),
      count(series),
      (bytes / 1e6).toFixed(1),
      scrapeSettings(platformMs + cpuMs),
    ];
  });
  const columns = [
    'servers',
    '`per_server`',
    'list takes s',
    'CPU s a scrape',
    'peak RSS MB',
    'memory limit',
    'series',
    'MB of text',
    '`scrape_interval` / `scrape_timeout`',
  ];
  return table(columns, rows);
}

/** Half as much again as was seen, in steps that people write. */
function memoryLimit(peakBytes: number): string {
  return `${Math.ceil((peakBytes * 1.5) / 2 ** 20 / 64) * 64}Mi`;
}

/** Room for a list that takes twice as long as it should. */
function scrapeSettings(collectionMs: number): string {
  if (collectionMs < 15_000) return '1m / 30s';
  return collectionMs < 50_000 ? '2m / 110s' : '3m / 170s';
}
