import type { CloudView } from '../inventory/collector.ts';
import { renderHeader } from '../metrics/exposition.ts';
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
  const page = createMetricsPage();
  const families = new Map<string, number>();
  let bytes = 0;
  for await (const { family, blocks } of page.blocks([view])) {
    const series = blocks.reduce((sum, block) => sum + block.series, 0);
    if (series === 0) continue;
    families.set(family.name, series);
    const chunks = [renderHeader(family, 'text'), ...blocks.flatMap((block) => block.chunks)];
    bytes += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }
  const dropped = view.snapshot ? await page.dropped(view.snapshot) : 0;
  return { families, bytes, dropped, perServer: countPerServer(view) };
}

function countPerServer({ snapshot }: CloudView): number {
  const counts = serverFamilies.map(
    ({ measure }) =>
      snapshot?.servers?.filter((server) => measure(server, snapshot) !== undefined).length ?? 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
