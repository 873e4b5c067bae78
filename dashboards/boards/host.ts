import type { Need } from '../absence.ts';
import type { Board } from '../board.ts';
import {
  enabledOrNot,
  fewAreFine,
  fullness,
  neutral,
  noneIsGood,
  noneIsShort,
  upOrDown,
  yesOrNo,
} from '../look.ts';
import { lines, stats } from '../panels.ts';
import { problemTable } from '../problem-table.ts';
import {
  fullestZones,
  maxBy,
  ofCloud,
  ofHost,
  ofZone,
  once,
  oneOfEachServer,
  recordedOfHost,
  recordedOfZone,
  select,
  server,
  shareOf,
  sumBy,
  zone,
} from '../promql.ts';
import { hostLabels, table, zoneLabels } from '../table.ts';
import { hostVariables, serverSize } from '../variables.ts';

const hostAndPlace = ['host', ...zone];
const gibibyte = 2 ** 30;
const vcpus = 'cloud_host_vcpus';
const memory = 'cloud_host_memory_bytes';
const storage = 'cloud_storage_bytes';

/** What may be promised in a zone, and what of it is left; recorded, so that each page and alert has the same. */
const inZones = (resource: string, what: string) =>
  maxBy(zone, select(`cloud_zone:${resource}:${what}`, recordedOfZone));
const free = (resource: string) => inZones(resource, 'free');
const full = (resource: string) =>
  shareOf(`${inZones(resource, 'allocatable')} - ${free(resource)}`, inZones(resource, 'allocatable'));

const ofHosts = (metric: string) => maxBy(hostAndPlace, once(metric, ofHost));
const up = ofHosts('cloud_host_up');
const enabled = ofHosts('cloud_host_enabled');
const servers = sumBy(hostAndPlace, once('cloud_host_servers', ofHost));
const freeOnHosts = (resource: string) =>
  maxBy(hostAndPlace, select(`cloud_host:${resource}:free`, recordedOfHost));
/** Of all hosts, also those that take no servers now. */
const memoryFull = shareOf(
  ofHosts('cloud_host_memory_allocated_bytes'),
  ofHosts('cloud_host_memory_allocatable_bytes'),
);
const vcpusFull = shareOf(ofHosts('cloud_host_vcpus_allocated'), ofHosts('cloud_host_vcpus_allocatable'));
const devices = (metric: string) => sumBy(hostAndPlace, once(metric, ofHost));
/** Down, then disabled, then full. */
const concern = `((${up} == 0) + 4 or (${enabled} == 0) + 2 or clamp_max(${memoryFull}, 1) or 0 * ${up})`;

/** How many servers of the chosen size each host still takes: as many as the scarcer of both allows. */
const byVcpus = `floor(${freeOnHosts(vcpus)} / $vcpus)`;
const byMemory = `floor(${freeOnHosts(memory)} / ($gibibytes * ${gibibyte}))`;
const fit = `(${byVcpus} < ${byMemory} or ${byMemory})`;

const ofStorage = (metric: string) => maxBy(['storage', 'storage_type', ...zone], once(metric, ofZone));
const promised = shareOf(
  ofStorage('cloud_storage_allocated_bytes'),
  ofStorage('cloud_storage_allocatable_bytes'),
);
const written = shareOf(ofStorage('cloud_storage_used_bytes'), ofStorage('cloud_storage_capacity_bytes'));
const storageUp = ofStorage('cloud_storage_up');
/** What stops servers first: what is promised, or what is written. */
const storageFull = maxBy(
  ['storage', 'storage_type', ...zone],
  `label_replace(${written}, "of", "written", "", "") or ${promised}`,
);
const fullFrom = 0.95;

const ofNetwork = (metric: string) => maxBy(['network', 'vpc', 'server_type', ...zone], once(metric, ofZone));
const networkUp = ofNetwork('cloud_network_up');
const addressesLeft = `clamp_min(${ofNetwork('cloud_network_addresses')} - ${ofNetwork('cloud_network_addresses_used')}, 0)`;
const networkFull = shareOf(ofNetwork('cloud_network_addresses_used'), ofNetwork('cloud_network_addresses'));
/** Of networks that servers are put into; the others are for hosts, load balancers and the like. */
const freeAddresses = (labels: readonly string[]) =>
  sumBy(labels, select('cloud_zone:cloud_network_addresses:free', recordedOfZone, 'server_type="guest"'));

const holders = oneOfEachServer(
  maxBy([...server, 'name', 'project_domain', 'project', 'host', 'zone'], once('cloud_server_info', ofHost)),
);
const ofServers = (metric: string) => maxBy(server, once(metric, ofCloud));
const statuses = oneOfEachServer(maxBy([...server, 'status'], once('cloud_server_status', ofCloud)));

