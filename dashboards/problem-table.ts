import { MappingType, type ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { problemKinds, urgencies } from './look.ts';
import type { Drawing } from './panels.ts';
import { maxBy, ofCloud, once, oneOfEachServer, server } from './promql.ts';
import { table, type Table } from './table.ts';

/** The worst word of a cell gives it its colour: the kinds are sorted, and the first that matches counts. */
const problemColours: readonly ValueMapping[] = problemKinds.map(({ words, urgency }, index) => ({
  type: MappingType.RegexToText,
  options: { pattern: `/(^|, )${words}(,|$)/`, result: { color: urgencies[urgency].color, index } },
}));

const names = [...server, 'name', 'project_domain', 'project', 'region', 'zone', 'host'];

/** One row a server: its problems in one label, how urgent the worst is, and since or until when. */
function problemQueries(matchers: readonly string[]) {
  const of = (...more: string[]) => once('cloud_server_problem', ...matchers, ...more);
  const everyServer = maxBy(server, of());
  const ofKind = (kind: string) => maxBy(server, of(`problem="${kind}"`));

  // Each kind becomes a label on the servers that have it, and all of these labels together the cell.
  const joined = problemKinds.reduce(
    (rows, { kind, words }) =>
      `${rows} * on (cloud, id) group_left (has_${kind}) (label_replace(${ofKind(kind)}, "has_${kind}", "${words}, ", "", "") or on (cloud, id) ${everyServer})`,
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
    rows: `label_replace(label_join(${joined}, "problems", "", ${labels}), "problems", "$1", "problems", "(.*), ") * on (cloud, id) group_left () (${urgency})`,
    urgency,
    moment: `min by (cloud, id) (${times} and on (cloud, id, problem) ${of()})`,
  };
}

/** The servers that need attention, by name. */
export function problemTable(
  look: Pick<Table, 'title' | 'height' | 'isTall'>,
  ...matchers: readonly string[]
): Drawing {
  const { rows, urgency, moment } = problemQueries(matchers);
  return table({
    ...look,
    description:
      'One row a server, the most urgent first, and of these what happened last or happens next, with all of its problems, and since or until when. The last row says how many more there are: choose a cloud, a place or a problem to see them. For each cloud the exporter names at most problem_limit servers (1000 unless set).',
    labels: {
      name: 'Server',
      problems: 'Problems',
      project: 'Project',
      host: 'Host',
      zone: 'Zone',
      cloud: 'Cloud',
      project_domain: 'Domain',
    },
    by: server,
    largestBy: `(1e11 * (${urgency}) - abs(time() - ${moment}))`,
    columns: [
      { title: 'Urgency', list: rows, texts: urgencies },
      // Grafana counts time in milliseconds.
      { title: 'When', each: `1000 * ${moment}`, unit: 'ago' },
    ],
    order: ['Server', 'Problems', 'Urgency', 'When', 'Project', 'Host', 'Zone', 'Cloud', 'Domain'],
    forLinks: ['Domain'],
    colours: { Problems: problemColours },
    nothing: 'No server needs attention.',
  });
}
