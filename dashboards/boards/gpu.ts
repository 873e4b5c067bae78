import type { Board } from '../board.ts';
import { freshness } from '../freshness.ts';
import { toProject } from '../links.ts';
import { bars, lines, stat } from '../panels.ts';
import { gpu as query } from '../queries/gpu.ts';
import { table } from '../table.ts';
import { fewAreFine, shareOfFleet, stateColours } from '../thresholds.ts';
import { model, placeVariables, top } from '../variables.ts';

export const gpu: Board = {
  uid: 'cloud-gpu',
  title: 'Cloud: GPU',
  description: 'Devices by model and place, who holds them, and which are held by stopped servers.',
  variables: [...placeVariables, model, top],
  from: 'now-24h',
  rows: [
    {
      title: 'At a glance',
      panels: [
        stat({
          title: 'Devices',
          description:
            'GPUs and NPUs that are passed through to servers. The platform does not tell of free ones.',
          unit: 'short',
          width: 4,
          height: 4,
          expr: query.devices,
        }),
        stat({
          title: 'In running servers',
          description: 'Devices whose server runs.',
          unit: 'short',
          width: 4,
          height: 4,
          expr: query.running,
        }),
        stat({
          title: 'Held by stopped servers',
          description: 'Devices whose server is stopped: nobody can use them.',
          unit: 'short',
          width: 4,
          height: 4,
          steps: fewAreFine,
          expr: query.stopped,
        }),
        stat({
          title: 'Share held in vain',
          description: 'Devices of stopped servers, as a share of all.',
          unit: 'percentunit',
          width: 4,
          height: 4,
          steps: shareOfFleet,
          expr: query.stoppedShare,
        }),
        stat({
          title: 'Servers with devices',
          description:
            'Servers that the platform calls GPU servers; it does so for any device that is passed through.',
          unit: 'short',
          width: 3,
          height: 4,
          expr: query.servers,
        }),
        stat({
          title: 'Projects',
          description: 'Projects that hold at least one device.',
          unit: 'short',
          width: 2,
          height: 4,
          expr: query.projects,
        }),
        freshness({ width: 3, height: 4 }),
      ],
    },
    {
      title: 'By model and place',
      panels: [
        lines({
          title: 'Devices by model',
          description: 'Devices of all servers, whatever their state.',
          unit: 'short',
          width: 12,
          height: 8,
          stacked: true,
          queries: [{ expr: query.byModel, legend: '{{model}}' }],
        }),
        lines({
          title: 'Devices by state of their server',
          description: 'Devices by the state of the server that holds them.',
          unit: 'short',
          width: 12,
          height: 8,
          stacked: true,
          colours: stateColours,
          queries: [{ expr: query.byState, legend: '{{state}}' }],
        }),
        table({
          title: 'Where they are',
          description: 'Devices by model and zone, and how many projects share them.',
          width: 24,
          height: 9,
          labels: { model: 'Model', cloud: 'Cloud', region: 'Region', zone: 'Zone' },
          columns: [
            { title: 'Devices', expr: query.places.devices },
            { title: 'In running servers', expr: query.places.running },
            { title: 'Held by stopped servers', expr: query.places.stopped, steps: fewAreFine },
            { title: 'Projects', expr: query.places.projects },
          ],
          sortBy: 'Devices',
        }),
      ],
    },
    {
      title: 'Who holds them',
      panels: [
        bars({
          title: 'Projects with the most devices',
          description: 'Devices by project, the largest first.',
          unit: 'short',
          width: 8,
          height: 10,
          expr: query.holders,
          legend: '{{project_domain}} / {{project}}',
        }),
        table({
          title: 'Held by stopped servers',
          description:
            'Devices that could be given to somebody else: start the server, detach the device or delete it.',
          width: 16,
          height: 10,
          labels: {
            cloud: 'Cloud',
            project_domain: 'Domain',
            project: 'Project',
            region: 'Region',
            zone: 'Zone',
            model: 'Model',
            status: 'Status',
          },
          columns: [{ title: 'Devices', expr: query.heldByStopped }],
          sortBy: 'Devices',
          links: [toProject],
        }),
        lines({
          title: 'Held by stopped servers, by project',
          description: 'How long it has been so.',
          unit: 'short',
          width: 12,
          height: 8,
          stacked: true,
          queries: [{ expr: query.stoppedByProject, legend: '{{project_domain}} / {{project}}' }],
        }),
        table({
          title: 'Other devices',
          description: 'What else is passed through to servers: network cards, disks, USB.',
          width: 12,
          height: 8,
          labels: { dev_type: 'Type', model: 'Model', state: 'State' },
          columns: [{ title: 'Devices', expr: query.otherDevices }],
          sortBy: 'Devices',
        }),
      ],
    },
  ],
};
