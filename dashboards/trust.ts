import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { toExporter } from './links.ts';
import { ageOfNumbers, noneIsGood } from './look.ts';
import { stats } from './panels.ts';
import { maxBy, ofCloud, ofExporterJobs, select } from './promql.ts';

/** For so long a cloud that nobody reads any more is missed. */
const memory = '1d';
/** Tiles for the clouds that are down, the longest first: more than these would leave no room to read them. */
const mostNames = 4;

const up = maxBy(['cloud'], select('cloud_up', ofCloud));
const lost = `${maxBy(['cloud'], `max_over_time(${select('cloud_up', ofCloud)}[${memory}])`)} unless ${up}`;
const downOrLost = `(${up} == 0 or 0 * (${lost}))`;
const lastSuccess = maxBy(
  ['cloud'],
  `max_over_time(${select('cloud_last_success_timestamp_seconds', ofCloud)}[${memory}])`,
);
const exporters = select('up', ofExporterJobs);

/** The exporter says 0 for a cloud that it has never read: longer ago than any outage. */
const never = {
  type: MappingType.RangeToText as const,
  options: { from: 1e9, to: null, result: { text: 'never read', color: 'red' } },
};
const age = { unit: 'age', steps: ageOfNumbers, mappings: [never] } as const;

/** Above everything on every board, because old numbers, and numbers of fewer clouds, look like good ones. */
export const trust = stats({
  title: 'Can these numbers be trusted?',
  description:
    'How many clouds and exporters are down, how old the oldest numbers are, and of each cloud that is down, when it was last read. What such a cloud had may be missing below. A cloud that nobody has told of since some time within the last day counts as down, also if it was taken out of the configuration. A click opens the board of the exporter.',
  link: toExporter,
  tiles: [
    {
      name: 'Clouds down',
      steps: noneIsGood,
      expr: `count(${downOrLost}) or 0 * count(${up} == 1)`,
    },
    {
      name: 'Exporters down',
      steps: noneIsGood,
      expr: `count(${exporters} == 0) or 0 * count(${exporters} == 1)`,
    },
    { name: 'Oldest numbers', ...age, expr: `max(time() - ${lastSuccess})` },
    {
      name: '{{cloud}} is down, read before',
      ...age,
      expr: `sort_desc(topk(${mostNames}, (time() - ${lastSuccess}) and on (cloud) ${downOrLost}))`,
    },
  ],
});
