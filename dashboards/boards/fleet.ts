import type { Board } from '../board.ts';
import { toLifecycle, toProject } from '../links.ts';
import { fewAreFine, noneIsGood, noneOf, problemOf, type Unit } from '../look.ts';
import { alertList, bars, byProblem, byState, lines, stat, stats, type Tile } from '../panels.ts';
import {
  changeSince,
  largest,
  largestLines,
  maxBy,
  naming,
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
import { largestFirst, table } from '../table.ts';
import { trust } from '../trust.ts';
import { measure, zoneVariables } from '../variables.ts';

/** Recorded sums, so that the board is as quick with a million servers as with a hundred. */
const inZones = (metric: string) => select(`cloud_zone:${metric}:sum`, recordedOfZone);
const byZone = (...matchers: string[]) =>
  select('cloud_zone_state:cloud_servers:sum', recordedOfZone, ...matchers);
const byHypervisor = (...matchers: string[]) =>
  select('cloud_hypervisor_state:cloud_servers:sum', recordedOfCloud, ...matchers);
const ofProjects = (metric: string) => maxBy(project, select(`cloud_project:${metric}:sum`, recordedOfCloud));
const ofClouds = select('cloud:cloud_servers:sum', recordedOfCloud);
/** Counted by the exporter for each cloud, also where not all servers are named. */
const problems = (...matchers: string[]) => sumBy([], once('cloud_server_problems', ofCloud, ...matchers));

const broken = 'state=~"failed|unknown"';
const running = 'state="running"';

const zones = largest(['zone', 'cloud', 'region'], maxBy(zone, inZones('cloud_servers_vcpus')));
const hypervisors = largest(['hypervisor', 'cloud'], sumBy(['cloud', 'hypervisor'], byHypervisor()));
const projects = largest(['project', 'cloud', 'project_domain'], ofProjects('cloud_servers_vcpus'));
const projectChange = changeSince('1d', 'cloud_project:cloud_servers:sum', recordedOfCloud);
const changed = largest(['project', 'cloud', 'project_domain'], `abs(${projectChange}) > 0`);

const projectLabels = { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' };

function trouble(kind: string): Tile {
  const matcher = `problem="${kind}"`;
  return { name: problemOf(kind).words, steps: noneOf(kind), expr: orZero(problems(matcher)) };
}

function amount(title: string, unit: Unit, description: string, expr: string) {
  return stat({ title, description, unit, width: 6, height: 3, expr });
}

/** The chosen measure, if it is one that is written in this way: only one of these sums is recorded. */
function measuredByRegion(ending: '' | '_bytes') {
  const chosen = sumBy(['cloud', 'region'], inZones(`\${measure}${ending}`));
  return largestLines(['cloud', 'region'], '{{cloud}} {{region}}', chosen);
}

export const fleet: Board = {
  uid: 'cloud-fleet',
  title: 'Cloud: Fleet',
  description:
    'Is all well, how many servers there are, where, and whose. It needs the recording rules of rules/recording.yml.',
  variables: [...zoneVariables, measure],
  from: 'now-6h',
  rows: [
    {
      panels: [
        trust,
        stats({
          title: 'Servers that need attention, in whole clouds',
          description:
            'How many there are of each kind of problem; a server can have several. A click opens the board Lifecycle, which names them.',
          unit: 'count',
          width: 24,
          height: 3,
          link: toLifecycle,
          tiles: ['host_down', 'failed', 'expired', 'stuck', 'task_failed', 'expiring'].map(trouble),
        }),
        amount('Servers', 'count', 'All servers, in whatever state.', sumBy([], inZones('cloud_servers'))),
        amount('Running', 'count', 'Servers that run.', orZero(sumBy([], byZone(running)))),
        amount(
          'vCPUs',
          'count',
          'Virtual CPUs of all servers, running or not.',
          sumBy([], inZones('cloud_servers_vcpus')),
        ),
        amount(
          'Memory',
          'bytes',
          'Memory of all servers, running or not.',
          sumBy([], inZones('cloud_servers_memory_bytes')),
        ),
        alertList({
          title: 'Firing alerts',
          description:
            'Alerts of this product that fire now, for the chosen clouds. It is empty, too, where the rules are not loaded or Grafana may not read them.',
          width: 10,
          height: 9,
        }),
        lines({
          title: 'Servers by state',
          description: "Servers by the states into which the platform's statuses are grouped.",
          unit: 'count',
          width: 14,
          height: 9,
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
          unit: 'count',
          width: 10,
          height: 9,
          queries: [
            {
              expr: naming(['region', 'zone'], `sort_desc(topk(10, ${sumBy(zone, byZone(broken))} > 0))`),
            },
          ],
          name: '{{cloud}} {{zone}} ({{region}})',
        }),
        lines({
          title: '${measure:text} by region',
          description:
            'The measure that is chosen at the top, of all servers, running or not: the ten largest regions, and the others together.',
          unit: 'count',
          width: 14,
          height: 9,
          stacked: true,
          legend: 'beside',
          queries: [
            ...measuredByRegion(''),
            ...measuredByRegion('_bytes').map((query) => ({
              ...query,
              unit: 'bytes' as const,
            })),
          ],
        }),
        table({
          title: 'By zone',
          description:
            'Servers and what they take up, by region and zone, the most vCPUs first. Servers that were never scheduled have neither.',
          width: 24,
          height: 8,
          labels: { zone: 'Zone', cloud: 'Cloud', region: 'Region' },
          columns: [
            { title: 'Servers', expr: zones.sum(maxBy(zone, inZones('cloud_servers'))) },
            { title: 'Running', expr: zones.sum(sumBy(zone, byZone(running))) },
            { title: 'Failed or unknown', expr: zones.sum(sumBy(zone, byZone(broken))), steps: noneIsGood },
            { title: 'vCPUs', expr: zones.sum(maxBy(zone, inZones('cloud_servers_vcpus'))) },
            {
              title: 'Memory',
              expr: zones.sum(maxBy(zone, inZones('cloud_servers_memory_bytes'))),
              unit: 'bytes',
            },
            {
              title: 'Disk',
              expr: zones.sum(maxBy(zone, inZones('cloud_servers_disk_bytes'))),
              unit: 'bytes',
            },
          ],
          sortBy: largestFirst('vCPUs'),
        }),
      ],
    },
    {
      title: 'Whole clouds, whatever region and zone are chosen',
      panels: [
        lines({
          title: 'Problems by kind',
          description: 'How many servers have which problem. The board Lifecycle names them.',
          unit: 'count',
          width: 12,
          height: 8,
          queries: byProblem(problems),
        }),
        table({
          title: 'By hypervisor',
          description: 'Servers by hypervisor or provider.',
          width: 12,
          height: 8,
          labels: { hypervisor: 'Hypervisor', cloud: 'Cloud' },
          columns: [
            { title: 'Servers', expr: hypervisors.sum(sumBy(['cloud', 'hypervisor'], byHypervisor())) },
            {
              title: 'Running',
              expr: hypervisors.sum(sumBy(['cloud', 'hypervisor'], byHypervisor(running))),
            },
            {
              title: 'Failed or unknown',
              expr: hypervisors.sum(sumBy(['cloud', 'hypervisor'], byHypervisor(broken))),
              steps: noneIsGood,
            },
          ],
          sortBy: largestFirst('Servers'),
        }),
        table({
          title: 'Largest projects',
          description: 'The projects with the most vCPUs. A click on the name opens the page of the project.',
          width: 24,
          height: 8,
          labels: projectLabels,
          columns: [
            { title: 'Servers', expr: projects.sum(ofProjects('cloud_servers')) },
            {
              title: 'Failed or unknown',
              expr: projects.sum(
                sumBy(project, select('cloud_project_state:cloud_servers:sum', recordedOfCloud, broken)),
              ),
              steps: fewAreFine,
            },
            { title: 'vCPUs', expr: projects.sum(ofProjects('cloud_servers_vcpus')) },
            {
              title: 'Memory',
              expr: projects.sum(ofProjects('cloud_servers_memory_bytes')),
              unit: 'bytes',
            },
            { title: 'Disk', expr: projects.sum(ofProjects('cloud_servers_disk_bytes')), unit: 'bytes' },
          ],
          sortBy: largestFirst('vCPUs'),
          links: [toProject],
        }),
      ],
    },
    {
      title: 'Changes within a day, once there is a day of history',
      panels: [
        lines({
          title: 'Servers, and a day before',
          description: 'All servers, and as many as there were 24 hours earlier.',
          unit: 'count',
          width: 10,
          height: 8,
          queries: [
            { expr: sumBy([], ofClouds), legend: 'now', colour: 'blue' },
            { expr: sumBy([], `${ofClouds} offset 1d`), legend: 'a day before', colour: 'purple' },
          ],
        }),
        table({
          title: 'Projects that changed most',
          description: 'How many servers more or fewer than 24 hours ago.',
          width: 14,
          height: 8,
          labels: projectLabels,
          columns: [{ title: 'Servers', expr: changed.sum(projectChange) }],
          sortBy: largestFirst('Servers'),
          links: [toProject],
          nothing: 'no change known',
        }),
      ],
    },
  ],
};
