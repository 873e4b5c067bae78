import { naming, ofCloud, ofPlace, orZero, select, sumBy } from '../selectors.ts';

const owner = ['cloud', 'project_domain', 'project'];
const expiring = (within: string) => select('cloud_servers_expiring', ofPlace, `within="${within}"`);
const pending = select('cloud_servers_pending_deletion', ofPlace);
const count = (problem: string) =>
  orZero(`count(${select('cloud_server_problem', ofPlace, `problem="${problem}"`)})`);

export const lifecycle = {
  failed: count('failed'),
  stuck: count('stuck'),
  unknown: count('unknown'),
  hostDown: count('host_down'),
  standbyDown: count('standby_down'),
  expired: count('expired'),
  within: {
    '1d': orZero(sumBy([], expiring('1d'))),
    '7d': orZero(sumBy([], expiring('7d'))),
    '30d': orZero(sumBy([], expiring('30d'))),
  },
  pending: orZero(sumBy([], pending)),
  problemsByKind: sumBy(['problem'], select('cloud_server_problems', ofCloud)),
  problems: select('cloud_server_problem', ofPlace, 'problem=~"$problem"'),
  expiringByWindow: sumBy(['within'], select('cloud_servers_expiring', ofPlace)),
  expiringByProject: {
    '1d': sumBy(owner, expiring('1d')),
    '7d': sumBy(owner, expiring('7d')),
    '30d': sumBy(owner, expiring('30d')),
  },
  pendingByCloud: sumBy(['cloud'], pending),
  pendingByProject: naming(['project'], `sort_desc(topk($top, ${sumBy(owner, pending)} > 0))`),
  downHosts: `count by (cloud, region, zone, host) (${select('cloud_server_problem', ofPlace, 'problem="host_down"')})`,
};
