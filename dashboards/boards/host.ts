import type { Board } from '../board.ts';
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
} from '../look.ts';
import { lines, stats } from '../panels.ts';
import {
  fullestLines,
  gpuTypes,
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
const full = (resource: string) => `1 - ${free(resource)} / ${inZones(resource, 'allocatable')}`;
const freeGpus = sumBy(zone, select('cloud_zone:cloud_host_devices:free', recordedOfZone, gpuTypes));

const up = maxBy(hostAndPlace, once('cloud_host_up', ofHost));
const enabled = maxBy(hostAndPlace, once('cloud_host_enabled', ofHost));
const isDown = `(1 - ${up})`;
const servers = sumBy(hostAndPlace, once('cloud_host_servers', ofHost));
const bad = `(${isDown} == 1 or 0.5 * (1 - ${enabled}) > 0)`;

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

const ofStorage = (metric: string) => maxBy(['storage', 'storage_type', ...zone], once(metric, ofZone));
const storageFull = `${ofStorage('cloud_storage_allocated_bytes')} / ${ofStorage('cloud_storage_allocatable_bytes')}`;
const storageWritten = `${ofStorage('cloud_storage_used_bytes')} / ${ofStorage('cloud_storage_capacity_bytes')}`;

/** As the alert CloudZoneFullWithoutHost has it: only zones with another host that could take over. */
const short = (resource: string) => `${inZones(resource, 'spare')} < 0`;
const enoughHosts = 'scalar(max(cloud:threshold_override:spare_hosts) or max(cloud:threshold:spare_hosts))';
const manyHosts = `count by (${zone.join(', ')}) (${select(`cloud_host:${vcpus}:free`, recordedOfZone)}) >= ${enoughHosts}`;
const notN1 = `((${short(vcpus)} or ${short(memory)}) and ${manyHosts})`;

const notTold = 'hosts not told';
const why = 'none known: the token may not list them, or the recording rules are not loaded';

function fullOverTime(title: string, resource: string) {
  return lines({
    title,
    description:
      'How much of what may be promised is promised: the ten fullest zones, and the others together.',
    unit: 'share over time',
    queries: fullestLines(
      zone,
      '{{cloud}} {{zone}} ({{region}})',
      free(resource),
      inZones(resource, 'allocatable'),
    ),
    nothing: notTold,
  });
}

export const host: Board = {
  description:
    'How much room is left, and where; which hosts are full, down or disabled. What is left needs the recording rules, and a token that may list hosts, storages and devices.',
  variables: [...hostVariables, ...serverSize],
  from: 'now-24h',
  rows: [
    {
      panels: [
        stats({
          title: 'Hosts, and what they have room for',
          description:
            'Hosts that are offline, and hosts on which the platform starts no servers. Zones not N+1: the servers of the largest host would find no other place if it died, as the alert CloudZoneFullWithoutHost has it. Servers that fit: how many of the size chosen above can still be started, each on one host.',
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
          nothing: notTold,
          tiles: [
            { name: 'vCPUs left', steps: neutral, expr: sumBy([], free(vcpus)) },
            { name: 'Memory left', steps: neutral, unit: 'bytes', expr: sumBy([], free(memory)) },
            { name: 'Disk left', steps: neutral, unit: 'bytes', expr: sumBy([], free(storage)) },
            { name: 'GPUs free', steps: noneIsShort, expr: sumBy([], freeGpus) },
          ],
        }),
        table({
          title: 'Room by zone, the fullest first',
          description:
            'How much of what may be promised is promised, and what is left. N+1: if the largest host dies, its servers find a place elsewhere. Fit: so many servers of the size that is chosen above can still be started, each on one host.',
          height: 8,
          labels: zoneLabels,
          largestBy: full(memory),
          columns: [
            { title: 'Memory full', each: full(memory), unit: 'share', steps: fullness },
            { title: 'vCPUs full', each: full(vcpus), unit: 'share', steps: fullness },
            { title: 'Disk full', each: full(storage), unit: 'share', steps: fullness },
            { title: 'Memory left', sum: free(memory), unit: 'bytes' },
            { title: 'vCPUs left', sum: free(vcpus) },
            { title: 'Disk left', sum: free(storage), unit: 'bytes' },
            { title: 'GPUs free', sum: freeGpus },
            { title: 'N+1', each: `(0 * ${notN1} or (${manyHosts}) > bool 0)`, texts: yesOrNo },
            { title: 'Fit', sum: sumBy(zone, fit), steps: noneIsShort },
          ],
          nothing: why,
        }),
        table({
          title: 'Where a server of $vcpus vCPUs and $gibibytes GiB fits',
          description:
            'Hosts with at least that much left, and how many such servers each still takes, the most first. Choose the size above.',
          height: 7,
          labels: hostLabels,
          largestBy: `(${fit} > 0)`,
          columns: [
            { title: 'Servers that fit', sum: fit },
            { title: 'vCPUs left', sum: freeOnHosts(vcpus) },
            { title: 'Memory left', sum: freeOnHosts(memory), unit: 'bytes' },
          ],
          nothing: 'nowhere known',
        }),
      ],
    },
    {
      title: 'Hosts and storages',
      panels: [
        table({
          title: 'Hosts that are down or disabled',
          description:
            'Hosts that are offline, then hosts on which the platform starts no servers; of both those with the most servers first.',
          height: 6,
          labels: hostLabels,
          largestBy: `(${bad} + 1e-6 * ${servers} or ${bad})`,
          columns: [
            { title: 'State', list: isDown, texts: { '0': upWords, '1': downWords } },
            { title: 'Use', each: enabled, texts: enabledOrNot },
            { title: 'Servers', each: servers },
          ],
        }),
        table({
          title: 'Fullest hosts',
          description: 'Hosts of whose memory the largest part is promised, among those that take servers.',
          height: 7,
          labels: hostLabels,
          largestBy: fullOfHost(memory),
          columns: [
            { title: 'Memory full', each: fullOfHost(memory), unit: 'share', steps: fullness },
            { title: 'vCPUs full', each: fullOfHost(vcpus), unit: 'share', steps: fullness },
            { title: 'Memory left', sum: freeOnHosts(memory), unit: 'bytes' },
            { title: 'vCPUs left', sum: freeOnHosts(vcpus) },
            { title: 'Servers', each: servers },
          ],
          nothing: why,
        }),
        table({
          title: 'Fullest storages',
          description:
            'Promised: what servers may fill, of what the storage may promise. Written: what they have filled, of what it holds; with thin disks this is what stops them. Not every platform knows it.',
          height: 7,
          labels: { storage: 'Storage', storage_type: 'Type', ...zoneLabels },
          largestBy: storageFull,
          columns: [
            { title: 'Promised', each: storageFull, unit: 'share', steps: fullness },
            { title: 'Written', each: storageWritten, unit: 'share', steps: fullness },
            { title: 'Holds', sum: ofStorage('cloud_storage_capacity_bytes'), unit: 'bytes' },
            { title: 'State', each: ofStorage('cloud_storage_up'), texts: upOrDown },
          ],
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
