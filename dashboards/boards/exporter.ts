import type { Board } from '../board.ts';
import { collectionRows } from './exporter-collection.ts';
import { processRow } from './exporter-process.ts';
import { freshness } from '../freshness.ts';
import { bands, stat } from '../panels.ts';
import { exporter as query } from '../queries/exporter.ts';
import { table } from '../table.ts';
import { ageOfNumbers, fewAreFine, noneIsGood, passwordLeft, tokenLeft } from '../thresholds.ts';
import { cloudVariables, instance } from '../variables.ts';

const upOrDown = { '0': { text: 'down', color: 'red' }, '1': { text: 'up', color: 'green' } };

export const exporter: Board = {
  uid: 'cloud-exporter',
  title: 'Cloud: Exporter',
  description:
    'Can the numbers be trusted: is every cloud read, is it fresh and whole, and how is the exporter itself.',
  variables: [...cloudVariables, instance],
  from: 'now-6h',
  rows: [
    {
      title: 'Can the numbers be trusted?',
      panels: [
        stat({
          title: 'Clouds up',
          description: 'Clouds whose latest collection succeeded.',
          unit: 'short',
          width: 4,
          height: 4,
          expr: query.cloudsUp,
        }),
        stat({
          title: 'Clouds down',
          description: 'Clouds whose latest collection failed.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: noneIsGood,
          expr: query.cloudsDown,
        }),
        stat({
          title: 'Exporters down',
          description: 'Targets that Prometheus can not scrape.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: noneIsGood,
          expr: query.exportersDown,
        }),
        freshness({ width: 4, height: 4 }),
        stat({
          title: 'Failed collections, last hour',
          description: 'Collections that failed, of all clouds.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: fewAreFine,
          expr: query.failures,
        }),
        stat({
          title: 'Late answers, last hour',
          description:
            'Scrapes that were answered from an earlier snapshot, because the collection failed or was not done in time.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: fewAreFine,
          expr: query.staleAnswers,
        }),
        bands({
          title: 'Clouds, up and down',
          description: 'Whether the latest collection of each cloud succeeded.',
          unit: 'none',
          width: 24,
          height: 6,
          expr: query.upByCloud,
          legend: '{{cloud}}',
          texts: upOrDown,
        }),
        table({
          title: 'Each cloud',
          description:
            'Good, fresh and whole: reported is what the platform says it has, received what it listed.',
          width: 24,
          height: 8,
          labels: { cloud: 'Cloud' },
          columns: [
            { title: 'State', expr: query.table.up, texts: upOrDown },
            { title: 'Age', expr: query.table.age, unit: 's', steps: ageOfNumbers },
            { title: 'Collection took', expr: query.table.duration, unit: 's' },
            { title: 'Reported', expr: query.table.reported },
            { title: 'Received', expr: query.table.received },
            { title: 'Rejected', expr: query.table.rejected, steps: fewAreFine },
            { title: 'Pages', expr: query.table.pages },
            { title: 'Projects', expr: query.table.projects },
            { title: 'Series left out', expr: query.table.dropped, steps: fewAreFine },
            { title: 'Token ends in', expr: query.table.tokenLeft, unit: 's', steps: tokenLeft },
            { title: 'Password ends in', expr: query.table.passwordLeft, unit: 's', steps: passwordLeft },
          ],
        }),
      ],
    },
    ...collectionRows,
    processRow,
  ],
};
