import type { Board } from '../board.ts';
import { byState, lines } from '../lines.ts';
import { stat, type Drawing } from '../panels.ts';
import { hosts as query } from '../queries/host.ts';
import { fewAreFine, noneIsGood, type Steps } from '../thresholds.ts';
import { trustRow } from '../trust.ts';
import type { Unit } from '../units.ts';
import { hostVariables, serverSize, top } from '../variables.ts';
import { hostTables, zoneTable } from './host-tables.ts';

const notTold = 'hosts not told';

function glance(title: string, unit: Unit, description: string, expr: string, steps?: Steps): Drawing {
  const look = { width: 6, height: 3, nothing: notTold, ...(steps && { steps }) };
  return stat({ title, description, unit, expr, ...look });
}

function leftOver(title: string, unit: Unit, description: string, expr: string): Drawing {
  const queries = [{ expr, legend: '{{cloud}} {{region}} {{zone}}' }];
  return lines({ title, description, unit, width: 12, height: 8, queries, nothing: notTold });
}

export const host: Board = {
  uid: 'cloud-host',
  title: 'Cloud: Host',
  description:
    'How much room is left, and where; which hosts are full, down or disabled. What is left needs the recording rules, and a token that may read hosts.',
  variables: [...hostVariables, ...serverSize, top],
  from: 'now-24h',
  rows: [
    trustRow,
    {
      title: 'At a glance',
      panels: [
        glance('Hosts down', 'count', 'Hosts that are offline.', query.down, noneIsGood),
        glance(
          'Hosts disabled',
          'count',
          'Hosts on which the platform starts no servers.',
          query.disabled,
          fewAreFine,
        ),
        glance(
          'Zones not N+1',
          'count',
          'Zones in which the servers of the largest host would find no other place if it died.',
          query.zonesShort,
          noneIsGood,
        ),
        glance('Hosts', 'count', 'Hosts that are known, with or without servers.', query.hosts),
        glance(
          'vCPUs left',
          'count',
          'Virtual CPUs that can still be promised on hosts that are up and enabled.',
          query.vcpusLeft,
        ),
        glance(
          'Memory left',
          'bytes',
          'Memory that can still be promised on hosts that are up and enabled.',
          query.memoryLeft,
        ),
        glance(
          'Servers that fit',
          'count',
          'How many servers of the size chosen above can still be started, each on one host.',
          query.fit,
        ),
        glance('Servers', 'count', 'Servers on these hosts.', query.servers),
      ],
    },
    { title: 'Room by zone, the fullest first', panels: [zoneTable] },
    { title: 'Hosts', panels: hostTables },
    {
      title: 'Over time',
      panels: [
        leftOver(
          'vCPUs left by zone',
          'count',
          'Virtual CPUs that can still be promised.',
          query.vcpusLeftByZone,
        ),
        leftOver(
          'Memory left by zone',
          'bytes',
          'Memory that can still be promised.',
          query.memoryLeftByZone,
        ),
        lines({
          title: 'Servers on these hosts by state',
          description: 'Servers that have a host, by state.',
          unit: 'count',
          width: 12,
          height: 8,
          stacked: true,
          queries: byState(query.serversByState),
        }),
        lines({
          title: 'Hosts up, down and disabled',
          description: 'A host that is disabled may be up.',
          unit: 'count',
          width: 12,
          height: 8,
          queries: [
            { expr: query.downOverTime, legend: 'down', colour: 'red' },
            { expr: query.disabledOverTime, legend: 'disabled', colour: 'yellow' },
            { expr: query.upOverTime, legend: 'up', colour: 'green' },
          ],
        }),
      ],
    },
  ],
};
