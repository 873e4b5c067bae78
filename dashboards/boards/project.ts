import type { Board } from '../board.ts';
import { noneIsGood, type Steps, type Unit } from '../look.ts';
import { bars, byState, lines, stat } from '../panels.ts';
import { gpuTypes, naming, ofPlace, once, orZero, sumBy, zone } from '../promql.ts';
import { problemTable } from '../problem-table.ts';
import { largestFirst, table } from '../table.ts';
import { trust } from '../trust.ts';
import { projectVariables } from '../variables.ts';

type Of = (...matchers: string[]) => string;
const servers: Of = (...matchers) => once('cloud_servers', ofPlace, ...matchers);
const vcpus: Of = (...matchers) => once('cloud_servers_vcpus', ofPlace, ...matchers);
const memory: Of = (...matchers) => once('cloud_servers_memory_bytes', ofPlace, ...matchers);
const disk: Of = (...matchers) => once('cloud_servers_disk_bytes', ofPlace, ...matchers);
const gpus: Of = (...matchers) => once('cloud_servers_devices', ofPlace, gpuTypes, ...matchers);

const stopped = 'state="stopped"';
const placeAndKind = [...zone, 'hypervisor'];

function glance(title: string, description: string, expr: string, unit: Unit, steps?: Steps) {
  return stat({ title, description, unit, width: 6, height: 3, expr, ...(steps && { steps }) });
}

function overTime(title: string, unit: Unit, what: string, of: Of) {
  const description = `${what} of its servers, by the state that these are in.`;
  const queries = byState((matcher) => sumBy([], of(matcher)));
  return lines({ title, description, unit, width: 12, height: 8, stacked: true, queries });
}

export const project: Board = {
  uid: 'cloud-project',
  title: 'Cloud: Project',
  description: 'The page of one project: what it has, how that changed, and what it holds without using it.',
  variables: projectVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        trust,
        glance('Servers', 'All servers of the project, in whatever state.', sumBy([], servers()), 'count'),
        glance('Running', 'Servers that run.', orZero(sumBy([], servers('state="running"'))), 'count'),
        glance(
          'Failed, unknown',
          'Servers that failed or whose status is not known.',
          orZero(sumBy([], servers('state=~"failed|unknown"'))),
          'count',
          noneIsGood,
        ),
        glance(
          'In recycle bin',
          'Servers that wait to be deleted and keep their disks.',
          orZero(sumBy([], servers('state="pending_deletion"'))),
          'count',
        ),
        glance('vCPUs', 'Virtual CPUs of all its servers.', sumBy([], vcpus()), 'count'),
        glance('Memory', 'Memory of all its servers.', sumBy([], memory()), 'bytes'),
        glance('Disk', 'Size of the disks of all its servers.', sumBy([], disk()), 'bytes'),
        glance('GPUs', 'GPUs and NPUs passed through to its servers.', orZero(sumBy([], gpus())), 'count'),
        problemTable({ height: 8, matchers: [ofPlace] }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Servers by status',
          description:
            "Servers by the platform's own word for their status, in the colour of its state: of each state the four most frequent.",
          unit: 'count',
          width: 14,
          height: 9,
          stacked: true,
          queries: byState(
            (matcher) => `topk(4, ${sumBy(['status'], servers(matcher))})`,
            () => '{{status}}',
          ),
        }),
        bars({
          title: 'Servers by zone, now',
          description: 'The ten zones with most of the servers of the project.',
          unit: 'count',
          width: 10,
          height: 9,
          queries: [{ expr: naming(['region', 'zone'], `sort_desc(topk(10, ${sumBy(zone, servers())}))`) }],
          name: '{{cloud}} {{zone}} ({{region}})',
        }),
        overTime('vCPUs by state', 'count', 'Virtual CPUs', vcpus),
        overTime('Memory by state', 'bytes', 'Memory', memory),
        overTime('Disk by state', 'bytes', 'Size of the disks', disk),
        lines({
          title: 'GPUs by model',
          description: 'The ten models of which it has most. Empty for a project without any.',
          unit: 'count',
          width: 12,
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
            'Stopped servers keep their disks and devices. The platform counts neither their vCPUs nor their memory, so that they may find no room when they are started.',
          width: 24,
          height: 5,
          labels: { zone: 'Zone', cloud: 'Cloud', region: 'Region', hypervisor: 'Hypervisor' },
          columns: (
            [
              ['Servers', servers, 'count'],
              ['vCPUs', vcpus, 'count'],
              ['Memory', memory, 'bytes'],
              ['Disk', disk, 'bytes'],
              ['GPUs', gpus, 'count'],
            ] as const
          ).map(([title, of, unit]) => ({ title, unit, expr: stoppedIn(of) })),
          sortBy: largestFirst('Disk'),
        }),
      ],
    },
  ],
};

function stoppedIn(of: Of): string {
  return sumBy(placeAndKind, of(stopped));
}
