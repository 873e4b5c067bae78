import type { Board } from '../board.ts';
import { timeLeft, type Unit } from '../look.ts';
import { lines } from '../panels.ts';
import {
  changeSince,
  gpuTypes,
  largestLines,
  largestZones,
  maxBy,
  project,
  recordedOfCloud,
  recordedOfRegion,
  select,
  sumBy,
  zone,
  type Query,
} from '../promql.ts';
import { projectLabels, table, zoneLabels } from '../table.ts';
import { regionVariables } from '../variables.ts';

const daySeconds = 86_400;
const paceDays = 30;
const quarterDays = 90;
const uses = ['rules'] as const;

/** vCPUs of projects now and before, and what follows if it goes on as in the last 30 days. */
const vcpus = 'cloud_project:cloud_servers_vcpus:sum';
const now = sumBy(project, select(vcpus, recordedOfCloud));
const since = (days: number) => sumBy(project, changeSince(`${days}d`, vcpus, recordedOfCloud));
const pace = since(paceDays);

const inZones = (resource: string, what: string) =>
  select(`cloud_zone:${resource}:${what}`, recordedOfRegion);
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

const memory = 'cloud_host_memory_bytes';
const resources = [
  { name: 'Memory', verb: 'lasts', resource: memory, unit: 'bytes' },
  { name: 'vCPUs', verb: 'last', resource: 'cloud_host_vcpus', unit: 'count' },
  { name: 'Disk', verb: 'lasts', resource: 'cloud_storage_bytes', unit: 'bytes' },
] as const;
const freeGpus = select('cloud_zone:cloud_host_devices:free', recordedOfRegion, gpuTypes);

function overTime(title: string, largestOnes: string, queries: Query[], unit: Unit = 'count') {
  return lines({
    title,
    description: `${largestOnes}, and the others together.`,
    unit,
    height: 9,
    queries,
    uses,
    nothing: 'No history yet',
  });
}

const byCloud = (metric: string) =>
  largestLines(['cloud'], '{{of}}', sumBy(['cloud'], select(`cloud:${metric}:sum`, recordedOfCloud)));
const gpus = select('cloud_model:cloud_servers_devices:sum', recordedOfCloud, gpuTypes);
const byModel = largestLines(['cloud', 'model'], '{{of}}{{model}}', sumBy(['cloud', 'model'], gpus));

export const growth: Board = {
  description:
    'What grew in 7, 30 and 90 days, when it doubles, what it needs in a quarter, and when zones are full. It needs the recording rules, and as much history as it looks back.',
  variables: regionVariables,
  from: 'now-90d',
  // Sums over months change slowly and are dear to ask for.
  refresh: '15m',
  rows: [
    {
      panels: [
        table({
          title: 'When zones are full',
          description:
            'What is left in each zone, and when it will be used up if it goes on as in the last 30 days. The first to be full of memory stand first. Nothing stands there until there is that much history.',
          height: 8,
          labels: zoneLabels,
          largestBy: `(-1 * ${fullIn(memory)} or 0 * ${free(memory)} - ${2 * notInSight})`,
          columns: [
            ...resources.flatMap(({ name, verb, resource, unit }) => [
              { title: `${name} left`, sum: free(resource), unit },
              {
                title: `${name} ${verb}`,
                each: fullIn(resource),
                unit: 'age' as const,
                steps: timeLeft,
                texts: { [notInSight]: { text: 'not soon', color: 'transparent' } },
              },
            ]),
            { title: 'GPUs free', sum: sumBy(zone, freeGpus) },
          ],
          uses: ['hosts', 'rules'],
          nothing: 'No host takes servers.',
        }),
        table({
          title: 'vCPUs by project',
          description:
            'Those that grew most in 30 days. A column is not there until there is that much history. The last ones say what follows if it goes on as in the last 30 days.',
          height: 8,
          labels: projectLabels,
          largestBy: `(${pace} or 0 * ${now})`,
          uses,
          columns: [
            { title: 'Now', sum: now },
            { title: '7 days', sum: since(7) },
            { title: '30 days', sum: pace },
            { title: '90 days', sum: since(90) },
            { title: 'In a quarter', sum: `clamp_min(${now} + ${quarterDays / paceDays} * ${pace}, 0)` },
            {
              title: 'Doubles in',
              each: `${paceDays * daySeconds} * ${now} / (${pace} > 0)`,
              unit: 'age',
              steps: timeLeft,
            },
          ],
          nothing: 'No servers.',
        }),
      ],
    },
    {
      title: 'Over time, as far back as the recorded sums are kept',
      panels: [
        overTime('Servers by cloud', 'The six largest clouds', byCloud('cloud_servers')),
        overTime('vCPUs by cloud', 'The six largest clouds', byCloud('cloud_servers_vcpus')),
        overTime('GPUs by model', 'GPUs and NPUs that servers have: the six models with most', byModel),
        ...resources.map(({ name, resource, unit }) =>
          overTime(
            `${name} left by zone`,
            'What can still be promised: the six zones with most',
            largestZones(free(resource)),
            unit,
          ),
        ),
      ],
    },
  ],
};
