import type { Board } from '../board.ts';
import { freshness } from '../freshness.ts';
import { toProject } from '../links.ts';
import { bars, lines, stat, type Drawing } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import { lifecycle as query } from '../queries/lifecycle.ts';
import { table } from '../table.ts';
import { fewAreFine, noneIsGood, plain, type Steps } from '../thresholds.ts';
import { placeVariables, problem, top } from '../variables.ts';

function glance(title: string, description: string, expr: string, steps: Steps): Drawing {
  return stat({ title, description, unit: 'short', width: 4, height: 3, expr, steps });
}

export const lifecycle: Board = {
  uid: 'cloud-lifecycle',
  title: 'Cloud: Lifecycle',
  description: 'Which servers need a person, which end soon or have ended, and what waits to be deleted.',
  variables: [...placeVariables, problem, top],
  from: 'now-24h',
  rows: [
    {
      title: 'At a glance',
      panels: [
        glance('Failed', 'Servers whose status says that something failed.', query.failed, fewAreFine),
        glance('Stuck', 'Servers in transition that have not changed for long.', query.stuck, fewAreFine),
        glance('Unknown', 'Servers whose status the platform does not know.', query.unknown, fewAreFine),
        glance('On hosts that are down', 'Servers whose host is offline.', query.hostDown, noneIsGood),
        glance('Standby down', 'Servers whose standby host is offline.', query.standbyDown, fewAreFine),
        freshness({ width: 4, height: 3 }),
        glance('Expired', 'Servers past their end.', query.expired, noneIsGood),
        glance('End within a day', 'Servers without auto-renewal.', query.within['1d'], noneIsGood),
        glance(
          'End within 7 days',
          'Servers without auto-renewal, the nearer ones included.',
          query.within['7d'],
          fewAreFine,
        ),
        glance(
          'End within 30 days',
          'Servers without auto-renewal, the nearer ones included.',
          query.within['30d'],
          plain,
        ),
        glance(
          'Pending deletion',
          'Servers in the recycle bin. Shown only if the exporter asks for them (query: pending_delete=all).',
          query.pending,
          plain,
        ),
      ],
    },
    {
      title: 'Which ones',
      panels: [
        problemTable({ width: 24, height: 12, expr: query.problems }),
        table({
          title: 'Hosts that are down',
          description: 'Hosts that are offline, with the servers on them that are named.',
          width: 12,
          height: 7,
          labels: { cloud: 'Cloud', region: 'Region', zone: 'Zone', host: 'Host' },
          columns: [{ title: 'Servers', expr: query.downHosts }],
          sortBy: 'Servers',
        }),
        lines({
          title: 'Problems by kind',
          description: 'True counts, also where not all are named. Filtered by cloud only.',
          unit: 'short',
          width: 12,
          height: 7,
          queries: [{ expr: query.problemsByKind, legend: '{{problem}}' }],
        }),
      ],
    },
    {
      title: 'What ends',
      panels: [
        table({
          title: 'Ends soon, by project',
          description: 'Servers without auto-renewal. Each column has the nearer ones too.',
          width: 12,
          height: 9,
          labels: { cloud: 'Cloud', project_domain: 'Domain', project: 'Project' },
          columns: [
            { title: 'Within a day', expr: query.expiringByProject['1d'], steps: noneIsGood },
            { title: 'Within 7 days', expr: query.expiringByProject['7d'], steps: fewAreFine },
            { title: 'Within 30 days', expr: query.expiringByProject['30d'] },
          ],
          sortBy: 'Within 30 days',
          links: [toProject],
        }),
        lines({
          title: 'Ends soon',
          description: 'Servers without auto-renewal, by how soon they end.',
          unit: 'short',
          width: 12,
          height: 9,
          queries: [{ expr: query.expiringByWindow, legend: 'within {{within}}' }],
        }),
      ],
    },
    {
      title: 'What waits to be deleted',
      panels: [
        lines({
          title: 'Pending deletion',
          description: 'Servers in the recycle bin; they keep their disks until they are deleted for good.',
          unit: 'short',
          width: 12,
          height: 8,
          queries: [{ expr: query.pendingByCloud, legend: '{{cloud}}' }],
        }),
        bars({
          title: 'Pending deletion by project, now',
          description: 'The projects with the most servers in the recycle bin.',
          unit: 'short',
          width: 12,
          height: 8,
          expr: query.pendingByProject,
          legend: '{{project_domain}} / {{project}}',
        }),
      ],
    },
  ],
};
