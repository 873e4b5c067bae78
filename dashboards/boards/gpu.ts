import type { Board } from '../board.ts';
import { fewAreFine, noneIsShort } from '../look.ts';
import { byState, lines, stats } from '../panels.ts';
import {
  gpuTypes,
  largestLines,
  maxBy,
  ofCloud,
  ofPlace,
  once,
  oneOfEachServer,
  project,
  recordedOfPlace,
  recordedOfZone,
  select,
  server,
  sumBy,
  zone,
} from '../promql.ts';
import { projectLabels, table, zoneLabels } from '../table.ts';
import { deviceVariables } from '../variables.ts';

const ofModel = `${gpuTypes}, model=~"$model"`;
/** Devices that servers have, by who has them. */
const inUse = (...matchers: string[]) =>
  select('cloud_zone_project_state_model:cloud_servers_devices:sum', recordedOfPlace, ofModel, ...matchers);
const running = inUse('state="running"');
const stopped = inUse('state="stopped"');
/** Devices that hosts have, and of these the free ones: known where the token may list them. */
const there = select('cloud_zone:cloud_host_devices:sum', recordedOfZone, ofModel);
const free = select('cloud_zone:cloud_host_devices:free', recordedOfZone, ofModel);

const uses = ['rules'] as const;
const modelAndZone = ['model', ...zone];
const inPlaces = (vector: string) => sumBy(modelAndZone, vector);
const projectsThere = sumBy([...modelAndZone, 'project_domain', 'project'], inUse());
const stoppedByProject = sumBy([...project, 'zone', 'model'], stopped);

const names = [...server, 'name', 'host', 'project_domain', 'project', 'zone'];
const holding = `${maxBy(server, once('cloud_server_isolated_devices', ofCloud))} > 0`;
const isStopped = maxBy(server, once('cloud_server_status', ofCloud, 'state="stopped"'));
const stoppedHolding = `((${holding}) and on (cloud, id) ${isStopped})`;
const named = oneOfEachServer(maxBy(names, once('cloud_server_info', ofPlace)));

export const gpu: Board = {
  description:
    'Which GPUs and NPUs are free, where, who uses the others, and which ones stopped servers have. It needs the recording rules of rules/recording.yml.',
  variables: deviceVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'GPUs and NPUs',
          description:
            'Free: no server has them, whoever is chosen as project. In use: servers have them, running or not. With stopped servers: nobody can use them.',
          uses,
          tiles: [
            { name: 'Free', expr: sumBy([], free), steps: noneIsShort, uses: ['devices', 'rules'] },
            { name: 'In use', expr: sumBy([], inUse()) },
            { name: 'With running servers', expr: sumBy([], running) },
            { name: 'With stopped servers', expr: `${sumBy([], stopped)} > 0`, steps: fewAreFine },
          ],
        }),
        table({
          title: 'By model and zone',
          description:
            'The most first: how many there are and how many of them are free, whoever is chosen as project; and those that servers of the chosen projects have.',
          height: 8,
          labels: { model: 'Model', ...zoneLabels },
          largestBy: `(${inPlaces(there)} or ${inPlaces(inUse())})`,
          uses,
          columns: [
            { title: 'Free', sum: inPlaces(free), steps: noneIsShort },
            { title: 'Total', sum: inPlaces(there) },
            { title: 'Running servers', sum: inPlaces(running) },
            { title: 'Stopped servers', sum: inPlaces(stopped), steps: fewAreFine },
            { title: 'Projects', each: `count by (${modelAndZone.join(', ')}) (${projectsThere})` },
          ],
          nothing: 'No GPUs or NPUs.',
        }),
        table({
          title: 'With stopped servers, by project',
          description:
            'Devices that could be given to somebody else, the most first: start the server, detach the device or delete it.',
          height: 7,
          labels: {
            project: 'Project',
            model: 'Model',
            zone: 'Zone',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          largestBy: stoppedByProject,
          uses,
          columns: [{ title: 'Devices', sum: stoppedByProject }],
          nothing: 'No stopped server has a GPU or NPU.',
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Free by model',
          description: 'The six models of which most are free, and the others together.',
          uses: ['devices', 'rules'],
          nothing: 'No GPUs or NPUs',
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], free)),
        }),
        lines({
          title: 'In use by model',
          description: 'The six models of which servers have most, and the others together.',
          uses,
          nothing: 'No server has a GPU or NPU',
          stacked: true,
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], inUse())),
        }),
        lines({
          title: 'In use, by state of the server',
          width: 24,
          uses,
          description: 'Devices by the state of the server that has them.',
          stacked: true,
          queries: byState((matcher) => sumBy([], inUse(matcher))),
        }),
      ],
    },
    {
      title: 'By project and by server',
      isClosed: true,
      panels: [
        table({
          title: 'Projects with the most devices',
          description: 'Devices by project, the largest first.',
          height: 8,
          labels: projectLabels,
          largestBy: sumBy(project, inUse()),
          uses,
          columns: [{ title: 'Devices', sum: sumBy(project, inUse()) }],
          nothing: 'No server has a GPU or NPU.',
        }),
        table({
          title: 'Stopped servers that hold devices',
          description:
            'By name, and of any kind of device, the most first. Only of clouds whose single servers are exported (per_server).',
          height: 8,
          labels: {
            name: 'Server',
            project: 'Project',
            host: 'Host',
            cloud: 'Cloud',
            zone: 'Zone',
          },
          by: server,
          largestBy: stoppedHolding,
          columns: [{ title: 'Devices', list: `${named} * on (cloud, id) group_left () ${stoppedHolding}` }],
          order: ['Server', 'Devices'],
          uses: ['perServer'],
          nothing: 'No stopped server has a device.',
        }),
      ],
    },
  ],
};
