import type { Board } from '../board.ts';
import { freshness } from '../freshness.ts';
import { bars, lines, stat } from '../panels.ts';
import { toProject } from '../links.ts';
import { fleet as query } from '../queries/fleet.ts';
import { table, type Column } from '../table.ts';
import { fewAreFine, noneIsGood, stateColours } from '../thresholds.ts';
import { placeVariables, top } from '../variables.ts';

/** The columns of a table of sums. */
function sumColumns(sums: typeof query.zones): Column[] {
  return [
    { title: 'Servers', expr: sums.servers },
    { title: 'Running', expr: sums.running },
    { title: 'Failed or unknown', expr: sums.failed, steps: noneIsGood },
    { title: 'vCPUs', expr: sums.vcpus },
    { title: 'Memory', expr: sums.memory, unit: 'bytes' },
    { title: 'Disk', expr: sums.disk, unit: 'bytes' },
  ];
}

export const fleet: Board = {
  uid: 'cloud-fleet',
  title: 'Cloud: Fleet',
  description: 'Is all well, how many servers there are, where, and whose.',
  variables: [...placeVariables, top],
  from: 'now-6h',
  rows: [
    {
      title: 'Is all well?',
      panels: [
        stat({
          title: 'Clouds down',
          description:
            'Clouds whose latest collection failed; their last good numbers are shown for a few minutes.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: noneIsGood,
          expr: query.cloudsDown,
        }),
        stat({
          title: 'Failed',
          description: 'Servers whose status says that something failed.',
          unit: 'short',
          width: 3,
          height: 4,
          steps: fewAreFine,
          expr: query.failed,
        }),
        stat({
          title: 'Stuck',
          description:
            'Servers in transition that have not changed for long (stuck_after, 1 hour unless set).',
          unit: 'short',
          width: 3,
          height: 4,
          steps: fewAreFine,
          expr: query.stuck,
        }),
        stat({
          title: 'Hosts down',
          description: 'Hosts that are offline with servers on them.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: noneIsGood,
          expr: query.hostsDown,
        }),
        freshness({ width: 4, height: 4 }),
        stat({
          title: 'Servers',
          description: 'All servers, in whatever state.',
          unit: 'short',
          width: 3,
          height: 4,
          expr: query.servers,
        }),
        stat({
          title: 'Running',
          description: 'Share of all servers that run.',
          unit: 'percentunit',
          width: 3,
          height: 4,
          expr: query.runningShare,
        }),
      ],
    },
    {
      title: 'Servers',
      panels: [
        lines({
          title: 'Servers by state',
          description: "Servers by the five states into which the platform's statuses are grouped.",
          unit: 'short',
          width: 12,
          height: 9,
          stacked: true,
          colours: stateColours,
          queries: [{ expr: query.byState, legend: '{{state}}' }],
        }),
        bars({
          title: 'Servers by status, now',
          description: "Servers by the platform's own word for their status.",
          unit: 'short',
          width: 6,
          height: 9,
          expr: query.byStatus,
          legend: '{{status}}',
        }),
        bars({
          title: 'Failed or unknown by zone, now',
          description: 'Zones with the most servers that failed or whose status is not known.',
          unit: 'short',
          width: 6,
          height: 9,
          expr: query.troubleByZone,
          legend: '{{region}} {{zone}}',
        }),
        lines({
          title: 'Problems by kind',
          description:
            'True counts of servers that need a person. Filtered by cloud only. The board Lifecycle names them.',
          unit: 'short',
          width: 24,
          height: 7,
          queries: [{ expr: query.problemsByKind, legend: '{{problem}}' }],
        }),
      ],
    },
    {
      title: 'Capacity in use',
      panels: [
        lines({
          title: 'vCPUs by region',
          description: 'Virtual CPUs of all servers, running or not.',
          unit: 'short',
          width: 8,
          height: 8,
          stacked: true,
          queries: [{ expr: query.vcpusByRegion, legend: '{{region}}' }],
        }),
        lines({
          title: 'Memory by region',
          description: 'Memory of all servers, running or not.',
          unit: 'bytes',
          width: 8,
          height: 8,
          stacked: true,
          queries: [{ expr: query.memoryByRegion, legend: '{{region}}' }],
        }),
        lines({
          title: 'Disk by region',
          description: 'Size of the disks of all servers, running or not.',
          unit: 'bytes',
          width: 8,
          height: 8,
          stacked: true,
          queries: [{ expr: query.diskByRegion, legend: '{{region}}' }],
        }),
        table({
          title: 'By zone',
          description:
            'Servers and what they take up, by region and zone. Servers that were never scheduled have neither.',
          width: 24,
          height: 9,
          labels: { cloud: 'Cloud', region: 'Region', zone: 'Zone' },
          columns: sumColumns(query.zones),
          sortBy: 'vCPUs',
        }),
        table({
          title: 'By hypervisor',
          description: 'Servers and what they take up, by hypervisor or provider.',
          width: 24,
          height: 8,
          labels: { cloud: 'Cloud', hypervisor: 'Hypervisor' },
          columns: sumColumns(query.hypervisors),
          sortBy: 'vCPUs',
        }),
        table({
          title: 'Largest projects',
          description: 'The projects with the most vCPUs. A click on the name opens the page of the project.',
          width: 24,
          height: 10,
          labels: { cloud: 'Cloud', project_domain: 'Domain', project: 'Project' },
          columns: sumColumns(query.topProjects),
          sortBy: 'vCPUs',
          links: [toProject],
        }),
      ],
    },
    {
      title: 'Changes within a day',
      panels: [
        lines({
          title: 'Servers, and a day before',
          description: 'All servers, and as many as there were 24 hours earlier.',
          unit: 'short',
          width: 10,
          height: 8,
          queries: [
            { expr: query.today, legend: 'now' },
            { expr: query.yesterday, legend: 'a day before' },
          ],
        }),
        table({
          title: 'By state',
          description: 'How many servers more or fewer than 24 hours ago.',
          width: 5,
          height: 8,
          labels: { state: 'State' },
          columns: [{ title: 'Change', expr: query.changeByState }],
          sortBy: 'Change',
        }),
        table({
          title: 'Projects that changed most',
          description: 'Projects with the largest difference in servers to 24 hours ago.',
          width: 9,
          height: 8,
          labels: { cloud: 'Cloud', project_domain: 'Domain', project: 'Project' },
          columns: [{ title: 'Change', expr: query.changeByProject }],
          sortBy: 'Change',
          links: [toProject],
        }),
      ],
    },
  ],
};
