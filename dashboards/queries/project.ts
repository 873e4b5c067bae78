import { gpuTypes, naming, ofAllProjects, ofPlace, once, orZero, sumBy } from '../selectors.ts';
import { problemQueries } from './problems.ts';

const servers = (...matchers: string[]) => once('cloud_servers', ofPlace, ...matchers);
const vcpus = (...matchers: string[]) => once('cloud_servers_vcpus', ofPlace, ...matchers);
const memory = (...matchers: string[]) => once('cloud_servers_memory_bytes', ofPlace, ...matchers);
const disk = (...matchers: string[]) => once('cloud_servers_disk_bytes', ofPlace, ...matchers);
const gpus = (...matchers: string[]) => once('cloud_servers_devices', ofPlace, gpuTypes, ...matchers);

const stopped = 'state="stopped"';
const placeAndStatus = ['cloud', 'region', 'zone', 'hypervisor', 'status'];

function shareOf(metric: string, ...matchers: readonly string[]): string {
  const ofAll = once(metric, ofAllProjects, ...matchers);
  return `sum(${once(metric, ofPlace, ...matchers)}) / sum(${ofAll})`;
}

export const project = {
  servers: sumBy([], servers()),
  running: orZero(sumBy([], servers('state="running"'))),
  failed: orZero(sumBy([], servers('state=~"failed|unknown"'))),
  vcpus: sumBy([], vcpus()),
  memory: sumBy([], memory()),
  disk: sumBy([], disk()),
  gpus: orZero(sumBy([], gpus())),
  bin: orZero(sumBy([], servers('state="pending_deletion"'))),
  byStatus: (matcher: string) => sumBy(['status'], servers(matcher)),
  vcpusByState: (matcher: string) => sumBy([], vcpus(matcher)),
  memoryByState: (matcher: string) => sumBy([], memory(matcher)),
  diskByState: (matcher: string) => sumBy([], disk(matcher)),
  gpusByModel: sumBy(['model'], gpus()),
  shares: {
    servers: shareOf('cloud_servers'),
    vcpus: shareOf('cloud_servers_vcpus'),
    memory: shareOf('cloud_servers_memory_bytes'),
    disk: shareOf('cloud_servers_disk_bytes'),
    gpus: shareOf('cloud_servers_devices', gpuTypes),
  },
  byZone: naming(['region', 'zone'], `sort_desc(${sumBy(['cloud', 'region', 'zone'], servers())})`),
  stopped: {
    servers: sumBy(placeAndStatus, servers(stopped)),
    vcpus: sumBy(placeAndStatus, vcpus(stopped)),
    memory: sumBy(placeAndStatus, memory(stopped)),
    disk: sumBy(placeAndStatus, disk(stopped)),
    gpus: sumBy(placeAndStatus, gpus(stopped)),
  },
  problems: problemQueries(ofPlace),
};
