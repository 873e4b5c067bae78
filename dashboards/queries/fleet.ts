import { changeSince } from '../change.ts';
import {
  amongTop,
  maxBy,
  naming,
  ofCloud,
  orZero,
  recordedOfCloud,
  recordedOfZone,
  select,
  sumBy,
} from '../selectors.ts';

const zone = ['cloud', 'region', 'zone'];
const project = ['cloud', 'project_domain', 'project'];
const hypervisor = ['cloud', 'hypervisor'];
const broken = 'state=~"failed|unknown"';
const running = 'state="running"';

/** Recorded sums, so that the board is as quick with a million servers as with a hundred. */
const inZones = (metric: string) => select(`cloud_zone:${metric}:sum`, recordedOfZone);
const byZone = (...matchers: string[]) =>
  select('cloud_zone_state:cloud_servers:sum', recordedOfZone, ...matchers);
const byHypervisor = (...matchers: string[]) =>
  select('cloud_hypervisor_state:cloud_servers:sum', recordedOfCloud, ...matchers);
const byProject = (...matchers: string[]) =>
  select('cloud_project_state:cloud_servers:sum', recordedOfCloud, ...matchers);
const ofProjects = (metric: string) => maxBy(project, select(`cloud_project:${metric}:sum`, recordedOfCloud));

/** Counted by the exporter for each cloud; two exporters tell the same. */
const problems = (matcher: string) =>
  sumBy([], maxBy(['cloud', 'problem'], select('cloud_server_problems', ofCloud, matcher)));

const ofTopProjects = (expr: string) => amongTop(`(${expr})`, ofProjects('cloud_servers_vcpus'));
const regionOf = (metric: string) => naming(['region'], sumBy(['cloud', 'region'], inZones(metric)));
const change = changeSince('1d', 'cloud_project:cloud_servers:sum', recordedOfCloud);

export const fleet = {
  failed: orZero(sumBy([], byZone('state="failed"'))),
  stuck: orZero(problems('problem="stuck"')),
  onDeadHosts: orZero(problems('problem="host_down"')),
  expired: orZero(problems('problem="expired"')),
  servers: sumBy([], inZones('cloud_servers')),
  runningShare: `sum(${byZone(running)}) / sum(${inZones('cloud_servers')})`,
  vcpus: sumBy([], inZones('cloud_servers_vcpus')),
  memory: sumBy([], inZones('cloud_servers_memory_bytes')),
  byState: (matcher: string) => sumBy([], byZone(matcher)),
  troubleByZone: naming(['region', 'zone'], `sort_desc(topk($top, ${sumBy(zone, byZone(broken))}))`),
  vcpusByRegion: regionOf('cloud_servers_vcpus'),
  memoryByRegion: regionOf('cloud_servers_memory_bytes'),
  diskByRegion: regionOf('cloud_servers_disk_bytes'),
  zones: {
    servers: maxBy(zone, inZones('cloud_servers')),
    running: sumBy(zone, byZone(running)),
    failed: sumBy(zone, byZone(broken)),
    vcpus: maxBy(zone, inZones('cloud_servers_vcpus')),
    memory: maxBy(zone, inZones('cloud_servers_memory_bytes')),
    disk: maxBy(zone, inZones('cloud_servers_disk_bytes')),
  },
  problemsByKind: problems,
  hypervisors: {
    servers: sumBy(hypervisor, byHypervisor()),
    running: sumBy(hypervisor, byHypervisor(running)),
    failed: sumBy(hypervisor, byHypervisor(broken)),
  },
  topProjects: {
    servers: ofTopProjects(ofProjects('cloud_servers')),
    failed: ofTopProjects(sumBy(project, byProject(broken))),
    vcpus: ofTopProjects(ofProjects('cloud_servers_vcpus')),
    memory: ofTopProjects(ofProjects('cloud_servers_memory_bytes')),
    disk: ofTopProjects(ofProjects('cloud_servers_disk_bytes')),
  },
  today: sumBy([], select('cloud:cloud_servers:sum', recordedOfCloud)),
  yesterday: sumBy([], `${select('cloud:cloud_servers:sum', recordedOfCloud)} offset 1d`),
  changeByState: `(${changeSince('1d', 'cloud_state:cloud_servers:sum', recordedOfCloud)}) != 0`,
  grew: `sort_desc(topk($top, (${change}) > 0))`,
  shrank: `sort(bottomk($top, (${change}) < 0))`,
};
