import type { Board } from '../board.ts';
import { toLifecycle } from '../links.ts';
import { fewAreFine, noneIsGood, noneOf, problemOf } from '../look.ts';
import { alertList, bars, byProblem, byState, lines, stat, stats } from '../panels.ts';
import {
  changeSince,
  largestBars,
  largestLines,
  maxBy,
  ofCloud,
  once,
  orZero,
  project,
  recordedOfCloud,
  recordedOfZone,
  select,
  sumBy,
  zone,
} from '../promql.ts';
import { projectLabels, table, zoneLabels } from '../table.ts';
import { measure, zoneVariables } from '../variables.ts';

/** Recorded sums, so that the board is as quick with a million servers as with a hundred. */
const inZones = (metric: string) => select(`cloud_zone:${metric}:sum`, recordedOfZone);
const ofZones = (metric: string) => maxBy(zone, inZones(metric));
const byZone = (...matchers: string[]) =>
  select('cloud_zone_state:cloud_servers:sum', recordedOfZone, ...matchers);
const byHypervisor = (...matchers: string[]) =>
  sumBy(
    ['cloud', 'hypervisor'],
    select('cloud_hypervisor_state:cloud_servers:sum', recordedOfCloud, ...matchers),
  );
const ofProjects = (metric: string) => maxBy(project, select(`cloud_project:${metric}:sum`, recordedOfCloud));
const ofClouds = select('cloud:cloud_servers:sum', recordedOfCloud);
/** Counted by the exporter for each cloud, also where not all servers are named. */
const problems = (...matchers: string[]) => sumBy([], once('cloud_server_problems', ofCloud, ...matchers));

const broken = 'state=~"failed|unknown"';
const running = 'state="running"';
const projectChange = changeSince('1d', 'cloud_project:cloud_servers:sum', recordedOfCloud);

/** The chosen measure, if it is one that is written in this way: only one of these sums is recorded. */
function measuredByRegion(ending: '' | '_bytes') {
  const chosen = sumBy(['cloud', 'region'], inZones(`\${measure}${ending}`));
  return largestLines(['cloud', 'region'], '{{cloud}} {{region}}', chosen);
}

