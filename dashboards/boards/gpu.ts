import type { Board } from '../board.ts';
import { fewAreFine, noneIsShort } from '../look.ts';
import { bars, byState, lines, stat } from '../panels.ts';
import {
  gpuTypes,
  largestBars,
  largestLines,
  maxBy,
  ofCloud,
  ofZone,
  once,
  oneOfEachServer,
  orZero,
  project,
  recordedOfProject,
  recordedOfZone,
  select,
  server,
  sumBy,
  zone,
} from '../promql.ts';
import { table, zoneLabels } from '../table.ts';
import { deviceVariables } from '../variables.ts';

const ofModel = `${gpuTypes}, model=~"$model"`;
/** Devices that servers have, by who has them. */
const held = (...matchers: string[]) =>
  select('cloud_zone_project_state_model:cloud_servers_devices:sum', recordedOfProject, ofModel, ...matchers);
const running = held('state="running"');
const stopped = held('state="stopped"');
/** Devices that hosts have, and of these the free ones: known where the token may list them. */
const there = select('cloud_zone:cloud_host_devices:sum', recordedOfZone, ofModel);
const free = select('cloud_zone:cloud_host_devices:free', recordedOfZone, ofModel);

const modelAndZone = ['model', ...zone];
const inPlaces = (vector: string) => sumBy(modelAndZone, vector);
const projectsThere = sumBy([...modelAndZone, 'project_domain', 'project'], held());
const projectName = '{{cloud}} {{project_domain}} / {{project}}';
const stoppedByProject = sumBy([...project, 'zone', 'model'], stopped);

const names = [...server, 'name', 'host', 'project_domain', 'project', 'zone'];
const holding = `${maxBy(server, once('cloud_server_isolated_devices', ofCloud))} > 0`;
const isStopped = maxBy(server, once('cloud_server_status', ofCloud, 'state="stopped"'));
const stoppedHolding = `((${holding}) and on (cloud, id) ${isStopped})`;
const named = oneOfEachServer(
  maxBy(names, once('cloud_server_info', ofZone, 'project_domain=~"$project_domain", project=~"$project"')),
);

export const gpu: Board = {
  description:
    'Which GPUs and NPUs are free, where, who holds the others, and which are held by stopped servers. It needs the recording rules of rules/recording.yml.',
  variables: deviceVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        stat(
          'Free',
          'GPUs and NPUs that no server has, whoever is chosen as project. Known where the token may list devices.',
          sumBy([], free),
          { steps: noneIsShort },
        ),
        stat('Held', 'GPUs and NPUs that servers have, running or not.', orZero(sumBy([], held()))),
        stat('Held, running', 'Devices whose server runs.', orZero(sumBy([], running))),
        stat(
          'Held, stopped',
          'Devices whose server is stopped: nobody can use them.',
          orZero(sumBy([], stopped)),
          { steps: fewAreFine },
        ),
        table({
          title: 'Where they are, and where some are free',
          description:
            'By model and zone, the most first: how many there are and how many of them are free, whoever is chosen as project; and those that servers of the chosen projects have.',
          height: 6,
          labels: { model: 'Model', ...zoneLabels },
          largestBy: `(${inPlaces(there)} or ${inPlaces(held())})`,
          columns: [
            { title: 'Free', sum: inPlaces(free), steps: noneIsShort },
            { title: 'There are', sum: inPlaces(there) },
            { title: 'Held, running', sum: inPlaces(running) },
            { title: 'Held, stopped', sum: inPlaces(stopped), steps: fewAreFine },
            { title: 'Projects', each: `count by (${modelAndZone.join(', ')}) (${projectsThere})` },
          ],
        }),
        table({
          title: 'Held by stopped servers, by project',
          description:
            'Devices that could be given to somebody else, the most first: start the server, detach the device or delete it.',
          height: 5,
          labels: {
            project: 'Project',
            model: 'Model',
            zone: 'Zone',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          largestBy: stoppedByProject,
          columns: [{ title: 'Devices', sum: stoppedByProject }],
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Free by model',
          description: 'The ten models of which most are free, and the others together.',
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], free)),
        }),
        lines({
          title: 'Held by model',
          description: 'The ten models of which servers have most, and the others together.',
          stacked: true,
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], held())),
        }),
        lines({
          title: 'Held, by state of the server',
          description: 'Devices by the state of the server that has them.',
          stacked: true,
          queries: byState((matcher) => sumBy([], held(matcher))),
        }),
        lines({
          title: 'Held by stopped servers',
          description: 'For how long it has been so: the ten projects with most, and the others together.',
          stacked: true,
          queries: largestLines(project, projectName, sumBy(project, stopped)),
        }),
      ],
    },
    {
      title: 'By project and by server',
      isClosed: true,
      panels: [
        bars({
          title: 'Projects with the most devices',
          description: 'Devices by project, the ten largest first.',
          width: 10,
          height: 8,
          name: projectName,
          queries: largestBars(['project'], sumBy(project, held())),
        }),
        table({
          title: 'Stopped servers that hold devices',
          description:
            'By name, and of any kind of device, the most first. Only of clouds whose single servers are exported (per_server).',
          width: 14,
          height: 8,
          labels: {
            name: 'Server',
            project: 'Project',
            host: 'Host',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          by: server,
          largestBy: stoppedHolding,
          columns: [{ title: 'Devices', list: `${named} * on (cloud, id) group_left () ${stoppedHolding}` }],
          order: ['Server', 'Devices'],
          nothing: 'none known: single servers are exported with per_server',
        }),
      ],
    },
  ],
};
