import { gpuTypes, naming, ofAllProjects, ofPlace, orZero, select, sumBy } from '../selectors.ts';

const servers = (...matchers: string[]) => select('cloud_servers', ofPlace, ...matchers);
const vcpus = (...matchers: string[]) => select('cloud_servers_vcpus', ofPlace, ...matchers);
const memory = (...matchers: string[]) => select('cloud_servers_memory_bytes', ofPlace, ...matchers);
const disk = (...matchers: string[]) => select('cloud_servers_disk_bytes', ofPlace, ...matchers);
const gpus = (...matchers: string[]) => select('cloud_isolated_devices', ofPlace, gpuTypes, ...matchers);

const stopped = 'state="stopped"';
const placeAndStatus = ['cloud', 'region', 'zone', 'hypervisor', 'status'];

function shareOf(metric: string, ...matchers: readonly string[]): string {
  const ofAll = select(metric, ofAllProjects, ...matchers);
  return `sum(${select(metric, ofPlace, ...matchers)}) / sum(${ofAll})`;
}

export const project = {
  servers: sumBy([], servers()),
  running: orZero(sumBy([], servers('state="running"'))),
  failed: orZero(sumBy([], servers('state=~"failed|unknown"'))),
  vcpus: sumBy([], vcpus()),
  memory: sumBy([], memory()),
  disk: sumBy([], disk()),
  gpus: orZero(sumBy([], gpus())),
  byStatus: sumBy(['status'], servers()),
  vcpusByState: sumBy(['state'], vcpus()),
  memoryByState: sumBy(['state'], memory()),
  diskByState: sumBy(['state'], disk()),
  gpusByModel: sumBy(['model'], gpus()),
  shares: {
    servers: shareOf('cloud_servers'),
    vcpus: shareOf('cloud_servers_vcpus'),
    memory: shareOf('cloud_servers_memory_bytes'),
    disk: shareOf('cloud_servers_disk_bytes'),
    gpus: shareOf('cloud_isolated_devices', gpuTypes),
  },
  byZone: naming(['zone'], `sort_desc(${sumBy(['region', 'zone'], servers())})`),
  stopped: {
    servers: sumBy(placeAndStatus, servers(stopped)),
    vcpus: sumBy(placeAndStatus, vcpus(stopped)),
    memory: sumBy(placeAndStatus, memory(stopped)),
    disk: sumBy(placeAndStatus, disk(stopped)),
    gpus: sumBy(placeAndStatus, gpus(stopped)),
  },
  problems: select('cloud_server_problem', ofPlace),
};
