import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { memory, noExporter, orWhy, up, wasUp, words } from './absence.ts';
import { toExporter } from './links.ts';
import { ageOfNumbers, ageOfSyncs, grey, noneIsGood, red } from './look.ts';
import { stats, type Drawing, type Tile } from './panels.ts';
import { maxBy, ofCloud, ofExporterJobs, select } from './promql.ts';

/** Tiles for the clouds that are down, the longest first: more than these would leave no width to read them. */
const mostNames = 2;

const downOrLost = `(${up} == 0 or 0 * (${wasUp} unless ${up}))`;
const lastSuccess = maxBy(
  ['cloud'],
  `max_over_time(${select('cloud_last_success_timestamp_seconds', ofCloud)}[${memory}])`,
);
const exporters = select('up', ofExporterJobs);

/** The exporter says 0 for a cloud that it has never read: longer ago than any outage. */
const never = {
  type: MappingType.RangeToText as const,
  options: { from: 1e9, to: null, result: { text: 'never read', color: red } },
};
const age = { unit: 'age', steps: ageOfNumbers, mappings: [never] } as const;

/** How old what the platform knows of each public cloud is, where it is to be synchronised at all. */
export const syncAge = (labels: readonly string[], scope: string) =>
  `time() - ${maxBy(labels, select('cloud_sync_timestamp_seconds', scope))} and on (${labels.join(', ')}) ${maxBy(labels, select('cloud_sync_enabled', scope))} == 1`;
const oldestSync: Tile = {
  name: 'Oldest sync',
  unit: 'age',
  steps: ageOfSyncs,
  mappings: [{ type: MappingType.ValueToText, options: { ...words, '0': { text: 'none', color: grey } } }],
  expr: orWhy(`max(${syncAge(['cloud', 'account', 'subscription', 'region'], ofCloud)})`, 'syncs'),
};

/** Above everything on every board, because old numbers, and numbers of fewer clouds, look like good ones. */
export function trust(isAboutSyncs: boolean): Drawing {
  return stats({
    title: 'Can these numbers be trusted?',
    description:
      'How many clouds and exporters are down, how old the oldest numbers are, and which clouds have been down for longest. Fleet has the public cloud that the platform synchronised longest ago as well. What such a cloud had may be missing below. A cloud that no exporter reports any more counts as down for a day, also if it was taken out of the configuration. A click opens the board of the exporter.',
    link: toExporter,
    nothing: noExporter.toDo,
    tiles: [
      { name: 'Clouds down', steps: noneIsGood, expr: `count(${downOrLost}) > 0` },
      {
        name: 'Exporters down',
        steps: noneIsGood,
        mappings: [],
        expr: `count(${exporters} == 0) or 0 * count(${exporters} == 1)`,
      },
      { name: 'Oldest numbers', ...age, expr: `max(time() - ${lastSuccess})` },
      ...(isAboutSyncs ? [oldestSync] : []),
      {
        name: '{{cloud}} is down for',
        ...age,
        expr: `sort_desc(topk(${mostNames}, (time() - ${lastSuccess}) and on (cloud) ${downOrLost}))`,
      },
    ],
  });
}
