import type { Board } from '../board.ts';
import { toHost } from '../links.ts';
import {
  down as downWords,
  enabledOrNot,
  fewAreFine,
  fullness,
  neutral,
  noneIsGood,
  noneIsShort,
  up as upWords,
  upOrDown,
  yesOrNo,
  none,
} from '../look.ts';
import { lines, stats } from '../panels.ts';
import {
  fullestLines,
  gpuTypes,
  largest,
  maxBy,
  ofHost,
  ofZone,
  once,
  orZero,
  recordedOfHost,
  recordedOfZone,
  select,
  sumBy,
  zone,
} from '../promql.ts';
import { largestFirst, table } from '../table.ts';
import { trust } from '../trust.ts';
import { hostVariables, serverSize } from '../variables.ts';

const hostAndPlace = ['host', ...zone];
const gibibyte = 2 ** 30;

/** What may be promised in a zone, and what of it is left; recorded, so that each page and alert has the same. */
const inZones = (resource: string, what: string) =>
  maxBy(zone, select(`cloud_zone:${resource}:${what}`, recordedOfZone));
const full = (resource: string) => `1 - ${inZones(resource, 'free')} / ${inZones(resource, 'allocatable')}`;
const freeGpus = sumBy(zone, select('cloud_zone:cloud_host_devices:free', recordedOfZone, gpuTypes));
const vcpus = 'cloud_host_vcpus';
const memory = 'cloud_host_memory_bytes';
const storage = 'cloud_storage_bytes';

const up = maxBy(hostAndPlace, once('cloud_host_up', ofHost));
const enabled = maxBy(hostAndPlace, once('cloud_host_enabled', ofHost));
const isDown = `(1 - ${up})`;
/** Those that are down first. */
const bad = largest(hostAndPlace, `(${isDown} == 1 or 0.5 * (1 - ${enabled}) > 0)`);
const servers = (...matchers: string[]) => once('cloud_host_servers', ofHost, ...matchers);

const freeOnHosts = (resource: string) =>
  maxBy(hostAndPlace, select(`cloud_host:${resource}:free`, recordedOfHost));
const allocatable = (resource: string) =>
  resource === vcpus ? 'cloud_host_vcpus_allocatable' : 'cloud_host_memory_allocatable_bytes';
const fullOfHost = (resource: string) =>
  `1 - ${freeOnHosts(resource)} / ${maxBy(hostAndPlace, once(allocatable(resource), ofHost))}`;

/** How many servers of the chosen size each host still takes: as many as the scarcer of both allows. */
const byVcpus = `floor(${freeOnHosts(vcpus)} / $vcpus)`;
const byMemory = `floor(${freeOnHosts(memory)} / ($gibibytes * ${gibibyte}))`;
const fit = `(${byVcpus} < ${byMemory} or ${byMemory})`;
const roomy = largest(hostAndPlace, `(${fit} > 0)`);

const zones = largest(['zone', 'cloud', 'region'], full(memory));
const fullest = largest(hostAndPlace, fullOfHost(memory));
const place = ['storage', 'storage_type', ...zone];
const ofStorage = (metric: string) => maxBy(place, once(metric, ofZone));
const storageFull = `${ofStorage('cloud_storage_allocated_bytes')} / ${ofStorage('cloud_storage_allocatable_bytes')}`;
const storages = largest(place, storageFull);

/** As the alert CloudZoneFullWithoutHost has it: only zones with another host that could take over. */
const short = (resource: string) => `${inZones(resource, 'spare')} < 0`;
const enoughHosts = 'scalar(max(cloud:threshold_override:spare_hosts) or max(cloud:threshold:spare_hosts))';
const manyHosts = `count by (${zone.join(', ')}) (${select(`cloud_host:${vcpus}:free`, recordedOfZone)}) >= ${enoughHosts}`;
const notN1 = `((${short(vcpus)} or ${short(memory)}) and ${manyHosts})`;

