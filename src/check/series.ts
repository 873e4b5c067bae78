import type { CloudView } from '../inventory/collector.ts';
import { createMetricsPage } from '../metrics/page.ts';
import { countServerSeries } from '../metrics/servers.ts';
import type { YieldToEventLoop } from '../yield-to-event-loop.ts';

export type SeriesCount = Awaited<ReturnType<typeof countSeries>>;

/** Counted in the text that Prometheus would get, whose length `bytes` is; `perServer`: with `per_server: true`. */
export async function countSeries(view: CloudView, yieldToEventLoop: YieldToEventLoop) {
  const page = createMetricsPage({ yieldToEventLoop });
  const families = new Map<string, number>();
  let [bytes, dropped, rest] = [0, 0, ''];
  for await (const piece of page.write([view], 'text')) {
    bytes += piece.length;
    const lines = (rest + piece.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const name = /^\w+/.exec(line)?.[0];
      if (name === undefined) continue;
      families.set(name, (families.get(name) ?? 0) + 1);
      if (name === 'cloud_exporter_series_dropped') dropped = Number(line.slice(line.lastIndexOf(' ')));
    }
  }
  return { families, bytes, dropped, perServer: view.snapshot ? countServerSeries(view.snapshot) : 0 };
}