/** As the alert CloudZoneFullWithoutHost has it: only zones with another host that could take over. */
const short = (resource: string) => `${inZones(resource, 'spare')} < 0`;
const enoughHosts = 'scalar(max(cloud:threshold_override:spare_hosts) or max(cloud:threshold:spare_hosts))';
const manyHosts = `count by (${zone.join(', ')}) (${select(`cloud_host:${vcpus}:free`, recordedOfZone)}) >= ${enoughHosts}`;
const notN1 = `((${short(vcpus)} or ${short(memory)}) and ${manyHosts})`;

const uses = ['hosts', 'rules'] as const;

function fullOverTime(title: string, resource: string, of: Need) {
  return lines({
    title,
    description:
      'How much of what may be promised is promised: the six fullest zones, and the others together.',
    unit: 'share over time',
    height: 9,
    queries: fullestZones(free(resource), inZones(resource, 'allocatable')),
    uses: [of, 'rules'],
    nothing: 'Nothing can be promised here',
  });
}

export const host: Board = {
  description:
    'How much is left, and where; which hosts, storages and networks are full, down or disabled; and what is on a chosen host. What is left needs the recording rules, and an account that may list hosts, storages, devices and networks.',
  variables: [...hostVariables, ...serverSize],
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'Hosts and storages',
          description:
            'Hosts that are offline, and hosts on which the platform starts no servers. Zones without a spare host: the servers of the largest host would find no other place if it died, as the alert CloudZoneFullWithoutHost has it. Storages that are offline or disabled, and those of which 95 % is promised or written.',
          uses: ['storages'],
          tiles: [
            { name: 'Hosts down', steps: noneIsGood, uses: [], expr: `count(${up} == 0)` },
            { name: 'Hosts disabled', steps: fewAreFine, uses: ['hosts'], expr: `count(${enabled} == 0)` },
            { name: 'Zones without spare', steps: noneIsGood, uses, expr: `count(${notN1})` },
            { name: 'Storages down', steps: noneIsGood, expr: `count(${storageUp} == 0)` },
            { name: 'Storages full', steps: noneIsGood, expr: `count(${storageFull} >= ${fullFrom})` },
          ],
        }),
        stats({
          title: 'What is left',
          description:
            'Virtual CPUs, memory and disk that can still be promised, addresses that servers can still get, GPUs and NPUs that no server has, and how many new servers of the size that is chosen above still find a host; disks and addresses are not counted for these. Disk and addresses are those of the chosen zones, whichever host is chosen.',
          uses,
          tiles: [
            { name: 'vCPUs', steps: neutral, expr: sumBy([], freeOnHosts(vcpus)) },
            { name: 'Memory', steps: neutral, unit: 'bytes', expr: sumBy([], freeOnHosts(memory)) },
            {
              name: 'Disk',
              steps: neutral,
              unit: 'bytes',
              uses: ['storages', 'rules'],
              expr: sumBy([], free(storage)),
            },
            { name: 'Addresses', steps: noneIsShort, uses: ['networks', 'rules'], expr: freeAddresses([]) },
            {
              name: 'GPUs',
              steps: noneIsShort,
              uses: ['devices'],
              expr: sumBy([], devices('cloud_host_devices_free')),
            },
            { name: 'New servers', steps: noneIsShort, expr: sumBy([], fit) },
          ],
        }),
        table({
          title: 'By zone, the fullest first',
          description:
            'How much of the memory and vCPUs that may be promised is promised, how full the fullest storage is, and what is left. Spare: if the largest host dies, its servers find a place elsewhere. Fit: so many servers of the size that is chosen above still find a host, whatever disk and addresses they need.',
          height: 8,
          labels: zoneLabels,
          largestBy: full(memory),
          uses,
          columns: [
            { title: 'Memory %', each: full(memory), unit: 'share', steps: fullness },
            { title: 'vCPUs %', each: full(vcpus), unit: 'share', steps: fullness },
            { title: 'Disk %', each: maxBy(zone, storageFull), unit: 'share', steps: fullness },
            { title: 'Memory left', sum: free(memory), unit: 'bytes' },
            { title: 'vCPUs left', sum: free(vcpus) },
            { title: 'Disk left', sum: free(storage), unit: 'bytes' },
            { title: 'IPs left', sum: freeAddresses(zone), steps: noneIsShort },
            { title: 'Spare', each: `(0 * ${notN1} or (${manyHosts}) > bool 0)`, texts: yesOrNo },
            { title: 'Fit', sum: sumBy(zone, fit), steps: noneIsShort },
          ],
          nothing: 'No host takes servers.',
        }),
        table({
          title: 'Hosts: down, disabled, then the fullest',
          description:
            'Hosts that are offline stand first, then those on which the platform starts no servers, then those of whose memory most is promised. Memory and vCPUs are those that may be promised; devices, and how many of them are free, are of any kind.',
          height: 8,
          labels: hostLabels,
          by: hostAndPlace,
          largestBy: concern,
          columns: [
            { title: 'State', each: up, texts: upOrDown },
            { title: 'Use', each: enabled, texts: enabledOrNot },
            { title: 'Servers', each: servers },
            { title: 'Memory', each: ofHosts('cloud_host_memory_allocatable_bytes'), unit: 'bytes' },
            { title: 'Memory %', each: memoryFull, unit: 'share', steps: fullness },
            { title: 'vCPUs', each: ofHosts('cloud_host_vcpus_allocatable') },
            { title: 'vCPUs %', each: vcpusFull, unit: 'share', steps: fullness },
            { title: 'Devices', each: devices('cloud_host_devices') },
            { title: 'Free', each: devices('cloud_host_devices_free') },
          ],
          nothing: 'No hosts.',
        }),
      ],
    },
    {
      title: 'On the chosen hosts',
      panels: [
        problemTable({ title: 'Servers that need attention', height: 8 }, ofHost),
        table({
          title: 'All servers',
          description:
            'Servers of the chosen hosts, those with the most memory first. Only of clouds whose single servers are exported (per_server).',
          height: 8,
          labels: {
            name: 'Server',
            status: 'Status',
            project: 'Project',
            host: 'Host',
            zone: 'Zone',
            cloud: 'Cloud',
            project_domain: 'Domain',
          },
          by: server,
          largestBy: `(${ofServers('cloud_server_memory_bytes')} and on (cloud, id) ${holders})`,
          uses: ['perServer'],
          columns: [
            {
              title: 'vCPUs',
              list: `${holders} * on (cloud, id) group_left (status) (0 * ${statuses} + 1) * on (cloud, id) group_left () ${ofServers('cloud_server_vcpus')}`,
            },
            { title: 'Memory', each: ofServers('cloud_server_memory_bytes'), unit: 'bytes' },
            { title: 'Disk', each: ofServers('cloud_server_disk_bytes'), unit: 'bytes' },
          ],
          order: [
            'Server',
            'Status',
            'vCPUs',
            'Memory',
            'Disk',
            'Project',
            'Host',
            'Zone',
            'Cloud',
            'Domain',
          ],
          forLinks: ['Domain'],
          nothing: 'No server is on the chosen hosts.',
        }),
      ],
    },
    {
      title: 'Storages, networks, and where a server fits',
      panels: [
        table({
          title: 'Storages: down, then the fullest',
          description:
            'Promised: what servers may fill, of what the storage may promise. Written: what they have filled, of what it holds; with thin disks this is what stops them. Not every platform knows it.',
          height: 7,
          labels: { storage: 'Storage', storage_type: 'Type', ...zoneLabels },
          wide: ['Storage'],
          largestBy: `((${storageUp} == 0) + 10 or ${storageFull} or 0 * ${storageUp})`,
          uses: ['storages'],
          columns: [
            { title: 'State', each: storageUp, texts: upOrDown },
            { title: 'Promised', each: promised, unit: 'share', steps: fullness },
            { title: 'Written', each: written, unit: 'share', steps: fullness },
            { title: 'Holds', sum: ofStorage('cloud_storage_capacity_bytes'), unit: 'bytes' },
          ],
          nothing: 'No storages.',
        }),
        table({
          title: 'Networks: down, then the fullest',
          description:
            'Addresses of each network and how many of them are left, with what the network is for. A network without a free address takes no new server.',
          height: 7,
          labels: { network: 'Network', server_type: 'Type', vpc: 'VPC', ...zoneLabels },
          wide: ['Network'],
          largestBy: `((${networkUp} == 0) + 10 or ${networkFull} or 0 * ${networkUp})`,
          uses: ['networks'],
          columns: [
            { title: 'State', each: networkUp, texts: upOrDown },
            { title: 'Full', each: networkFull, unit: 'share', steps: fullness },
            { title: 'Left', sum: addressesLeft },
            { title: 'Total', sum: ofNetwork('cloud_network_addresses') },
          ],
          nothing: 'No networks.',
        }),
        table({
          title: 'Where a server of $vcpus vCPUs and $gibibytes GiB fits',
          description:
            'Hosts with at least that much left, and how many such servers each still takes, the most first, whatever disk and addresses they need. Choose the size above.',
          height: 8,
          labels: hostLabels,
          by: hostAndPlace,
          largestBy: `(${fit} > 0)`,
          uses,
          columns: [
            { title: 'Servers that fit', sum: `${fit} > 0` },
            { title: 'vCPUs left', each: freeOnHosts(vcpus) },
            { title: 'Memory left', each: freeOnHosts(memory), unit: 'bytes' },
          ],
          nothing: 'On none of the chosen hosts.',
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        fullOverTime('Memory promised, by zone', memory, 'hosts'),
        fullOverTime('vCPUs promised, by zone', vcpus, 'hosts'),
        fullOverTime('Disk promised, by zone', storage, 'storages'),
        lines({
          title: 'Hosts up, down and disabled',
          description: 'A host that is disabled may be up.',
          nothing: 'No hosts',
          queries: [
            { expr: `count(${up} == 0)`, legend: 'down', colour: 'red' },
            { expr: `count(${enabled} == 0)`, legend: 'disabled', colour: 'orange' },
            { expr: `count(${up} == 1)`, legend: 'up', colour: 'green' },
          ],
        }),
      ],
    },
  ],
};
