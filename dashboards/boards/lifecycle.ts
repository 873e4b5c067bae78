import type { Board } from '../board.ts';
import { inTiles, noneOf, problemKinds, problemOf } from '../look.ts';
import { byProblem, lines, stats } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import {
  largestLines,
  maxBy,
  ofCloud,
  ofPlace,
  once,
  oneOfEachServer,
  project,
  server,
  sumBy,
} from '../promql.ts';
import { hostLabels, projectLabels, table } from '../table.ts';
import { placeVariables, problem } from '../variables.ts';

const servers = (...matchers: string[]) => once('cloud_servers', ofPlace, ...matchers);
const named = (...matchers: string[]) => once('cloud_server_problem', ofPlace, ...matchers);
const expiring = (within: string) => once('cloud_servers_expiring', ofPlace, `within="${within}"`);
const bin = servers('state="pending_deletion"');
const chosen = 'problem=~"$problem"';

/** A server counts under the worst of its problems, so that one dead host is not two numbers. */
function countOf(kind: string): string {
  const worse = problemKinds.slice(0, problemKinds.indexOf(problemOf(kind))).map((each) => each.kind);
  const unlessWorse =
    worse.length === 0 ? '' : ` unless on (cloud, id) ${named(`problem=~"${worse.join('|')}"`)}`;
  return `count(${named(`problem="${kind}"`, chosen)}${unlessWorse})`;
}

const ends = 'problem=~"expired|expiring"';
const endNames = ['cloud', 'id', 'name', 'project_domain', 'project', 'zone'];
const endTimes = maxBy(server, once('cloud_server_problem_timestamp_seconds', ofCloud, ends));
const restless = sumBy(['cloud', 'status', 'state'], servers('state!~"running|stopped|pending_deletion"'));
const dead = `count by (cloud, zone, host) (${named('problem="host_down"')})`;

const windows = [
  { within: '1d', title: 'Within 1 day', colour: 'orange', steps: noneOf('expired') },
  { within: '7d', title: 'Within 7 days', colour: 'yellow', steps: noneOf('expiring') },
  { within: '30d', title: 'Within 30 days', colour: 'blue', steps: inTiles },
];

export const lifecycle: Board = {
  description: 'Which servers need attention, which end soon or have ended, and what waits to be deleted.',
  variables: [...placeVariables, problem],
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'Servers that need attention, each counted once',
          description:
            'A server counts under the worst of its problems. Host down: its host is offline. Failed: broken, or never came to be. Expired: past their end. Unknown: the platform does not know their status. Stuck: in transition for long. Standby down: their standby host is offline. Task failed: a task failed, the server most likely is as it was. Expiring: they end soon.',
          tiles: problemKinds.map(({ kind, words }) => ({
            name: words,
            steps: noneOf(kind),
            expr: countOf(kind),
          })),
        }),
        problemTable({ title: 'Which servers', height: 12, isTall: true }, ofPlace, chosen),
        table({
          title: 'Hosts that are down',
          description: 'Hosts that are offline, with the servers on them that are named, the most first.',
          width: 12,
          height: 7,
          labels: hostLabels,
          largestBy: dead,
          columns: [{ title: 'Servers', list: dead }],
          nothing: 'No host is down.',
        }),
        table({
          title: 'Neither running nor stopped',
          description:
            "Servers by the platform's own word for their status, the most first; those in the recycle bin are below.",
          width: 12,
          height: 7,
          labels: { status: 'Status', state: 'State', cloud: 'Cloud' },
          largestBy: restless,
          columns: [{ title: 'Servers', sum: restless }],
          nothing: 'All servers run or are stopped.',
        }),
        lines({
          title: 'Problems by kind',
          description:
            'All servers that have a problem, also where not all are named; one with several counts under each. By cloud only.',
          width: 24,
          queries: byProblem((matcher) => sumBy([], once('cloud_server_problems', ofCloud, matcher))),
        }),
      ],
    },
    {
      title: 'Expiry',
      panels: [
        table({
          title: 'Expired and expiring, by name',
          description:
            'Servers without auto-renewal that ended, or that end soon (expiring_within, 7 days unless set), with their dates, those nearest to now first.',
          height: 8,
          labels: { name: 'Server', ...projectLabels },
          by: server,
          largestBy: `(-1 * abs(time() - ${endTimes}) and on (cloud, id) ${named(ends)})`,
          columns: [
            {
              title: 'Ends',
              // Grafana counts time in milliseconds.
              list: `${oneOfEachServer(maxBy(endNames, named(ends)))} * on (cloud, id) group_left () (1000 * ${endTimes})`,
              unit: 'date',
            },
          ],
          order: ['Server', 'Ends'],
          nothing: 'No server has expired or expires soon.',
        }),
        lines({
          title: 'Expiring servers',
          description: 'Servers without auto-renewal, by how soon they end.',
          height: 7,
          queries: windows.map(({ within, title, colour }) => ({
            expr: sumBy([], expiring(within)),
            legend: title.toLowerCase(),
            colour,
          })),
        }),
        table({
          title: 'Expiring servers by project',
          description:
            'Servers without auto-renewal, the most within 30 days first. Each column has the nearer ones too.',
          width: 12,
          height: 7,
          labels: projectLabels,
          largestBy: `${sumBy(project, expiring('30d'))} > 0`,
          nothing: 'No server ends within 30 days.',
          columns: windows.map(({ within, title, steps }) => ({
            title: title.replace('Within ', ''),
            steps,
            sum: sumBy(project, expiring(within)),
          })),
        }),
      ],
    },
    {
      title: 'Recycle bin, where the exporter asks for it (query: pending_delete=all)',
      isClosed: true,
      panels: [
        lines({
          title: 'In the recycle bin',
          description: 'Servers in the recycle bin; they keep their disks until they are deleted for good.',
          height: 7,
          queries: largestLines(['cloud'], '{{of}}', sumBy(['cloud'], bin)),
          nothing: 'The recycle bin is empty, or not asked for',
        }),
        table({
          title: 'In the recycle bin, by project',
          description: 'The projects with the most servers in the recycle bin.',
          width: 12,
          height: 7,
          labels: projectLabels,
          largestBy: `${sumBy(project, bin)} > 0`,
          columns: [{ title: 'Servers', sum: sumBy(project, bin) }],
          nothing: 'The recycle bin is empty, or not asked for.',
        }),
      ],
    },
  ],
};
