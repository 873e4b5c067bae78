import type { Board } from '../board.ts';
import { noneIsGood, type Unit } from '../look.ts';
import { bars, byState, lines, stat } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { gpuTypes, largestBars, ofPlace, once, orZero, sumBy, zone } from '../promql.ts';
import { table, zoneLabels } from '../table.ts';
import { projectVariables } from '../variables.ts';

type Of = (...matchers: string[]) => string;
const servers: Of = (...matchers) => once('cloud_servers', ofPlace, ...matchers);
const vcpus: Of = (...matchers) => once('cloud_servers_vcpus', ofPlace, ...matchers);
const memory: Of = (...matchers) => once('cloud_servers_memory_bytes', ofPlace, ...matchers);
const disk: Of = (...matchers) => once('cloud_servers_disk_bytes', ofPlace, ...matchers);
const gpus: Of = (...matchers) => once('cloud_servers_devices', ofPlace, gpuTypes, ...matchers);

const count = (...matchers: string[]) => orZero(sumBy([], servers(...matchers)));
const stopped = (of: Of) => sumBy([...zone, 'hypervisor'], of('state="stopped"'));

function overTime(title: string, unit: Unit, what: string, of: Of) {
  const description = `${what} of its servers, by the state that these are in.`;
  const queries = byState((matcher) => sumBy([], of(matcher)));
  return lines({ title, description, unit, height: 8, stacked: true, queries });
}

export const project: Board = {
  description: 'The page of one project: what it has, how that changed, and what it holds without using it.',
  variables: projectVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        stat('Servers', 'All servers of the project, in whatever state.', sumBy([], servers())),
        stat('Running', 'Servers that run.', count('state="running"')),
        stat(
          'Failed, unknown',
          'Servers that failed or whose status is not known.',
          count('state=~"failed|unknown"'),
          { steps: noneIsGood },
        ),
        stat(
          'In recycle bin',
          'Servers that wait to be deleted and keep their disks.',
          count('state="pending_deletion"'),
        ),
        stat('vCPUs', 'Virtual CPUs of all its servers.', sumBy([], vcpus())),
        stat('Memory', 'Memory of all its servers.', sumBy([], memory()), { unit: 'bytes' }),
        stat('Disk', 'Size of the disks of all its servers.', sumBy([], disk()), { unit: 'bytes' }),
        stat('GPUs', 'GPUs and NPUs passed through to its servers.', orZero(sumBy([], gpus()))),
        problemTable(8, ofPlace),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Servers by status',
          description:
            "Servers by the platform's own word for their status, in the colour of its state: of each state the four most frequent.",
          width: 14,
          stacked: true,
          queries: byState(
            (matcher) => `topk(4, ${sumBy(['status'], servers(matcher))})`,
            () => '{{status}}',
          ),
        }),
        bars({
          title: 'Servers by zone, now',
          description: 'The ten zones with most of the servers of the project.',
          width: 10,
          name: '{{cloud}} {{zone}}',
          queries: largestBars(['zone'], sumBy(zone, servers())),
        }),
        overTime('vCPUs by state', 'count', 'Virtual CPUs', vcpus),
        overTime('Memory by state', 'bytes', 'Memory', memory),
        overTime('Disk by state', 'bytes', 'Size of the disks', disk),
        lines({
          title: 'GPUs by model',
          description: 'The ten models of which it has most. Empty for a project without any.',
          height: 8,
          stacked: true,
          queries: [{ expr: `topk(10, ${sumBy(['model'], gpus())})`, legend: '{{model}}' }],
        }),
      ],
    },
    {
      title: 'Stopped, but still holding',
      panels: [
        table({
          title: 'Stopped servers and what they hold',
          description:
            'Stopped servers keep their disks and devices. The platform counts neither their vCPUs nor their memory, so that they may find no room when they are started. The most disk first.',
          height: 5,
          labels: { ...zoneLabels, hypervisor: 'Hypervisor' },
          largestBy: stopped(disk),
          columns: [
            { title: 'Servers', sum: stopped(servers) },
            { title: 'vCPUs', sum: stopped(vcpus) },
            { title: 'Memory', sum: stopped(memory), unit: 'bytes' },
            { title: 'Disk', sum: stopped(disk), unit: 'bytes' },
            { title: 'GPUs', sum: stopped(gpus) },
          ],
        }),
      ],
    },
  ],
};
