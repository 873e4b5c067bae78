import { amongTop, changeOfDay, naming, ofCloud, ofPlace, orZero, select, sumBy } from '../selectors.ts';

const zone = ['cloud', 'region', 'zone'];
const project = ['cloud', 'project_domain', 'project'];

const servers = (...matchers: string[]) => select('cloud_servers', ofPlace, ...matchers);
const vcpus = select('cloud_servers_vcpus', ofPlace);
const memory = select('cloud_servers_memory_bytes', ofPlace);
const disk = select('cloud_servers_disk_bytes', ofPlace);
const problems = (kind: string) => select('cloud_server_problem', ofPlace, `problem="${kind}"`);

/** The sums that every table of places and owners has. */
const sumsBy = (labels: readonly string[]) => ({
  servers: sumBy(labels, servers()),
  running: sumBy(labels, servers('state="running"')),
  failed: sumBy(labels, servers('state=~"failed|unknown"')),
  vcpus: sumBy(labels, vcpus),
  memory: sumBy(labels, memory),
  disk: sumBy(labels, disk),
});

const projectSums = sumsBy(project);
const ofTopProjects = (expr: string) => amongTop(`(${expr})`, projectSums.vcpus);
const changeByProject = changeOfDay(project, 'cloud_servers', ofPlace);

export const fleet = {
  cloudsDown: orZero(`count(${select('cloud_up', ofCloud)} == 0)`),
  servers: sumBy([], servers()),
  runningShare: `sum(${servers('state="running"')}) / sum(${servers()})`,
  failed: orZero(sumBy([], servers('state="failed"'))),
  stuck: orZero(`count(${problems('stuck')})`),
  hostsDown: orZero(`count(count by (cloud, host) (${problems('host_down')}))`),
  byState: sumBy(['state'], servers()),
  byStatus: `sort_desc(${sumBy(['status'], servers())})`,
  problemsByKind: sumBy(['problem'], select('cloud_server_problems', ofCloud)),
  troubleByZone: naming(
    ['zone'],
    `sort_desc(topk($top, ${sumBy(zone, servers('state=~"failed|unknown"'))}))`,
  ),
  vcpusByRegion: naming(['region'], sumBy(['region'], vcpus)),
  memoryByRegion: naming(['region'], sumBy(['region'], memory)),
  diskByRegion: naming(['region'], sumBy(['region'], disk)),
  zones: sumsBy(zone),
  hypervisors: sumsBy(['cloud', 'hypervisor']),
  topProjects: {
    servers: ofTopProjects(projectSums.servers),
    running: ofTopProjects(projectSums.running),
    failed: ofTopProjects(projectSums.failed),
    vcpus: ofTopProjects(projectSums.vcpus),
    memory: ofTopProjects(projectSums.memory),
    disk: ofTopProjects(projectSums.disk),
  },
  changeByState: changeOfDay(['state'], 'cloud_servers', ofPlace),
  today: sumBy([], servers()),
  yesterday: sumBy([], `${servers()} offset 1d`),
  changeByProject: `(${changeByProject}) and topk($top, abs(${changeByProject}) > 0)`,
};
