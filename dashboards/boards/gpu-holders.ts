import type { Board } from '../board.ts';
import { toHost, toProject } from '../links.ts';
import { lines } from '../lines.ts';
import { bars } from '../panels.ts';
import { gpu as query } from '../queries/gpu.ts';
import { largestFirst, table } from '../table.ts';

const projectName = '{{cloud}} {{project_domain}} / {{project}}';

export const holderRow: Board['rows'][number] = {
  title: 'Who holds them',
  panels: [
    table({
      title: 'Held by stopped servers, by project',
      description:
        'Devices that could be given to somebody else: start the server, detach the device or delete it.',
      width: 24,
      height: 8,
      labels: {
        project: 'Project',
        model: 'Model',
        status: 'Status',
        zone: 'Zone',
        cloud: 'Cloud',
        project_domain: 'Domain',
      },
      columns: [{ title: 'Devices', expr: query.heldByStopped }],
      order: ['Project', 'Model', 'Devices'],
      sortBy: largestFirst('Devices'),
      links: [toProject],
    }),
    table({
      title: 'Stopped servers that hold devices, by name',
      description:
        'Only of clouds whose single servers are exported (per_server), and of any kind of device.',
      width: 24,
      height: 8,
      labels: {
        name: 'Server',
        project: 'Project',
        host: 'Host',
        status: 'Status',
        zone: 'Zone',
        cloud: 'Cloud',
        project_domain: 'Domain',
        id: 'Id',
      },
      columns: [{ title: 'Devices', expr: query.stoppedServers }],
      order: ['Server', 'Devices'],
      sortBy: largestFirst('Devices'),
      links: [toProject, toHost],
      nothing: 'none known: single servers are exported with per_server',
    }),
    bars({
      title: 'Projects with the most devices',
      description: 'Devices by project, the largest first.',
      unit: 'count',
      width: 12,
      height: 10,
      queries: [{ expr: query.holders }],
      name: projectName,
    }),
    lines({
      title: 'Held by stopped servers over time',
      description: 'How long it has been so, by project.',
      unit: 'count',
      width: 12,
      height: 10,
      stacked: true,
      queries: [{ expr: query.stoppedByProject, legend: projectName }],
    }),
    table({
      title: 'Other devices',
      description: 'What else is passed through to servers: network cards, disks, USB.',
      width: 24,
      height: 6,
      labels: { dev_type: 'Type', model: 'Model', state: 'State' },
      columns: [{ title: 'Devices', expr: query.otherDevices }],
      sortBy: largestFirst('Devices'),
    }),
  ],
};
