import { MappingType, type ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { problemKinds, urgencies } from './look.ts';
import type { Drawing } from './panels.ts';
import { maxBy, ofCloud, once, oneOfEachServer, server } from './promql.ts';
import { table } from './table.ts';

/** The worst word of a cell gives it its colour: the kinds are sorted, and the first that matches counts. */
const problemColours: readonly ValueMapping[] = problemKinds.map(({ kind, urgency }, index) => ({
  type: MappingType.RegexToText,
  options: { pattern: `/(^| )${kind}( |$)/`, result: { color: urgencies[urgency].color, index } },
}));

const names = [...server, 'name', 'project_domain', 'project', 'region', 'zone', 'host'];

/** One row a server: its problems in one label, how urgent the worst is, and since or until when. */
function problemQueries(matchers: readonly string[]) {
  const of = (...more: string[]) => once('cloud_server_problem', ...matchers, ...more);
  const everyServer = maxBy(server, of());
  const ofKind = (kind: string) => maxBy(server, of(`problem="${kind}"`));

  // Each kind becomes a label on the servers that have it, and all of these labels together the cell.
  const joined = problemKinds.reduce(
    (rows, { kind }) =>
      `${rows} * on (cloud, id) group_left (has_${kind}) (label_replace(${ofKind(kind)}, "has_${kind}", "${kind} ", "", "") or on (cloud, id) ${everyServer})`,
    oneOfEachServer(maxBy(names, of())),
  );
  const labels = problemKinds.map(({ kind }) => `"has_${kind}"`).join(', ');
  const urgency = ([3, 2, 1] as const)
    .map((value) => {
      const kinds = problemKinds.filter((kind) => kind.urgency === value).map(({ kind }) => kind);
      return `${value} * ${maxBy(server, of(`problem=~"${kinds.join('|')}"`))}`;
    })
    .join(' or ');
  const times = once('cloud_server_problem_timestamp_seconds', ofCloud);
  return {
    rows: `label_join(${joined}, "problems", "", ${labels}) * on (cloud, id) group_left () (${urgency})`,
    urgency,
    moment: `min by (cloud, id) (${times} and on (cloud, id, problem) ${of()})`,
  };
}

/** The servers that need attention, by name. */
export function problemTable(height: number, ...matchers: readonly string[]): Drawing {
  const { rows, urgency, moment } = problemQueries(matchers);
  return table({
    title: 'Servers that need attention',
    description:
      'One row a server, the most urgent and then the longest first, with all of its problems, and since or until when. The last row says how many more there are: choose a cloud, a place or a problem to see them. For each cloud the exporter names at most problem_limit servers (1000 unless set).',
    height,
    labels: {
      name: 'Server',
      problems: 'Problems',
      project: 'Project',
      host: 'Host',
      cloud: 'Cloud',
      zone: 'Zone',
      region: 'Region',
      project_domain: 'Domain',
      id: 'Id',
    },
    by: server,
    largestBy: `(1e11 * (${urgency}) - ${moment})`,
    columns: [
      { title: 'Look', list: rows, texts: urgencies },
      // Grafana counts time in milliseconds.
      { title: 'When', each: `1000 * ${moment}`, unit: 'ago' },
    ],
    order: ['Look', 'Problems', 'Server', 'When', 'Project', 'Host', 'Cloud', 'Zone', 'Region', 'Domain'],
    colours: { Problems: problemColours },
  });
}
