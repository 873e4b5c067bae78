import type { CloudView } from '../inventory/collector.ts';
import { createMetricsPage } from '../metrics/page.ts';
import { serverFamilies } from '../metrics/servers.ts';

export interface SeriesCount {
  readonly families: ReadonlyMap<string, number>;
  /** Length of the exposition. */
  readonly bytes: number;
  readonly dropped: number;
  /** What `per_server: true` adds, or would add. */
  readonly perServer: number;
}

export async function countSeries(view: CloudView): Promise<SeriesCount> {
  const families = new Map<string, number>();
  let bytes = 0;
  let dropped = 0;
  for await (const chunk of createMetricsPage().write([view], 'text')) {
    bytes += chunk.length;
    for (const [, name = '', value] of chunk.toString().matchAll(/^([a-z]\w*).* (\S+)$/gm)) {
      families.set(name, (families.get(name) ?? 0) + 1);
      if (name === 'cloud_exporter_series_dropped') dropped = Number(value);
    }
  }
  return { families, bytes, dropped, perServer: countPerServer(view) };
}

function countPerServer({ snapshot }: CloudView): number {
  const counts = serverFamilies.map(
    ({ measure }) =>
      snapshot?.servers?.filter((server) => measure(server, snapshot) !== undefined).length ?? 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
