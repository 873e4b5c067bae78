import { toHost } from '../links.ts';
import type { Drawing } from '../panels.ts';
import { hosts as query } from '../queries/host.ts';
import { largestFirst, table } from '../table.ts';
import { fullness, spare } from '../thresholds.ts';

const upOrDown = { '0': { text: 'down', color: 'red' }, '1': { text: 'up', color: 'green' } };
const enabledOrNot = { '0': { text: 'disabled', color: 'yellow' }, '1': { text: 'enabled', color: 'green' } };
const hostLabels = { host: 'Host', cloud: 'Cloud', zone: 'Zone', region: 'Region' };
const notTold = 'none known: the token may not read hosts, or the recording rules are not loaded';

export const zoneTable: Drawing = table({
  title: 'What is left in each zone',
  description:
    'Of what may be promised on hosts that are up and enabled: how much is promised, what is left, what is left if the largest host dies (below zero its servers find no place), and the largest server that still fits on one host.',
  width: 24,
  height: 10,
  labels: { zone: 'Zone', cloud: 'Cloud', region: 'Region' },
  columns: [
    { title: 'Memory full', expr: query.zones.memoryFull, unit: 'share', steps: fullness },
    { title: 'vCPUs full', expr: query.zones.vcpusFull, unit: 'share', steps: fullness },
    { title: 'Memory left', expr: query.zones.memoryLeft, unit: 'bytes' },
    { title: 'vCPUs left', expr: query.zones.vcpusLeft },
    { title: 'Memory N+1', expr: query.zones.memoryWithout, unit: 'bytes', steps: spare },
    { title: 'vCPUs N+1', expr: query.zones.vcpusWithout, steps: spare },
    { title: 'Servers that fit', expr: query.zones.fit },
    { title: 'Largest memory', expr: query.zones.largestMemory, unit: 'bytes' },
    { title: 'Largest vCPUs', expr: query.zones.largestVcpus },
    { title: 'vCPUs per CPU', expr: query.zones.vcpusPerReal, unit: 'number' },
  ],
  order: [
    'Zone',
    'Cloud',
    'Memory full',
    'vCPUs full',
    'Memory left',
    'vCPUs left',
    'Memory N+1',
    'vCPUs N+1',
    'Servers that fit',
    'Largest memory',
    'Largest vCPUs',
    'vCPUs per CPU',
  ],
  sortBy: largestFirst('Memory full'),
  nothing: notTold,
});

export const hostTables: readonly Drawing[] = [
  table({
    title: 'Hosts that are down or disabled',
    description: 'Hosts that are offline, or on which the platform starts no servers.',
    width: 24,
    height: 8,
    labels: hostLabels,
    columns: [
      { title: 'State', expr: query.bad.up, texts: upOrDown },
      { title: 'Use', expr: query.bad.enabled, texts: enabledOrNot },
      { title: 'Servers', expr: query.bad.servers },
    ],
    order: ['Host', 'State', 'Use', 'Servers'],
    sortBy: [
      { title: 'State', descending: false },
      { title: 'Servers', descending: true },
    ],
  }),
  table({
    title: 'Fullest hosts',
    description: 'Hosts of whose memory the largest part is promised, among those that are up and enabled.',
    width: 24,
    height: 9,
    labels: hostLabels,
    columns: [
      { title: 'Memory full', expr: query.fullest.memoryFull, unit: 'share', steps: fullness },
      { title: 'vCPUs full', expr: query.fullest.vcpusFull, unit: 'share', steps: fullness },
      { title: 'Memory left', expr: query.fullest.memoryLeft, unit: 'bytes' },
      { title: 'vCPUs left', expr: query.fullest.vcpusLeft },
    ],
    order: ['Host', 'Memory full', 'vCPUs full', 'Memory left', 'vCPUs left'],
    sortBy: largestFirst('Memory full'),
    links: [toHost],
    nothing: notTold,
  }),
  table({
    title: 'Densest hosts',
    description: 'Hosts with the most servers, and what these take up.',
    width: 24,
    height: 9,
    labels: hostLabels,
    columns: [
      { title: 'Servers', expr: query.densest.servers },
      { title: 'vCPUs', expr: query.densest.vcpus },
      { title: 'Memory', expr: query.densest.memory, unit: 'bytes' },
    ],
    order: ['Host', 'Servers', 'vCPUs', 'Memory'],
    sortBy: largestFirst('Servers'),
    links: [toHost],
  }),
];
