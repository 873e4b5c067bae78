import { problemKinds } from '../colours.ts';
import { maxBy, ofCloud, once, oneOfEachServer, select } from '../selectors.ts';

const server = ['cloud', 'id'];
const names = [...server, 'name', 'project_domain', 'project', 'region', 'zone', 'hypervisor', 'host'];
const ends = 'problem=~"expired|expiring"';
const troubles = 'problem!~"expired|expiring"';

/** One row a server: its problems in one label, how urgent the worst is, since when, and when it ends. */
export function problemQueries(...matchers: readonly string[]) {
  const of = (...more: string[]) => select('cloud_server_problem', ...matchers, ...more);
  const everyServer = maxBy(server, of());
  const ofKind = (kind: string) => maxBy(server, of(`problem="${kind}"`));

  // Each kind becomes a label on the servers that have it, and all of these labels together the cell.
  const joined = problemKinds.reduce(
    (rows, { kind }) =>
      `${rows} * on (cloud, id) group_left (has_${kind}) (label_replace(${ofKind(kind)}, "has_${kind}", "${kind} ", "", "") or on (cloud, id) ${everyServer})`,
    oneOfEachServer(maxBy(names, of())),
  );
  const labels = problemKinds.map(({ kind }) => `"has_${kind}"`).join(', ');
  const urgency = problemKinds
    .map(
      ({ kind, urgency: value }) =>
        `${value} * ${once('cloud_server_problem', ...matchers, `problem="${kind}"`)}`,
    )
    .join(' or ');
  // Grafana counts time in milliseconds.
  const moment = (kinds: string) =>
    `1000 * min by (cloud, id) (${select('cloud_server_problem_timestamp_seconds', ofCloud, kinds)} and on (cloud, id, problem) ${of(kinds)})`;
  return {
    rows: `sort_desc(label_join(${joined}, "problems", "", ${labels}) * on (cloud, id) group_left () ${maxBy(server, `(${urgency})`)})`,
    since: moment(troubles),
    ends: moment(ends),
  };
}
