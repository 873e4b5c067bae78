import type { Board } from '../board.ts';
import { toProject } from '../links.ts';
import { timeLeft, type Unit } from '../look.ts';
import { lines } from '../panels.ts';
import {
  changeSince,
  gpuTypes,
  largest,
  largestLines,
  maxBy,
  project,
  recordedOfCloud,
  recordedOfZone,
  select,
  sumBy,
  zone,
} from '../promql.ts';
import { largestFirst, table } from '../table.ts';
import { trust } from '../trust.ts';
import { zoneVariables } from '../variables.ts';

const daySeconds = 86_400;
const paceDays = 30;
const quarterDays = 90;
const noHistory = 'no history known: are the recording rules loaded?';

/** What a recorded sum is now and was, and what follows if it goes on as in the last 30 days. */
function growthTable(title: string, recorded: string, by: readonly string[], labels: Record<string, string>) {
  const now = sumBy(by, select(recorded, recordedOfCloud));
  const since = (days: number) => sumBy(by, changeSince(`${days}d`, recorded, recordedOfCloud));
  const pace = since(paceDays);
  const { column, sum } = largest(Object.keys(labels), `(${pace} or 0 * ${now})`);
  return table({
    title,
    description:
      'Those that grew most in 30 days. A column is empty until there is that much history. The last ones say what follows if it goes on as in the last 30 days.',
    width: 24,
    height: by.length === 1 ? 6 : 8,
    labels,
    columns: [
      { title: 'Now', expr: sum(now) },
      { title: '7 days', expr: sum(since(7)) },
      { title: '30 days', expr: sum(pace) },
      { title: '90 days', expr: sum(since(90)) },
      { title: 'In a quarter', expr: sum(`clamp_min(${now} + ${quarterDays / paceDays} * ${pace}, 0)`) },
      {
        title: 'Doubles in',
        expr: column(`${paceDays * daySeconds} * ${now} / (${pace} > 0)`),
        unit: 'age',
        steps: timeLeft,
      },
    ],
    sortBy: largestFirst('30 days'),
    ...('project' in labels && { links: [toProject] }),
    nothing: noHistory,
  });
}

const inZones = (resource: string, what: string) => select(`cloud_zone:${resource}:${what}`, recordedOfZone);
const free = (resource: string) => maxBy(zone, inZones(resource, 'free'));

/** Seconds after which all is gone, where it does not get less. */
const notInSight = 1e12;

/** When what is left is used up at the pace of the last 30 days. */
function fullIn(resource: string): string {
  const promised = (when: (selector: string) => string) =>
    `(${maxBy(zone, when(inZones(resource, 'allocatable')))} - ${maxBy(zone, when(inZones(resource, 'free')))})`;
  const now = promised((selector) => selector);
  const then = promised((selector) => `last_over_time(${selector}[1h] offset ${paceDays}d)`);
  const pace = `(${now} - ${then})`;
  return `(${paceDays * daySeconds} * ${free(resource)} / (${pace} > 0) or 0 * ${pace} + ${notInSight})`;
}

const resources = [
  { name: 'Memory', verb: 'lasts', resource: 'cloud_host_memory_bytes', unit: 'bytes' },
  { name: 'vCPUs', verb: 'last', resource: 'cloud_host_vcpus', unit: 'count' },
  { name: 'Disk', verb: 'lasts', resource: 'cloud_storage_bytes', unit: 'bytes' },
] as const;
const freeGpus = select('cloud_zone:cloud_host_devices:free', recordedOfZone, gpuTypes);
const zones = largest(
  ['zone', 'cloud', 'region'],
  `(-1 * ${fullIn('cloud_host_memory_bytes')} or 0 * ${free('cloud_host_memory_bytes')} - ${2 * notInSight})`,
);

function left(title: string, unit: Unit, expr: string) {
  return lines({
    title,
    description: 'What can still be promised: the ten zones with most, and the others together.',
    unit,
    width: 12,
    height: 9,
    legend: 'beside',
    queries: largestLines(zone, '{{cloud}} {{zone}} ({{region}})', expr),
    nothing: noHistory,
  });
}

export const growth: Board = {
  uid: 'cloud-growth',
  title: 'Cloud: Growth',
  description:
    'What grew in 7, 30 and 90 days, when it doubles, what it needs in a quarter, and when zones are full. It needs the recording rules, and as much history as it looks back.',
  variables: zoneVariables,
  from: 'now-90d',
  // Sums over months change slowly and are dear to ask for.
  refresh: '15m',
  rows: [
    {
      panels: [
        trust,
        table({
          title: 'When zones are full',
          description:
            'What is left in each zone, and when it will be used up if it goes on as in the last 30 days. The first to be full of memory stand first. Nothing stands there until there is that much history.',
          width: 24,
          height: 7,
          labels: { zone: 'Zone', cloud: 'Cloud', region: 'Region' },
          columns: [
            ...resources.flatMap(({ name, verb, resource, unit }) => [
              { title: `${name} left`, expr: zones.sum(free(resource)), unit },
              {
                title: `${name} ${verb}`,
                expr: zones.column(fullIn(resource)),
                unit: 'age' as const,
                steps: timeLeft,
                texts: { [notInSight]: { text: 'not in sight', color: 'text' } },
              },
            ]),
            { title: 'GPUs free', expr: zones.sum(sumBy(zone, freeGpus)) },
          ],
          sortBy: [{ title: 'Memory lasts', descending: false }],
          nothing: 'none known: the token may not list hosts, or the recording rules are not loaded',
        }),
        growthTable('Servers by cloud', 'cloud:cloud_servers:sum', ['cloud'], { cloud: 'Cloud' }),
        growthTable('vCPUs by project', 'cloud_project:cloud_servers_vcpus:sum', project, {
          project: 'Project',
          cloud: 'Cloud',
          project_domain: 'Domain',
        }),
      ],
    },
    {
      title: 'Over time, as far back as the recorded sums are kept',
      panels: [
        overClouds('Servers by cloud', 'count', 'cloud:cloud_servers:sum'),
        overClouds('vCPUs by cloud', 'count', 'cloud:cloud_servers_vcpus:sum'),
        lines({
          title: 'GPUs by model',
          description: 'GPUs and NPUs that servers have: the ten models with most, and the others together.',
          unit: 'count',
          width: 12,
          height: 9,
          legend: 'beside',
          queries: largestLines(
            ['cloud', 'model'],
            '{{cloud}} {{model}}',
            sumBy(
              ['cloud', 'model'],
              select('cloud_model:cloud_servers_devices:sum', recordedOfCloud, gpuTypes),
            ),
          ),
          nothing: noHistory,
        }),
        ...resources.map(({ name, resource, unit }) => left(`${name} left by zone`, unit, free(resource))),
      ],
    },
  ],
};

function overClouds(title: string, unit: Unit, recorded: string) {
  return lines({
    title,
    description: 'The ten largest clouds, and the others together.',
    unit,
    width: 12,
    height: 9,
    legend: 'beside',
    queries: largestLines(['cloud'], '{{cloud}}', sumBy(['cloud'], select(recorded, recordedOfCloud))),
    nothing: noHistory,
  });
}
