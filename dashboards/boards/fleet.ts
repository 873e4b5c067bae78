import { alertTable } from '../alert-table.ts';
import type { Board } from '../board.ts';
import { toLifecycle } from '../links.ts';
import { noneIsGood, noneOf, problemOf } from '../look.ts';
import { byState, lines, stats } from '../panels.ts';
import {
  changeSince,
  maxBy,
  ofCloud,
  once,
  project,
  recordedOfCloud,
  recordedOfRegion,
  select,
  sumBy,
  zone,
} from '../promql.ts';
import { projectLabels, table, zoneLabels } from '../table.ts';
import { regionVariables } from '../variables.ts';

/** Recorded sums, so that the board is as quick with a million servers as with a hundred. */
const inZones = (metric: string) => select(`cloud_zone:${metric}:sum`, recordedOfRegion);
const ofZones = (metric: string) => maxBy(zone, inZones(metric));
const byZone = (...matchers: string[]) =>
  select('cloud_zone_state:cloud_servers:sum', recordedOfRegion, ...matchers);
const ofProjects = (metric: string) => maxBy(project, select(`cloud_project:${metric}:sum`, recordedOfCloud));
const ofClouds = select('cloud:cloud_servers:sum', recordedOfCloud);
/** Counted by the exporter for each cloud, also where not all servers are named. */
const problems = (kind: string) => sumBy([], once('cloud_server_problems', ofCloud, `problem="${kind}"`));

const broken = 'state=~"failed|unknown"';
const running = 'state="running"';
const projectChange = changeSince('1d', 'cloud_project:cloud_servers:sum', recordedOfCloud);
const uses = ['rules'] as const;

export const fleet: Board = {
  description:
    'Is all well, how many servers there are, where, and whose. It needs the recording rules of rules/recording.yml.',
  variables: regionVariables,
  from: 'now-6h',
  rows: [
    {
      panels: [
        stats({
          title: 'Servers that need attention, of all regions and zones',
          description:
            'How many there are of each kind of problem; a server can have several. "0 known" says that a chosen cloud is not read, and may have some. A click opens the board Lifecycle, which names them.',
          link: toLifecycle,
          tiles: ['host_down', 'failed', 'expired', 'stuck', 'task_failed', 'expiring'].map((kind) => ({
            name: problemOf(kind).words,
            steps: noneOf(kind),
            expr: `${problems(kind)} > 0`,
          })),
        }),
        alertTable,
        stats({
          title: 'All servers',
          description: 'Servers in whatever state, those that run, and the vCPUs, memory and disk of all.',
          uses,
          tiles: [
            { name: 'Servers', expr: sumBy([], inZones('cloud_servers')) },
            { name: 'Running', expr: sumBy([], byZone(running)) },
            { name: 'vCPUs', expr: sumBy([], inZones('cloud_servers_vcpus')) },
            { name: 'Memory', unit: 'bytes', expr: sumBy([], inZones('cloud_servers_memory_bytes')) },
            { name: 'Disk', unit: 'bytes', expr: sumBy([], inZones('cloud_servers_disk_bytes')) },
          ],
        }),
        lines({
          title: 'Servers by state',
          description: "Servers by the states into which the platform's statuses are grouped.",
          stacked: true,
          uses,
          queries: byState((matcher) => sumBy([], byZone(matcher))),
        }),
        lines({
          title: 'Servers, and a day before',
          description:
            'All servers of the chosen clouds, and as many as there were 24 hours earlier, once there is a day of history.',
          uses,
          queries: [
            { expr: sumBy([], ofClouds), legend: 'now', colour: 'blue' },
            { expr: sumBy([], `${ofClouds} offset 1d`), legend: 'a day before', colour: 'purple' },
          ],
        }),
        table({
          title: 'By zone',
          description:
            'Servers and what they take up, by region and zone, the most vCPUs first. Servers that were never scheduled have neither.',
          height: 8,
          labels: zoneLabels,
          largestBy: ofZones('cloud_servers_vcpus'),
          uses,
          nothing: 'No servers.',
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
      title: 'Projects, in all regions and zones',
      panels: [
        table({
          title: 'Largest projects',
          description: 'The projects with the most vCPUs. A click on the name opens the page of the project.',
          height: 8,
          labels: projectLabels,
          largestBy: ofProjects('cloud_servers_vcpus'),
          uses,
          nothing: 'No servers.',
          columns: [
            { title: 'Servers', sum: ofProjects('cloud_servers') },
            {
              title: 'Failed, unknown',
              sum: sumBy(project, select('cloud_project_state:cloud_servers:sum', recordedOfCloud, broken)),
              steps: noneIsGood,
            },
            { title: 'vCPUs', sum: ofProjects('cloud_servers_vcpus') },
            { title: 'Memory', sum: ofProjects('cloud_servers_memory_bytes'), unit: 'bytes' },
            { title: 'Disk', sum: ofProjects('cloud_servers_disk_bytes'), unit: 'bytes' },
          ],
        }),
        table({
          title: 'Projects that changed most within a day',
          description: 'How many servers more or fewer than 24 hours ago, the largest change first.',
          height: 8,
          labels: projectLabels,
          largestBy: `abs(${projectChange}) > 0`,
          uses,
          columns: [{ title: 'Servers', sum: `(${projectChange}) != 0` }],
          nothing: 'No change, or not yet a day of history.',
        }),
      ],
    },
  ],
};
