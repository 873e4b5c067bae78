import type { Board } from '../board.ts';
import { byState, lines } from '../lines.ts';
import { stat, type Drawing } from '../panels.ts';
import { gpu as query } from '../queries/gpu.ts';
import { largestFirst, table } from '../table.ts';
import { fewAreFine, shareOfFleet, type Steps } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import type { Unit } from '../units.ts';
import { model, placeVariables, top } from '../variables.ts';
import { holderRow } from './gpu-holders.ts';

function glance(title: string, description: string, expr: string, unit: Unit, steps?: Steps): Drawing {
  const nothing = unit === 'share' ? 'no devices' : 'not known';
  return stat({ title, description, unit, width: 8, height: 3, expr, nothing, ...(steps && { steps }) });
}

export const gpu: Board = {
  uid: 'cloud-gpu',
  title: 'Cloud: GPU',
  description: 'Devices by model and place, who holds them, and which are held by stopped servers.',
  variables: [...placeVariables, model, top],
  from: 'now-24h',
  rows: [
    trustRow,
    {
      title: 'At a glance',
      panels: [
        glance(
          'Devices',
          'GPUs and NPUs that are passed through to servers. The platform does not tell of free ones.',
          query.devices,
          'count',
        ),
        glance('In running servers', 'Devices whose server runs.', query.running, 'count'),
        glance(
          'Held by stopped servers',
          'Devices whose server is stopped: nobody can use them.',
          query.stopped,
          'count',
          fewAreFine,
        ),
        glance(
          'Share held in vain',
          'Devices of stopped servers, as a share of all.',
          query.stoppedShare,
          'share',
          shareOfFleet,
        ),
        glance(
          'Servers with devices',
          'Servers that the platform calls GPU servers; it does so for any device that is passed through.',
          query.servers,
          'count',
        ),
        glance('Projects', 'Projects that hold at least one device.', query.projects, 'count'),
      ],
    },
    {
      title: 'By model and place',
      panels: [
        lines({
          title: 'Devices by model',
          description: 'Devices of all servers, whatever their state.',
          unit: 'count',
          width: 12,
          height: 8,
          stacked: true,
          queries: [{ expr: query.byModel, legend: '{{model}}' }],
        }),
        lines({
          title: 'Devices by state of their server',
          description: 'Devices by the state of the server that holds them.',
          unit: 'count',
          width: 12,
          height: 8,
          stacked: true,
          queries: byState(query.byState),
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
          sortBy: largestFirst('Devices'),
        }),
      ],
    },
    holderRow,
  ],
};
