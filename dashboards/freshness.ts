import { toExporter } from './links.ts';
import { stat, type Drawing } from './panels.ts';
import { ofCloud, select } from './selectors.ts';
import { ageOfNumbers } from './thresholds.ts';

/** On every board, because old numbers look like good ones. */
export function freshness(size: { width: number; height: number }): Drawing {
  return stat({
    title: 'Age of the numbers',
    description: 'The oldest snapshot of the chosen clouds. A click opens the board of the exporter.',
    unit: 's',
    ...size,
    steps: ageOfNumbers,
    link: toExporter,
    expr: `max(time() - ${select('cloud_snapshot_timestamp_seconds', ofCloud)})`,
  });
}
