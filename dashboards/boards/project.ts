import type { Board } from '../board.ts';
import { noneIsGood } from '../look.ts';
import { byState, lines, stats } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { gpuTypes, largestLines, ofProject, once, sumBy, zone } from '../promql.ts';
import { table, zoneLabels } from '../table.ts';
import { projectVariables } from '../variables.ts';

type Of = (...matchers: string[]) => string;
const servers: Of = (...matchers) => once('cloud_servers', ofProject, ...matchers);
const vcpus: Of = (...matchers) => once('cloud_servers_vcpus', ofProject, ...matchers);
const memory: Of = (...matchers) => once('cloud_servers_memory_bytes', ofProject, ...matchers);
const disk: Of = (...matchers) => once('cloud_servers_disk_bytes', ofProject, ...matchers);
const gpus: Of = (...matchers) => once('cloud_servers_devices', ofProject, gpuTypes, ...matchers);

const total = (of: Of, ...matchers: string[]) => sumBy([], of(...matchers));
const inZones = (of: Of) => sumBy(zone, of());
const stopped = (of: Of) => sumBy([...zone, 'hypervisor'], of('state="stopped"'));

export const project: Board = {
  description: 'The page of one project: what it has, how that changed, and what it holds without using it.',
  variables: projectVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'Servers of the project',
          description:
            'All of them, those that run, those that failed, and those that wait to be deleted and keep their disks.',
          width: 12,
          tiles: [
            { name: 'Servers', expr: total(servers) },
            { name: 'Running', expr: total(servers, 'state="running"') },
            {
              name: 'Failed',
              steps: noneIsGood,
              expr: `${total(servers, 'state="failed"')} > 0`,
            },
            { name: 'Recycle bin', expr: total(servers, 'state="pending_deletion"') },
          ],
        }),
        stats({
          title: 'What they have',
          description:
            'Virtual CPUs, memory and disks of all its servers, running or not, and GPUs and NPUs passed through to them.',
          width: 12,
          tiles: [
            { name: 'vCPUs', expr: total(vcpus) },
            { name: 'Memory', unit: 'bytes', expr: total(memory) },
            { name: 'Disk', unit: 'bytes', expr: total(disk) },
            { name: 'GPUs', expr: total(gpus) },
          ],
        }),
        problemTable({ title: 'Servers that need attention', height: 8 }, ofProject),
        lines({
          title: 'Servers by state',
          description: "Servers of the project by the states into which the platform's statuses are grouped.",
          stacked: true,
          queries: byState((matcher) => sumBy([], servers(matcher))),
        }),
        lines({
          title: 'GPUs by model',
          description: 'The six models of which it has most.',
          stacked: true,
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], gpus())),
          nothing: 'The project has no GPUs',
        }),
        table({
          title: 'By zone',
          description: 'Where its servers are, the most first.',
          height: 7,
          labels: zoneLabels,
          largestBy: inZones(servers),
          columns: [
            { title: 'Servers', sum: inZones(servers) },
            { title: 'vCPUs', sum: inZones(vcpus) },
            { title: 'Memory', sum: inZones(memory), unit: 'bytes' },
            { title: 'Disk', sum: inZones(disk), unit: 'bytes' },
            { title: 'GPUs', sum: inZones(gpus) },
          ],
          nothing: 'The project has no servers.',
        }),
        table({
          title: 'Stopped servers, and what they hold',
          description:
            'Stopped servers keep their disks and devices. The platform counts neither their vCPUs nor their memory, so that they may find no host when they are started. The most disk first.',
          height: 7,
          labels: { ...zoneLabels, hypervisor: 'Hypervisor' },
          largestBy: stopped(disk),
          columns: [
            { title: 'Servers', sum: stopped(servers) },
            { title: 'vCPUs', sum: stopped(vcpus) },
            { title: 'Memory', sum: stopped(memory), unit: 'bytes' },
            { title: 'Disk', sum: stopped(disk), unit: 'bytes' },
            { title: 'GPUs', sum: stopped(gpus) },
          ],
          nothing: 'No server is stopped.',
        }),
      ],
    },
  ],
};
