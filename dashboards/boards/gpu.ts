import type { Board } from '../board.ts';
import { toHost, toProject } from '../links.ts';
import { fewAreFine, noneIsShort, zeroIsNone, type Steps } from '../look.ts';
import { bars, byState, lines, stat } from '../panels.ts';
import {
  gpuTypes,
  largest,
  largestLines,
  maxBy,
  naming,
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
import { largestFirst, table } from '../table.ts';
import { trust } from '../trust.ts';
import { deviceVariables } from '../variables.ts';

const ofModel = `${gpuTypes}, model=~"$model"`;
/** Devices that servers have, by who has them. */
const held = (...matchers: string[]) =>
  select('cloud_zone_project_state_model:cloud_servers_devices:sum', recordedOfProject, ofModel, ...matchers);
/** Devices that hosts have, and of these the free ones: known where the token may list them. */
const there = select('cloud_zone:cloud_host_devices:sum', recordedOfZone, ofModel);
const free = select('cloud_zone:cloud_host_devices:free', recordedOfZone, ofModel);

const running = held('state="running"');
const stopped = held('state="stopped"');
const modelAndZone = ['model', ...zone];
const places = largest(modelAndZone, `(${sumBy(modelAndZone, there)} or ${sumBy(modelAndZone, held())})`);
const byProject = (vector: string) => sumBy(project, vector);
const projectName = '{{cloud}} {{project_domain}} / {{project}}';

const heldByStopped = ['project', 'cloud', 'project_domain', 'zone', 'model'];
const stoppedOnes = largest(heldByStopped, sumBy(heldByStopped, stopped));

const names = [...server, 'name', 'host', 'project_domain', 'project', 'zone'];
const holding = `${maxBy(server, once('cloud_server_isolated_devices', ofCloud))} > 0`;
const isStopped = maxBy(server, once('cloud_server_status', ofCloud, 'state="stopped"'));
const stoppedHolding = `(${holding}) and on (cloud, id) ${isStopped}`;
const holders = largest(server, `(${stoppedHolding})`);
const named = oneOfEachServer(
  maxBy(names, once('cloud_server_info', ofZone, 'project_domain=~"$project_domain", project=~"$project"')),
);

function glance(title: string, description: string, expr: string, steps?: Steps) {
  return stat({ title, description, unit: 'count', width: 6, height: 3, expr, ...(steps && { steps }) });
}

export const gpu: Board = {
  uid: 'cloud-gpu',
  title: 'Cloud: GPU',
  description:
    'Which GPUs and NPUs are free, where, who holds the others, and which are held by stopped servers. It needs the recording rules of rules/recording.yml.',
  variables: deviceVariables,
  from: 'now-24h',
  rows: [
    {
      panels: [
        trust,
        glance(
          'Free',
          'GPUs and NPUs that no server has, whoever is chosen as project. Known where the token may list devices.',
          sumBy([], free),
          noneIsShort,
        ),
        glance('Held', 'GPUs and NPUs that servers have, running or not.', orZero(sumBy([], held()))),
        glance('Held, running', 'Devices whose server runs.', orZero(sumBy([], running))),
        glance(
          'Held, stopped',
          'Devices whose server is stopped: nobody can use them.',
          orZero(sumBy([], stopped)),
          fewAreFine,
        ),
        table({
          title: 'Where they are, and where some are free',
          description:
            'By model and zone: how many there are and how many of them are free, whoever is chosen as project; and those that servers of the chosen projects have.',
          width: 24,
          height: 6,
          labels: { model: 'Model', zone: 'Zone', cloud: 'Cloud', region: 'Region' },
          columns: [
            { title: 'There are', expr: places.sum(sumBy(modelAndZone, there)) },
            { title: 'Free', expr: places.sum(sumBy(modelAndZone, free)), steps: noneIsShort },
            { title: 'Held, running', expr: places.sum(sumBy(modelAndZone, running)) },
            {
              title: 'Held, stopped',
              expr: places.sum(sumBy(modelAndZone, stopped)),
              steps: fewAreFine,
            },
            {
              title: 'Projects',
              expr: places.column(
                `count by (${modelAndZone.join(', ')}) (${sumBy([...modelAndZone, 'project_domain', 'project'], held())})`,
              ),
            },
          ],
          order: ['Model', 'Zone', 'Cloud', 'Region', 'Free', 'There are'],
          sortBy: largestFirst('There are'),
        }),
        table({
          title: 'Held by stopped servers, by project',
          description:
            'Devices that could be given to somebody else: start the server, detach the device or delete it.',
          width: 24,
          height: 6,
          labels: {
            project: 'Project',
            model: 'Model',
            zone: 'Zone',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          columns: [{ title: 'Devices', expr: stoppedOnes.sum(sumBy(heldByStopped, stopped)) }],
          sortBy: largestFirst('Devices'),
          links: [toProject],
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines({
          title: 'Free by model',
          description: 'The ten models of which most are free, and the others together.',
          unit: 'count',
          width: 12,
          height: 9,
          legend: 'beside',
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], free)),
        }),
        lines({
          title: 'Held by model',
          description: 'The ten models of which servers have most, and the others together.',
          unit: 'count',
          width: 12,
          height: 9,
          stacked: true,
          legend: 'beside',
          queries: largestLines(['model'], '{{model}}', sumBy(['model'], held())),
        }),
        lines({
          title: 'Held, by state of the server',
          description: 'Devices by the state of the server that has them.',
          unit: 'count',
          width: 12,
          height: 9,
          stacked: true,
          queries: byState((matcher) => sumBy([], held(matcher))),
        }),
        lines({
          title: 'Held by stopped servers',
          description: 'For how long it has been so: the ten projects with most, and the others together.',
          unit: 'count',
          width: 12,
          height: 9,
          stacked: true,
          legend: 'beside',
          queries: largestLines(project, projectName, byProject(stopped)),
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
          unit: 'count',
          width: 10,
          height: 9,
          queries: [{ expr: naming(['project'], `sort_desc(topk(10, ${byProject(held())}))`) }],
          name: projectName,
        }),
        table({
          title: 'Stopped servers that hold devices',
          description:
            'By name, and of any kind of device. Only of clouds whose single servers are exported (per_server).',
          width: 14,
          height: 9,
          labels: {
            name: 'Server',
            project: 'Project',
            host: 'Host',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          columns: [
            {
              title: 'Devices',
              expr: holders.list('name', `${named} * on (cloud, id) group_left () (${stoppedHolding})`),
              texts: zeroIsNone,
            },
          ],
          order: ['Server', 'Devices'],
          sortBy: largestFirst('Devices'),
          links: [toProject, toHost],
          nothing: 'none known: single servers are exported with per_server',
        }),
      ],
    },
  ],
};
