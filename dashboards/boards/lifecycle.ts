import type { Board } from '../board.ts';
import { stateColours } from '../colours.ts';
import { toHost } from '../links.ts';
import { byProblem, byState, lines } from '../lines.ts';
import { bars, stat, type Drawing } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { lifecycle as query } from '../queries/lifecycle.ts';
import { largestFirst, table } from '../table.ts';
import { noneOf, type Steps } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import { placeVariables, problem, top } from '../variables.ts';
import { endRows } from './lifecycle-ends.ts';

function glance(title: string, description: string, expr: string, steps?: Steps): Drawing {
  return stat({ title, description, unit: 'count', width: 6, height: 3, expr, ...(steps && { steps }) });
}

function trouble(title: string, kind: string, description: string): Drawing {
  return glance(title, description, query.count(kind), noneOf(kind));
}

export const lifecycle: Board = {
  uid: 'cloud-lifecycle',
  title: 'Cloud: Lifecycle',
  description: 'Which servers need attention, which end soon or have ended, and what waits to be deleted.',
  variables: [...placeVariables, problem, top],
  from: 'now-24h',
  rows: [
    trustRow,
    {
      title: 'At a glance: servers that are named',
      panels: [
        trouble('On dead hosts', 'host_down', 'Servers whose host is offline.'),
        trouble('Failed', 'failed', 'Servers that are broken or never came to be.'),
        trouble('Expired', 'expired', 'Servers past their end.'),
        trouble('Unknown', 'unknown', 'Servers whose status the platform does not know.'),
        trouble('Stuck', 'stuck', 'Servers in transition that have not changed for long.'),
        trouble('Standby down', 'standby_down', 'Servers whose standby host is offline.'),
        trouble('Task failed', 'task_failed', 'A task failed; the server most likely is as it was.'),
        trouble('Expiring', 'expiring', 'Servers that end soon (expiring_within, 7 days unless set).'),
        glance('Ends in a day', 'Servers without auto-renewal.', query.within('1d'), noneOf('expired')),
        glance(
          'Ends in 7 days',
          'Servers without auto-renewal, the nearer ones included.',
          query.within('7d'),
          noneOf('expiring'),
        ),
        glance(
          'Ends in 30 days',
          'Servers without auto-renewal, the nearer ones included.',
          query.within('30d'),
        ),
        glance(
          'In recycle bin',
          'Servers that wait to be deleted. Shown only if the exporter asks for them (query: pending_delete=all).',
          query.bin,
        ),
      ],
    },
    {
      title: 'Which ones',
      panels: [
        problemTable({ width: 24, height: 12, queries: query.problems }),
        table({
          title: 'Hosts that are down',
          description: 'Hosts that are offline, with the servers on them that are named.',
          width: 12,
          height: 8,
          labels: { host: 'Host', cloud: 'Cloud', zone: 'Zone' },
          columns: [{ title: 'Servers', expr: query.downHosts }],
          sortBy: largestFirst('Servers'),
          links: [toHost],
        }),
        bars({
          title: 'Not at rest, by status, now',
          description: "Servers that are neither running nor stopped, by the platform's own word.",
          unit: 'count',
          width: 12,
          height: 8,
          name: '{{status}}',
          queries: byState(query.byStatus).filter(
            ({ colour }) => colour !== stateColours.running && colour !== stateColours.stopped,
          ),
        }),
        lines({
          title: 'Problems by kind',
          description: 'True counts, also where not all are named. Filtered by cloud only.',
          unit: 'count',
          width: 24,
          height: 8,
          queries: byProblem(query.problemsByKind),
        }),
      ],
    },
    ...endRows,
  ],
};
