import type { Board } from '../board.ts';
import { noneOf, plain, problemKinds, problemOf, stateColours } from '../look.ts';
import { bars, byProblem, byState, lines, stats } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import {
  largestBars,
  largestLines,
  maxBy,
  ofCloud,
  ofPlace,
  once,
  oneOfEachServer,
  orZero,
  project,
  server,
  sumBy,
} from '../promql.ts';
import { projectLabels, table } from '../table.ts';
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
  return orZero(`count(${named(`problem="${kind}"`, chosen)}${unlessWorse})`);
}

const ends = 'problem=~"expired|expiring"';
const endNames = ['cloud', 'id', 'name', 'project_domain', 'project', 'zone'];
const endTimes = maxBy(server, once('cloud_server_problem_timestamp_seconds', ofCloud, ends));
const dead = `count by (cloud, zone, host) (${named('problem="host_down"')})`;

const windows = [
  { within: '1d', title: 'Within a day', colour: 'orange', steps: noneOf('expired') },
  { within: '7d', title: 'Within 7 days', colour: 'yellow', steps: noneOf('expiring') },
  { within: '30d', title: 'Within 30 days', colour: 'blue', steps: plain },
];

export const lifecycle: Board = {
  description: 'Which servers need attention, which end soon or have ended, and what waits to be deleted.',
  variables: [...placeVariables, problem],
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'Servers that are named, each under the worst of its problems',
          description:
            'On dead hosts: their host is offline. Failed: broken, or never came to be. Expired: past their end. Unknown: the platform does not know their status. Stuck: in transition for long. Standby down: their standby host is offline. Task failed: a task failed, the server most likely is as it was. Expiring: they end soon.',
          tiles: problemKinds.map(({ kind, words }) => ({
            name: words,
            steps: noneOf(kind),
            expr: countOf(kind),
          })),
        }),
        problemTable(11, ofPlace, chosen),
        table({
          title: 'Hosts that are down',
          description: 'Hosts that are offline, with the servers on them that are named, the most first.',
          width: 12,
          height: 7,
          labels: { host: 'Host', cloud: 'Cloud', zone: 'Zone' },
          largestBy: dead,
          columns: [{ title: 'Servers', list: dead }],
        }),
        bars({
          title: 'Not at rest, by status, now',
          description:
            "Servers that are neither running nor stopped, by the platform's own word: of each state the three most frequent.",
          height: 7,
          name: '{{status}}',
          queries: byState((matcher) => `sort_desc(topk(3, ${sumBy(['status'], servers(matcher))}))`).filter(
            ({ colour }) => colour !== stateColours.running && colour !== stateColours.stopped,
          ),
        }),
        lines({
          title: 'Problems by kind',
          description:
            'All servers that have a problem, also where not all are named; one with several counts under each. By cloud only.',
          width: 24,
          height: 8,
          queries: byProblem((matcher) => sumBy([], once('cloud_server_problems', ofCloud, matcher))),
        }),
      ],
    },
    {
      title: 'What ends, and when',
      panels: [
        table({
          title: 'Expired and expiring, by name',
          description:
            'Servers without auto-renewal that ended, or that end soon (expiring_within, 7 days unless set), with their dates, the nearest first.',
          width: 14,
          height: 8,
          labels: { name: 'Server', ...projectLabels },
          by: server,
          largestBy: `(-1 * ${endTimes} and on (cloud, id) ${named(ends)})`,
          columns: [
            {
              title: 'Ends',
              // Grafana counts time in milliseconds.
              list: `${oneOfEachServer(maxBy(endNames, named(ends)))} * on (cloud, id) group_left () (1000 * ${endTimes})`,
              unit: 'date',
            },
          ],
          order: ['Server', 'Ends'],
        }),
        lines({
          title: 'Ends soon',
          description: 'Servers without auto-renewal, by how soon they end.',
          width: 10,
          height: 8,
          queries: windows.map(({ within, title, colour }) => ({
            expr: sumBy([], expiring(within)),
            legend: title.toLowerCase(),
            colour,
          })),
        }),
        table({
          title: 'Ends soon, by project',
          description:
            'Servers without auto-renewal, the most within 30 days first. Each column has the nearer ones too.',
          height: 5,
          labels: projectLabels,
          largestBy: sumBy(project, expiring('30d')),
          columns: windows.map(({ within, title, steps }) => ({
            title,
            steps,
            sum: sumBy(project, expiring(within)),
          })),
        }),
      ],
    },
    {
      title: 'What waits to be deleted, where the exporter asks for it (query: pending_delete=all)',
      isClosed: true,
      panels: [
        lines({
          title: 'In the recycle bin',
          description: 'Servers in the recycle bin; they keep their disks until they are deleted for good.',
          queries: largestLines(['cloud'], '{{cloud}}', sumBy(['cloud'], bin)),
        }),
        bars({
          title: 'In the recycle bin by project, now',
          description: 'The ten projects with the most servers in the recycle bin.',
          name: '{{cloud}} {{project_domain}} / {{project}}',
          queries: largestBars(['project'], `${sumBy(project, bin)} > 0`),
        }),
      ],
    },
  ],
};
