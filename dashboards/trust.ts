import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Board } from './board.ts';
import { toExporter } from './links.ts';
import { stat } from './panels.ts';
import { trust as query } from './queries/trust.ts';
import { ageOfNumbers, noneIsGood } from './thresholds.ts';
import { grey } from './colours.ts';

const size = { width: 6, height: 3, link: toExporter } as const;

/** Longer than any outage: the exporter says 0 for a cloud that it has never read. */
const never = {
  type: MappingType.RangeToText as const,
  options: { from: 1e9, to: null, result: { text: 'never read', color: 'red' } },
};

/** The first row of every board, because old numbers, and numbers of fewer clouds, look like good ones. */
export const trustRow: Board['rows'][number] = {
  title: 'Can these numbers be trusted?',
  panels: [
    stat({
      title: 'Clouds down',
      description:
        'Chosen clouds whose latest collection failed, or that nobody has told of since some time within the last day. A cloud that was taken out of the configuration counts for a day.',
      unit: 'count',
      ...size,
      steps: noneIsGood,
      expr: query.cloudsDown,
    }),
    stat({
      title: 'Which are down',
      description: 'The names of the clouds that are down. What they had is missing from the numbers below.',
      unit: 'none',
      ...size,
      steps: {
        base: grey,
        from: [
          [0, 'red'],
          [1, 'green'],
          [2, grey],
        ],
      },
      expr: query.whichDown,
      legend: '{{cloud}}',
    }),
    stat({
      title: 'Exporters down',
      description: 'Targets that Prometheus can not scrape, of the jobs that tell of clouds.',
      unit: 'count',
      ...size,
      steps: noneIsGood,
      expr: query.exportersDown,
    }),
    stat({
      title: 'Oldest numbers',
      description:
        'How long ago the chosen cloud with the oldest numbers was read. It grows through an outage. A click opens the board of the exporter.',
      unit: 'age',
      ...size,
      steps: ageOfNumbers,
      mappings: [never],
      expr: query.oldest,
    }),
  ],
};
