import type { Board } from '../board.ts';
import { freshness } from '../freshness.ts';
import { bars, lines, stat, type Drawing, type Unit } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { project as query } from '../queries/project.ts';
import { table } from '../table.ts';
import { noneIsGood, stateColours, type Steps } from '../thresholds.ts';
import { projectVariables } from '../variables.ts';

function glance(
  title: string,
  description: string,
  expr: string,
  unit: Unit = 'short',
  steps?: Steps,
): Drawing {
  return stat({ title, description, unit, width: 3, height: 4, expr, ...(steps && { steps }) });
}

export const project: Board = {
  uid: 'cloud-project',
  title: 'Cloud: Project',
  description: 'The page of one project: what it has, how that changed, and what it holds without using it.',
  variables: projectVariables,
  from: 'now-24h',
  rows: [
    {
      title: 'What it has',
      panels: [
        glance('Servers', 'All servers of the project, in whatever state.', query.servers),
        glance('Running', 'Servers that run.', query.running),
        glance(
          'Failed or unknown',
          'Servers that failed or whose status is not known.',
          query.failed,
          'short',
          noneIsGood,
        ),
        glance('vCPUs', 'Virtual CPUs of all its servers.', query.vcpus),
        glance('Memory', 'Memory of all its servers.', query.memory, 'bytes'),
        glance('Disk', 'Size of the disks of all its servers.', query.disk, 'bytes'),
        glance('GPUs', 'GPUs and NPUs passed through to its servers.', query.gpus),
        freshness({ width: 3, height: 4 }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Servers by status',
          description: "Servers by the platform's own word for their status.",
          unit: 'short',
          width: 16,
          height: 9,
          stacked: true,
          queries: [{ expr: query.byStatus, legend: '{{status}}' }],
        }),
        bars({
          title: 'Servers by zone, now',
          description: 'Where the servers of the project are.',
          unit: 'short',
          width: 8,
          height: 9,
          expr: query.byZone,
          legend: '{{region}} {{zone}}',
        }),
        lines({
          title: 'vCPUs by state',
          description: 'Virtual CPUs of its servers, by what state they are in.',
          unit: 'short',
          width: 6,
          height: 8,
          stacked: true,
          colours: stateColours,
          queries: [{ expr: query.vcpusByState, legend: '{{state}}' }],
        }),
        lines({
          title: 'Memory by state',
          description: 'Memory of its servers, by what state they are in.',
          unit: 'bytes',
          width: 6,
          height: 8,
          stacked: true,
          colours: stateColours,
          queries: [{ expr: query.memoryByState, legend: '{{state}}' }],
        }),
        lines({
          title: 'Disk by state',
          description: 'Size of the disks of its servers, by what state they are in.',
          unit: 'bytes',
          width: 6,
          height: 8,
          stacked: true,
          colours: stateColours,
          queries: [{ expr: query.diskByState, legend: '{{state}}' }],
        }),
        lines({
          title: 'GPUs by model',
          description: 'GPUs and NPUs passed through to its servers. Empty for a project without any.',
          unit: 'short',
          width: 6,
          height: 8,
          stacked: true,
          queries: [{ expr: query.gpusByModel, legend: '{{model}}' }],
        }),
      ],
    },
    {
      title: 'Share of the fleet',
      panels: [
        lines({
          title: 'Share of the fleet',
          description:
            'What part of all projects together, in the chosen clouds and places, is of this project.',
          unit: 'percentunit',
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
          sortBy: 'Disk',
        }),
      ],
    },
    {
      title: 'What needs a person',
      panels: [problemTable({ width: 24, height: 9, expr: query.problems })],
    },
  ],
};
