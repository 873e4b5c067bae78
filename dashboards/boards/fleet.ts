import type { Board } from '../board.ts';
import { toLifecycle } from '../links.ts';
import { byState, lines } from '../lines.ts';
import { bars, stat, type Drawing } from '../panels.ts';
import { fleet as query } from '../queries/fleet.ts';
import { largestFirst, table } from '../table.ts';
import { noneIsGood, noneOf } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import type { Unit } from '../units.ts';
import { top, zoneVariables } from '../variables.ts';
import { wholeCloudRows } from './fleet-whole-clouds.ts';

const size = { width: 6, height: 3 } as const;

function trouble(title: string, problem: string, description: string, expr: string): Drawing {
  const steps = noneOf(problem);
  return stat({ title, description, unit: 'count', ...size, steps, link: toLifecycle, expr });
}

function amount(title: string, unit: Unit, description: string, expr: string): Drawing {
  return stat({ title, description, unit, ...size, expr });
}

function byRegion(title: string, unit: Unit, description: string, expr: string): Drawing {
  const queries = [{ expr, legend: '{{cloud}} {{region}}' }];
  return lines({ title, description, unit, width: 8, height: 8, stacked: true, queries });
}

export const fleet: Board = {
  uid: 'cloud-fleet',
  title: 'Cloud: Fleet',
  description:
    'Is all well, how many servers there are, where, and whose. It needs the recording rules of rules/recording.yml.',
  variables: [...zoneVariables, top],
  from: 'now-6h',
  rows: [
    trustRow,
    {
      title: 'Is all well?',
      panels: [
        trouble('Failed', 'failed', 'Servers that are broken or never came to be.', query.failed),
        trouble(
          'Stuck',
          'stuck',
          'Servers in transition that have not changed for long (stuck_after, 1 hour unless set). Of the whole clouds.',
          query.stuck,
        ),
        trouble(
          'On dead hosts',
          'host_down',
          'Servers whose host is offline. Of the whole clouds.',
          query.onDeadHosts,
        ),
        trouble('Expired', 'expired', 'Servers past their end. Of the whole clouds.', query.expired),
        amount('Servers', 'count', 'All servers, in whatever state.', query.servers),
        amount('Running', 'share', 'Share of all servers that run.', query.runningShare),
        amount('vCPUs', 'count', 'Virtual CPUs of all servers, running or not.', query.vcpus),
        amount('Memory', 'bytes', 'Memory of all servers, running or not.', query.memory),
      ],
    },
    {
      title: 'Servers',
      panels: [
        lines({
          title: 'Servers by state',
          description: "Servers by the states into which the platform's statuses are grouped.",
          unit: 'count',
          width: 12,
          height: 9,
          stacked: true,
          queries: byState(query.byState),
        }),
        bars({
          title: 'Failed or unknown by zone, now',
          description: 'Zones with the most servers that failed or whose status is not known.',
          unit: 'count',
          width: 12,
          height: 9,
          queries: [{ expr: query.troubleByZone }],
          name: '{{cloud}} {{region}} {{zone}}',
        }),
        byRegion(
          'vCPUs by region',
          'count',
          'Virtual CPUs of all servers, running or not.',
          query.vcpusByRegion,
        ),
        byRegion('Memory by region', 'bytes', 'Memory of all servers, running or not.', query.memoryByRegion),
        byRegion('Disk by region', 'bytes', 'Size of the disks of all servers.', query.diskByRegion),
        table({
          title: 'By zone',
          description:
            'Servers and what they take up, by region and zone. Servers that were never scheduled have neither.',
          width: 24,
          height: 9,
          labels: { cloud: 'Cloud', region: 'Region', zone: 'Zone' },
          columns: [
            { title: 'Servers', expr: query.zones.servers },
            { title: 'Running', expr: query.zones.running },
            { title: 'Failed or unknown', expr: query.zones.failed, steps: noneIsGood },
            { title: 'vCPUs', expr: query.zones.vcpus },
            { title: 'Memory', expr: query.zones.memory, unit: 'bytes' },
            { title: 'Disk', expr: query.zones.disk, unit: 'bytes' },
          ],
          sortBy: largestFirst('vCPUs'),
        }),
      ],
    },
    ...wholeCloudRows,
  ],
};