const notTold = 'hosts not told';
const why = 'none known: the token may not list them, or the recording rules are not loaded';
const hostLabels = { host: 'Host', zone: 'Zone', cloud: 'Cloud', region: 'Region' };

function fullOverTime(title: string, resource: string) {
  return lines({
    title,
    description:
      'How much of what may be promised is promised: the ten fullest zones, and the others together.',
    unit: 'share',
    width: 12,
    height: 9,
    legend: 'beside',
    queries: fullestLines(
      zone,
      '{{cloud}} {{zone}} ({{region}})',
      inZones(resource, 'free'),
      inZones(resource, 'allocatable'),
    ),
    nothing: notTold,
  });
}

export const host: Board = {
  uid: 'cloud-host',
  title: 'Cloud: Host',
  description:
    'How much room is left, and where; which hosts are full, down or disabled. What is left needs the recording rules, and a token that may list hosts, storages and devices.',
  variables: [...hostVariables, ...serverSize],
  from: 'now-24h',
  rows: [
    {
      panels: [
        trust,
        stats({
          title: 'Hosts, and what they have room for',
          description:
            'Hosts that are offline, and hosts on which the platform starts no servers. Zones not N+1: the servers of the largest host would find no other place if it died, as the alert CloudZoneFullWithoutHost has it. Servers that fit: how many of the size chosen above can still be started, each on one host.',
          unit: 'count',
          width: 24,
          height: 3,
          nothing: notTold,
          tiles: [
            { name: 'Hosts down', steps: noneIsGood, expr: orZero(`count(${up} == 0)`) },
            {
              name: 'Hosts disabled',
              steps: fewAreFine,
              expr: `count(${enabled} == 0) or 0 * count(${enabled} == 1)`,
            },
            { name: 'Zones not N+1', steps: noneIsGood, expr: `count(${notN1}) or 0 * count(${manyHosts})` },
            { name: 'Servers that fit', steps: noneIsShort, expr: sumBy([], fit) },
          ],
        }),
        stats({
          title: 'What is left',
          description:
            'Virtual CPUs, memory and disk that can still be promised, and GPUs and NPUs that no server has.',
          unit: 'count',
          width: 24,
          height: 3,
          nothing: notTold,
          tiles: [
            { name: 'vCPUs left', steps: neutral, expr: sumBy([], inZones(vcpus, 'free')) },
            { name: 'Memory left', steps: neutral, unit: 'bytes', expr: sumBy([], inZones(memory, 'free')) },
            {
              name: 'Disk left',
              steps: neutral,
              unit: 'bytes',
              expr: sumBy([], inZones(storage, 'free')),
            },
            { name: 'GPUs free', steps: noneIsShort, expr: sumBy([], freeGpus) },
          ],
        }),
        table({
          title: 'Room by zone, the fullest first',
          description:
            'How much of what may be promised is promised, and what is left. N+1: if the largest host dies, its servers find a place elsewhere. Fit: so many servers of the size that is chosen above can still be started, each on one host.',
          width: 24,
          height: 8,
          labels: { zone: 'Zone', cloud: 'Cloud', region: 'Region' },
          columns: [
            { title: 'Memory full', expr: zones.column(full(memory)), unit: 'share', steps: fullness },
            { title: 'vCPUs full', expr: zones.column(full(vcpus)), unit: 'share', steps: fullness },
            { title: 'Disk full', expr: zones.column(full(storage)), unit: 'share', steps: fullness },
            { title: 'Memory left', expr: zones.sum(inZones(memory, 'free')), unit: 'bytes' },
            { title: 'vCPUs left', expr: zones.sum(inZones(vcpus, 'free')) },
            { title: 'Disk left', expr: zones.sum(inZones(storage, 'free')), unit: 'bytes' },
            { title: 'GPUs free', expr: zones.sum(freeGpus) },
            { title: 'N+1', expr: zones.column(`(0 * ${notN1} or (${manyHosts}) > bool 0)`), texts: yesOrNo },
            { title: 'Fit', expr: zones.sum(sumBy(zone, fit)), steps: noneIsShort },
          ],
          sortBy: largestFirst('Memory full'),
          nothing: why,
        }),
        table({
          title: 'Where a server of $vcpus vCPUs and $gibibytes GiB fits',
          description:
            'Hosts with at least that much left, and how many such servers each still takes. Choose the size above.',
          width: 24,
          height: 7,
          labels: { zone: 'Zone', host: 'Host', cloud: 'Cloud', region: 'Region' },
          columns: [
            { title: 'Servers that fit', expr: roomy.sum(fit) },
            { title: 'vCPUs left', expr: roomy.sum(freeOnHosts(vcpus)) },
            { title: 'Memory left', expr: roomy.sum(freeOnHosts(memory)), unit: 'bytes' },
          ],
          sortBy: largestFirst('Servers that fit'),
          links: [toHost],
          nothing: 'nowhere known',
        }),
      ],
    },
    {
      title: 'Hosts and storages',
      panels: [
        table({
          title: 'Hosts that are down or disabled',
          description: 'Hosts that are offline, or on which the platform starts no servers.',
          width: 24,
          height: 6,
          labels: hostLabels,
          columns: [
            {
              title: 'State',
              expr: bad.list('host', isDown, -1),
              texts: { '0': upWords, '1': downWords, '-1': none },
            },
            { title: 'Use', expr: bad.column(enabled), texts: enabledOrNot },
            { title: 'Servers', expr: bad.column(sumBy(hostAndPlace, servers())) },
          ],
          sortBy: [
            { title: 'State', descending: true },
            { title: 'Servers', descending: true },
          ],
        }),
        table({
          title: 'Fullest hosts',
          description: 'Hosts of whose memory the largest part is promised, among those that take servers.',
          width: 24,
          height: 7,
          labels: hostLabels,
          columns: [
            {
              title: 'Memory full',
              expr: fullest.column(fullOfHost(memory)),
              unit: 'share',
              steps: fullness,
            },
            { title: 'vCPUs full', expr: fullest.column(fullOfHost(vcpus)), unit: 'share', steps: fullness },
            { title: 'Memory left', expr: fullest.sum(freeOnHosts(memory)), unit: 'bytes' },
            { title: 'vCPUs left', expr: fullest.sum(freeOnHosts(vcpus)) },
            { title: 'Servers', expr: fullest.column(sumBy(hostAndPlace, servers())) },
          ],
          sortBy: largestFirst('Memory full'),
          links: [toHost],
          nothing: why,
        }),
        table({
          title: 'Fullest storages',
          description:
            'Promised: what servers may fill, of what the storage may promise. Written: what they have filled, of what it holds; with thin disks this is what stops them. Not every platform knows it.',
          width: 24,
          height: 7,
          labels: {
            storage: 'Storage',
            storage_type: 'Type',
            zone: 'Zone',
            cloud: 'Cloud',
            region: 'Region',
          },
          columns: [
            { title: 'Promised', expr: storages.column(storageFull), unit: 'share', steps: fullness },
            {
              title: 'Written',
              expr: storages.column(
                `${ofStorage('cloud_storage_used_bytes')} / ${ofStorage('cloud_storage_capacity_bytes')}`,
              ),
              unit: 'share',
              steps: fullness,
            },
            { title: 'Holds', expr: storages.sum(ofStorage('cloud_storage_capacity_bytes')), unit: 'bytes' },
            { title: 'State', expr: storages.column(ofStorage('cloud_storage_up')), texts: upOrDown },
          ],
          sortBy: largestFirst('Promised'),
          nothing: 'none known: the token may not list storages',
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        fullOverTime('Memory promised, by zone', memory),
        fullOverTime('vCPUs promised, by zone', vcpus),
        fullOverTime('Disk promised, by zone', storage),
        lines({
          title: 'Hosts up, down and disabled',
          description: 'A host that is disabled may be up.',
          unit: 'count',
          width: 12,
          height: 9,
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
