import type { Board } from '../board.ts';
import { toProject } from '../links.ts';
import { lines } from '../lines.ts';
import { bars } from '../panels.ts';
import { lifecycle as query } from '../queries/lifecycle.ts';
import { largestFirst, table } from '../table.ts';
import { noneOf } from '../thresholds.ts';

export const endRows: Board['rows'] = [
  {
    title: 'What ends, and when',
    panels: [
      table({
        title: 'Expired and expiring, by name',
        description:
          'Servers without auto-renewal that ended, or that end soon (expiring_within, 7 days unless set), with their dates.',
        width: 24,
        height: 9,
        labels: {
          name: 'Server',
          project: 'Project',
          cloud: 'Cloud',
          zone: 'Zone',
          project_domain: 'Domain',
          id: 'Id',
        },
        columns: [{ title: 'Ends', expr: query.ends, unit: 'date' }],
        order: ['Server', 'Ends'],
        sortBy: [{ title: 'Ends', descending: false }],
        links: [toProject],
      }),
      table({
        title: 'Ends soon, by project',
        description: 'Servers without auto-renewal. Each column has the nearer ones too.',
        width: 12,
        height: 9,
        labels: { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' },
        columns: [
          { title: 'Within a day', expr: query.expiringByProject['1d'], steps: noneOf('expired') },
          { title: 'Within 7 days', expr: query.expiringByProject['7d'], steps: noneOf('expiring') },
          { title: 'Within 30 days', expr: query.expiringByProject['30d'] },
        ],
        order: ['Project', 'Cloud', 'Within a day', 'Within 7 days', 'Within 30 days'],
        sortBy: largestFirst('Within 30 days'),
        links: [toProject],
      }),
      lines({
        title: 'Ends soon',
        description: 'Servers without auto-renewal, by how soon they end.',
        unit: 'count',
        width: 12,
        height: 9,
        queries: [
          { expr: query.expiringByWindow('1d'), legend: 'within a day', colour: 'orange' },
          { expr: query.expiringByWindow('7d'), legend: 'within 7 days', colour: 'yellow' },
          { expr: query.expiringByWindow('30d'), legend: 'within 30 days', colour: 'blue' },
        ],
      }),
    ],
  },
  {
    title: 'What waits to be deleted',
    panels: [
      lines({
        title: 'In the recycle bin',
        description: 'Servers in the recycle bin; they keep their disks until they are deleted for good.',
        unit: 'count',
        width: 12,
        height: 8,
        queries: [{ expr: query.binByCloud, legend: '{{cloud}}' }],
      }),
      bars({
        title: 'In the recycle bin by project, now',
        description: 'The projects with the most servers in the recycle bin.',
        unit: 'count',
        width: 12,
        height: 8,
        queries: [{ expr: query.binByProject }],
        name: '{{cloud}} {{project_domain}} / {{project}}',
      }),
    ],
  },
];
