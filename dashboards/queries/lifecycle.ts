import {
  maxBy,
  naming,
  ofCloud,
  ofPlace,
  once,
  oneOfEachServer,
  orZero,
  select,
  sumBy,
} from '../selectors.ts';
import { problemQueries } from './problems.ts';

const owner = ['cloud', 'project_domain', 'project'];
const servers = (...matchers: string[]) => once('cloud_servers', ofPlace, ...matchers);
const expiring = (within: string) => once('cloud_servers_expiring', ofPlace, `within="${within}"`);
const bin = servers('state="pending_deletion"');
const named = (...matchers: string[]) => once('cloud_server_problem', ofPlace, ...matchers);

const ends = 'problem=~"expired|expiring"';
const names = ['cloud', 'id', 'name', 'project_domain', 'project', 'zone'];
/** Grafana counts time in milliseconds. */
const endsByServer = `1000 * ${oneOfEachServer(maxBy(names, named(ends)))} * on (cloud, id) group_left () ${maxBy(['cloud', 'id'], select('cloud_server_problem_timestamp_seconds', ofCloud, ends))}`;

export const lifecycle = {
  count: (kind: string) => orZero(`count(${named(`problem="${kind}"`)})`),
  within: (window: string) => orZero(sumBy([], expiring(window))),
  bin: orZero(sumBy([], bin)),
  problems: problemQueries(ofPlace, 'problem=~"$problem"'),
  problemsByKind: (matcher: string) =>
    sumBy([], maxBy(['cloud', 'problem'], select('cloud_server_problems', ofCloud, matcher))),
  byStatus: (matcher: string) => `sort_desc(${sumBy(['status'], servers(matcher))})`,
  downHosts: `count by (cloud, zone, host) (${named('problem="host_down"')})`,
  ends: `sort(${endsByServer})`,
  expiringByWindow: (window: string) => sumBy([], expiring(window)),
  expiringByProject: {
    '1d': sumBy(owner, expiring('1d')),
    '7d': sumBy(owner, expiring('7d')),
    '30d': sumBy(owner, expiring('30d')),
  },
  binByCloud: sumBy(['cloud'], bin),
  binByProject: naming(['project'], `sort_desc(topk($top, ${sumBy(owner, bin)} > 0))`),
};
