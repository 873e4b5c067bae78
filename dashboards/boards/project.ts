import type { Board } from '../board.ts';
import { byState, lines } from '../lines.ts';
import { bars, stat, type Drawing, type Query } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { project as query } from '../queries/project.ts';
import { largestFirst, table } from '../table.ts';
import { noneIsGood, type Steps } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import type { Unit } from '../units.ts';
import { projectVariables } from '../variables.ts';

function glance(title: string, description: string, expr: string, unit: Unit, steps?: Steps): Drawing {
  return stat({ title, description, unit, width: 6, height: 3, expr, ...(steps && { steps }) });
}

function overTime(title: string, unit: Unit, description: string, queries: readonly Query[]): Drawing {
  return lines({ title, description, unit, width: 12, height: 8, stacked: true, queries });
}

export const project: Board = {
  uid: 'cloud-project',
  title: 'Cloud: Project',
  description: 'The page of one project: what it has, how that changed, and what it holds without using it.',
  variables: projectVariables,
  from: 'now-24h',
  rows: [
    trustRow,
    {
      title: 'What it has',
      panels: [
        glance('Servers', 'All servers of the project, in whatever state.', query.servers, 'count'),
        glance('Running', 'Servers that run.', query.running, 'count'),
        glance(
          'Failed, unknown',
          'Servers that failed or whose status is not known.',
          query.failed,
          'count',
          noneIsGood,
        ),
        glance('In recycle bin', 'Servers that wait to be deleted and keep their disks.', query.bin, 'count'),
        glance('vCPUs', 'Virtual CPUs of all its servers.', query.vcpus, 'count'),
        glance('Memory', 'Memory of all its servers.', query.memory, 'bytes'),
        glance('Disk', 'Size of the disks of all its servers.', query.disk, 'bytes'),
        glance('GPUs', 'GPUs and NPUs passed through to its servers.', query.gpus, 'count'),
      ],
    },
    {
      title: 'What needs attention',
      panels: [problemTable({ width: 24, height: 8, queries: query.problems })],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Servers by status',
          description: "Servers by the platform's own word for their status, in the colour of its state.",
          unit: 'count',
          width: 14,
          height: 9,
          stacked: true,
          queries: byState(query.byStatus, () => '{{status}}'),
        }),
        bars({
          title: 'Servers by zone, now',
          description: 'Where the servers of the project are.',
          unit: 'count',
          width: 10,
          height: 9,
          queries: [{ expr: query.byZone }],
          name: '{{cloud}} {{region}} {{zone}}',
        }),
        overTime(
          'vCPUs by state',
          'count',
          'Virtual CPUs of its servers, by the state that these are in.',
          byState(query.vcpusByState),
        ),
        overTime(
          'Memory by state',
          'bytes',
          'Memory of its servers, by the state that these are in.',
          byState(query.memoryByState),
        ),
        overTime(
          'Disk by state',
          'bytes',
          'Size of the disks of its servers, by the state that these are in.',
          byState(query.diskByState),
        ),
        overTime(
          'GPUs by model',
          'count',
          'GPUs and NPUs passed through to its servers. Empty for a project without any.',
          [{ expr: query.gpusByModel, legend: '{{model}}' }],
        ),
        lines({
          title: 'Share of the fleet',
          description:
            'What part of all projects together, in the chosen clouds and places, is of this project.',
          unit: 'share',
          width: 24,
          height: 8,
          queries: [
            { expr: query.shares.servers, legend: 'servers' },
            { expr: query.shares.vcpus, legend: 'vCPUs' },
            { expr: query.shares.memory, legend: 'memory' },
            { expr: query.shares.disk, legend: 'disk' },
            { expr: query.shares.gpus, legend: 'GPUs' },
          ],
        }),
      ],
    },
    {
      title: 'Stopped, but still holding',
      panels: [
        table({
          title: 'Stopped servers and what they hold',
          description:
            'Stopped servers keep their disks and devices, and on most hypervisors a claim to their vCPUs and memory.',
          width: 24,
          height: 8,
          labels: {
            cloud: 'Cloud',
            region: 'Region',
            zone: 'Zone',
            hypervisor: 'Hypervisor',
            status: 'Status',
          },
          columns: [
            { title: 'Servers', expr: query.stopped.servers },
            { title: 'vCPUs', expr: query.stopped.vcpus },
            { title: 'Memory', expr: query.stopped.memory, unit: 'bytes' },
            { title: 'Disk', expr: query.stopped.disk, unit: 'bytes' },
            { title: 'GPUs', expr: query.stopped.gpus },
          ],
          sortBy: largestFirst('Disk'),
        }),
      ],
    },
  ],
};
