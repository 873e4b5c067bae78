import type { Board } from '../board.ts';
import { collectionRows } from './exporter-collection.ts';
import { processRow } from './exporter-process.ts';
import { bands } from '../lines.ts';
import { stat, type Drawing } from '../panels.ts';
import { exporter as query } from '../queries/exporter.ts';
import { table } from '../table.ts';
import { ageOfNumbers, fewAreFine, passwordLeft, tokenLeft, type Steps } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import { cloudVariables, instance } from '../variables.ts';

const upOrDown = { '0': { text: 'down', color: 'red' }, '1': { text: 'up', color: 'green' } };

function glance(title: string, description: string, expr: string, steps?: Steps): Drawing {
  return stat({ title, description, unit: 'count', width: 6, height: 3, expr, ...(steps && { steps }) });
}

export const exporter: Board = {
  uid: 'cloud-exporter',
  title: 'Cloud: Exporter',
  description:
    'Can the numbers be trusted: is every cloud read, is it fresh and whole, and how is the exporter itself.',
  variables: [...cloudVariables, instance],
  from: 'now-6h',
  rows: [
    trustRow,
    {
      title: 'Clouds',
      panels: [
        glance('Clouds up', 'Clouds whose latest collection succeeded.', query.cloudsUp),
        glance(
          'Missing servers',
          'What the platforms say they have, less what they listed.',
          query.incomplete,
          fewAreFine,
        ),
        glance(
          'Failed in 1 hour',
          'Collections that failed within the last hour, of all clouds.',
          query.failures,
          fewAreFine,
        ),
        glance(
          'Late in 1 hour',
          'Scrapes within the last hour that were answered from an earlier snapshot, because the collection failed or was not done in time.',
          query.staleAnswers,
          fewAreFine,
        ),
        bands({
          title: 'Clouds, up and down over time',
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
            { title: 'Age', expr: query.table.age, unit: 'age', steps: ageOfNumbers },
            { title: 'Took', expr: query.table.duration, unit: 'seconds' },
            { title: 'Reported', expr: query.table.reported },
            { title: 'Received', expr: query.table.received },
            { title: 'Rejected', expr: query.table.rejected, steps: fewAreFine },
            { title: 'Projects', expr: query.table.projects },
            { title: 'Series left out', expr: query.table.dropped, steps: fewAreFine },
            { title: 'Token ends in', expr: query.table.tokenLeft, unit: 'age', steps: tokenLeft },
            { title: 'Password ends in', expr: query.table.passwordLeft, unit: 'age', steps: passwordLeft },
          ],
        }),
      ],
    },
    ...collectionRows,
    processRow,
  ],
};
