import type { Board } from '../board.ts';
import { toProject } from '../links.ts';
import { byProblem, lines } from '../lines.ts';
import { fleet as query } from '../queries/fleet.ts';
import { largestFirst, table, type Table } from '../table.ts';
import { noneIsGood } from '../thresholds.ts';

const projectLabels = { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' };

function changes(title: string, description: string, expr: string, descending: boolean) {
  const frame: Table = {
    title,
    description,
    width: 12,
    height: 8,
    labels: projectLabels,
    columns: [{ title: 'Servers', expr }],
    sortBy: [{ title: 'Servers', descending }],
    links: [toProject],
    nothing: 'no change known',
  };
  return table(frame);
}

export const wholeCloudRows: Board['rows'] = [
  {
    title: 'Whole clouds, whatever region and zone are chosen',
    panels: [
      lines({
        title: 'Problems by kind',
        description: 'True counts of servers that need attention. The board Lifecycle names them.',
        unit: 'count',
        width: 12,
        height: 9,
        queries: byProblem(query.problemsByKind),
      }),
      table({
        title: 'By hypervisor',
        description: 'Servers by hypervisor or provider.',
        width: 12,
        height: 9,
        labels: { cloud: 'Cloud', hypervisor: 'Hypervisor' },
        columns: [
          { title: 'Servers', expr: query.hypervisors.servers },
          { title: 'Running', expr: query.hypervisors.running },
          { title: 'Failed or unknown', expr: query.hypervisors.failed, steps: noneIsGood },
        ],
        sortBy: largestFirst('Servers'),
      }),
      table({
        title: 'Largest projects',
        description: 'The projects with the most vCPUs. A click on the name opens the page of the project.',
        width: 24,
        height: 10,
        labels: projectLabels,
        columns: [
          { title: 'Servers', expr: query.topProjects.servers },
          { title: 'Failed or unknown', expr: query.topProjects.failed, steps: noneIsGood },
          { title: 'vCPUs', expr: query.topProjects.vcpus },
          { title: 'Memory', expr: query.topProjects.memory, unit: 'bytes' },
          { title: 'Disk', expr: query.topProjects.disk, unit: 'bytes' },
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
        width: 12,
        height: 8,
        queries: [
          { expr: query.today, legend: 'now', colour: 'blue' },
          { expr: query.yesterday, legend: 'a day before', colour: 'purple' },
        ],
      }),
      table({
        title: 'By state',
        description: 'How many servers more or fewer than 24 hours ago, in each state.',
        width: 12,
        height: 8,
        labels: { state: 'State', cloud: 'Cloud' },
        columns: [{ title: 'Servers', expr: query.changeByState }],
        sortBy: largestFirst('Servers'),
        nothing: 'no change known',
      }),
      changes('Projects that grew most', 'Projects with more servers than 24 hours ago.', query.grew, true),
      changes(
        'Projects that shrank most',
        'Projects with fewer servers than 24 hours ago.',
        query.shrank,
        false,
      ),
    ],
  },
];
