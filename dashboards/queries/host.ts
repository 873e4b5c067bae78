import {
  amongTop,
  maxBy,
  naming,
  ofHost,
  orZero,
  recordedOfHost,
  recordedOfZone,
  select,
  sumBy,
} from '../selectors.ts';

const zone = ['cloud', 'region', 'zone'];
const host = ['cloud', 'region', 'zone', 'host'];
const gibibyte = 2 ** 30;

type Resource = 'vcpus' | 'memory';

/** What hosts that are up and enabled may promise, and what is left of it. */
const inZones = (what: string, resource: Resource) =>
  maxBy(zone, select(`cloud_zone:${what}`, recordedOfZone, `resource="${resource}"`));
const onHosts = (what: string, resource: Resource) =>
  maxBy(host, select(`cloud_host:${what}`, recordedOfHost, `resource="${resource}"`));

const up = maxBy(host, select('cloud_host_up', ofHost));
const enabled = maxBy(host, select('cloud_host_enabled', ofHost));
const bad = `((${up}) == 0 or (${enabled}) == 0)`;
const servers = (...matchers: string[]) =>
  maxBy([...host, 'state'], select('cloud_host_servers', ofHost, ...matchers));
const sumOf = (metric: string) => sumBy(host, maxBy([...host, 'state'], select(metric, ofHost)));

const fullOfZone = (resource: Resource) =>
  `1 - ${inZones('room_left:sum', resource)} / ${inZones('room_allowed:sum', resource)}`;
const fullOfHost = (resource: Resource) =>
  `1 - ${onHosts('room_left:sum', resource)} / ${onHosts('room_allowed:sum', resource)}`;

/** How many servers of the chosen size each host still takes: as many as the scarcer of both allows. */
const byVcpus = `floor(${onHosts('room_left:sum', 'vcpus')} / $vcpus)`;
const byMemory = `floor(${onHosts('room_left:sum', 'memory')} / ($gibibytes * ${gibibyte}))`;
const thatFit = `(${byVcpus} < ${byMemory} or ${byMemory} <= ${byVcpus})`;

const fullest = (expr: string) => amongTop(`(${expr})`, fullOfHost('memory'));
const densest = (expr: string) => amongTop(`(${expr})`, sumOf('cloud_host_servers'));
const short = (resource: Resource) => `(${inZones('room_left_without_largest_host:sum', resource)} < 0)`;

export const hosts = {
  hosts: `count(${up})`,
  down: orZero(`count(${up} == 0)`),
  disabled: `count(${enabled} == 0) or 0 * count(${enabled} == 1)`,
  vcpusLeft: sumBy([], inZones('room_left:sum', 'vcpus')),
  memoryLeft: sumBy([], inZones('room_left:sum', 'memory')),
  zonesShort: `count(${short('vcpus')} or ${short('memory')}) or 0 * count(${inZones('room_left:sum', 'memory')})`,
  servers: sumBy([], servers()),
  fit: sumBy([], thatFit),
  zones: {
    vcpusFull: fullOfZone('vcpus'),
    memoryFull: fullOfZone('memory'),
    vcpusLeft: inZones('room_left:sum', 'vcpus'),
    memoryLeft: inZones('room_left:sum', 'memory'),
    vcpusWithout: inZones('room_left_without_largest_host:sum', 'vcpus'),
    memoryWithout: inZones('room_left_without_largest_host:sum', 'memory'),
    largestVcpus: inZones('room_left:max', 'vcpus'),
    largestMemory: inZones('room_left:max', 'memory'),
    fit: sumBy(zone, thatFit),
    vcpusPerReal: inZones('room_promised_per_real:ratio', 'vcpus'),
  },
  bad: {
    up: `${up} and on (${host.join(', ')}) ${bad}`,
    enabled: `${enabled} and on (${host.join(', ')}) ${bad}`,
    servers: `${sumBy(host, servers())} and on (${host.join(', ')}) ${bad}`,
  },
  fullest: {
    memoryFull: fullest(fullOfHost('memory')),
    vcpusFull: fullest(fullOfHost('vcpus')),
    memoryLeft: fullest(onHosts('room_left:sum', 'memory')),
    vcpusLeft: fullest(onHosts('room_left:sum', 'vcpus')),
  },
  densest: {
    servers: densest(sumOf('cloud_host_servers')),
    vcpus: densest(sumOf('cloud_host_servers_vcpus')),
    memory: densest(sumOf('cloud_host_servers_memory_bytes')),
  },
  serversByState: (matcher: string) => sumBy([], servers(matcher)),
  upOverTime: `count(${up} == 1)`,
  downOverTime: `count(${up} == 0)`,
  disabledOverTime: `count(${enabled} == 0)`,
  vcpusLeftByZone: naming(['zone'], inZones('room_left:sum', 'vcpus')),
  memoryLeftByZone: naming(['zone'], inZones('room_left:sum', 'memory')),
};