export const fleet: Board = {
  description:
    'Is all well, how many servers there are, where, and whose. It needs the recording rules of rules/recording.yml.',
  variables: [...zoneVariables, measure],
  from: 'now-6h',
  rows: [
    {
      panels: [
        stats({
          title: 'Servers that need attention, in whole clouds',
          description:
            'How many there are of each kind of problem; a server can have several. A click opens the board Lifecycle, which names them.',
          link: toLifecycle,
          tiles: ['host_down', 'failed', 'expired', 'stuck', 'task_failed', 'expiring'].map((kind) => ({
            name: problemOf(kind).words,
            steps: noneOf(kind),
            expr: orZero(problems(`problem="${kind}"`)),
          })),
        }),
        stat('Servers', 'All servers, in whatever state.', sumBy([], inZones('cloud_servers'))),
        stat('Running', 'Servers that run.', orZero(sumBy([], byZone(running)))),
        stat(
          'vCPUs',
          'Virtual CPUs of all servers, running or not.',
          sumBy([], inZones('cloud_servers_vcpus')),
        ),
        stat(
          'Memory',
          'Memory of all servers, running or not.',
          sumBy([], inZones('cloud_servers_memory_bytes')),
          { unit: 'bytes' },
        ),
        alertList(
          'Firing alerts',
          'Alerts of this product that fire now, for the chosen clouds. It is empty, too, where the rules are not loaded or Grafana may not read them.',
        ),
        lines({
          title: 'Servers by state',
          description: "Servers by the states into which the platform's statuses are grouped.",
          width: 14,
          stacked: true,
          queries: byState((matcher) => sumBy([], byZone(matcher))),
        }),
      ],
    },
    {
      title: 'Where',
      panels: [
        bars({
          title: 'Failed or unknown, by zone',
          description: 'The ten zones with the most servers that failed or whose status is not known.',
          width: 10,
          name: '{{cloud}} {{zone}}',
          queries: largestBars(['zone'], `${sumBy(zone, byZone(broken))} > 0`),
        }),
        lines({
          title: '${measure:text} by region',
          description:
            'The measure that is chosen at the top, of all servers, running or not: the ten largest regions, and the others together.',
          width: 14,
          stacked: true,
          queries: [
            ...measuredByRegion(''),
            ...measuredByRegion('_bytes').map((query) => ({ ...query, unit: 'bytes' as const })),
          ],
        }),
        table({
          title: 'By zone',
          description:
            'Servers and what they take up, by region and zone, the most vCPUs first. Servers that were never scheduled have neither.',
          height: 8,
          labels: zoneLabels,
          largestBy: ofZones('cloud_servers_vcpus'),
          columns: [
            { title: 'Servers', sum: ofZones('cloud_servers') },
            { title: 'Running', sum: sumBy(zone, byZone(running)) },
            { title: 'Failed, unknown', sum: sumBy(zone, byZone(broken)), steps: noneIsGood },
            { title: 'vCPUs', sum: ofZones('cloud_servers_vcpus') },
            { title: 'Memory', sum: ofZones('cloud_servers_memory_bytes'), unit: 'bytes' },
            { title: 'Disk', sum: ofZones('cloud_servers_disk_bytes'), unit: 'bytes' },
          ],
        }),
      ],
    },
    {
      title: 'Whole clouds, whatever region and zone are chosen',
      panels: [
        lines({
          title: 'Problems by kind',
          description: 'How many servers have which problem. The board Lifecycle names them.',
          height: 8,
          queries: byProblem(problems),
        }),
        table({
          title: 'By hypervisor',
          description: 'Servers by hypervisor or provider, the most first.',
          width: 12,
          height: 8,
          labels: { hypervisor: 'Hypervisor', cloud: 'Cloud' },
          largestBy: byHypervisor(),
          columns: [
            { title: 'Servers', sum: byHypervisor() },
            { title: 'Running', sum: byHypervisor(running) },
            { title: 'Failed, unknown', sum: byHypervisor(broken), steps: noneIsGood },
          ],
        }),
        table({
          title: 'Largest projects',
          description: 'The projects with the most vCPUs. A click on the name opens the page of the project.',
          height: 8,
          labels: projectLabels,
          largestBy: ofProjects('cloud_servers_vcpus'),
          columns: [
            { title: 'Servers', sum: ofProjects('cloud_servers') },
            {
              title: 'Failed, unknown',
              sum: sumBy(project, select('cloud_project_state:cloud_servers:sum', recordedOfCloud, broken)),
              steps: fewAreFine,
            },
            { title: 'vCPUs', sum: ofProjects('cloud_servers_vcpus') },
            { title: 'Memory', sum: ofProjects('cloud_servers_memory_bytes'), unit: 'bytes' },
            { title: 'Disk', sum: ofProjects('cloud_servers_disk_bytes'), unit: 'bytes' },
          ],
        }),
      ],
    },
    {
      title: 'Changes within a day, once there is a day of history',
      panels: [
        lines({
          title: 'Servers, and a day before',
          description: 'All servers, and as many as there were 24 hours earlier.',
          width: 10,
          height: 8,
          queries: [
            { expr: sumBy([], ofClouds), legend: 'now', colour: 'blue' },
            { expr: sumBy([], `${ofClouds} offset 1d`), legend: 'a day before', colour: 'purple' },
          ],
        }),
        table({
          title: 'Projects that changed most',
          description: 'How many servers more or fewer than 24 hours ago, the largest change first.',
          width: 14,
          height: 8,
          labels: projectLabels,
          largestBy: `abs(${projectChange}) > 0`,
          columns: [{ title: 'Servers', sum: projectChange }],
          nothing: 'no change known',
        }),
      ],
    },
  ],
};
