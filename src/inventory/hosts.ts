import { bareMetal, type ListedDevice, type ListedHost } from '../platform/side-records.ts';
import { states } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { noHost, type Groups } from './groups.ts';
import { withDistinctLabels, type LabelSet, type Labels } from './label-sets.ts';
import { labelledSums, sumsAt, type LabelledSums, type NumberedSums } from './labelled-sums.ts';
import type { HostNames, Names } from './names.ts';

/** What the list of hosts says of a host, and what follows from it. Sizes are in the platform's units; undefined where unknown. */
export interface HostCapacity extends Pick<ListedHost, 'isEnabled' | 'isInMaintenance' | 'isSchedulable'> {
  /** Real ones, without what the platform keeps for itself. */
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly storage: number | undefined;
  /** The ratios in force; absent for bare metal, as everything below. */
  readonly cpuOvercommit: number | undefined;
  readonly memoryOvercommit: number | undefined;
  /** What may be promised, and what is. */
  readonly vcpusAllocatable: number | undefined;
  readonly memoryAllocatable: number | undefined;
  readonly vcpusAllocated: number | undefined;
  readonly memoryAllocated: number | undefined;
}

/** The sums over the servers of a host that its free capacity is worked out from. */
export const capacityTotals = ['vcpusAllocated', 'memoryAllocated', 'vcpusWithDevices'] as const;
type CapacityTotals = Readonly<Record<(typeof capacityTotals)[number], Float64Array>>;

/** One host, as its servers and the list of hosts describe it: by region, zone, name and hypervisor. */
export interface Host {
  readonly id: string;
  readonly labels: Labels;
  readonly isUp: boolean;
  /** Undefined for a host that only servers name. */
  readonly capacity: HostCapacity | undefined;
}

/** The hosts of a cloud. */
export interface Hosts {
  readonly all: readonly Host[];
  /** Of the servers on them. */
  readonly byState: LabelledSums;
  /** How many there are of each type and model, as `devices`, and how many of them no server has, as `free`. */
  readonly devices: LabelledSums;
}

/** What servers say of their hosts, and add up to, by the number of the host. */
export interface HostSums {
  readonly names: readonly (HostNames | undefined)[];
  readonly hypervisors: readonly string[];
  /** By host and state. */
  readonly servers: Float64Array;
  readonly byState: NumberedSums;
  readonly totals: CapacityTotals;
}

/** What the platform promises where nothing is set. */
export interface Overcommit {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
}

interface HostsInput {
  readonly groups: Groups;
  readonly sums: HostSums;
  readonly listed: readonly ListedHost[] | undefined;
  readonly devices: readonly ListedDevice[] | undefined;
  readonly devicesInUse: ReadonlySet<string>;
  readonly names: Names;
  readonly overcommit: Overcommit;
}

/** The position of the name among the labels. */
const nameAt = 2;
const none: readonly never[] = [];

interface Joining extends HostsInput {
  readonly listed: readonly ListedHost[];
  readonly isListed: ReadonlySet<string>;
  readonly devicesOf: ReadonlyMap<string, readonly ListedDevice[]>;
  readonly found: Host[];
  /** Of what was found. */
  readonly numbers: number[];
}

/** Every host once; emulated ones of public clouds are no hosts. */
export async function joinHosts(input: HostsInput, slices: Slices): Promise<Hosts> {
  const { groups, listed = none, devices = none } = input;
  const isListed = new Set<string>();
  for (const { id } of listed) isListed.add(id);
  const devicesOf = groupDevices(devices);
  const joining: Joining = { ...input, listed, isListed, devicesOf, found: [], numbers: [] };
  await inSlices(slices, groups.hostIds.length, joining, joinNamed);
  await inSlices(slices, listed.length, joining, joinListed);
  const all = withDistinctLabels(joining.found, nameAt, groups.hosts);
  const summing: Summing = { ...joining, all, labels: [], positions: [] };
  await inSlices(slices, all.length, summing, labelStates);
  const byState = { labels: summing.labels, sums: sumsAt(input.sums.byState, summing.positions) };
  return { all, byState, devices: await countDevices(all, joining, slices) };
}

/** Those that servers name and no list has. */
function joinNamed(joining: Joining, number: number): void {
  const { groups, sums, isListed } = joining;
  const id = groups.hostIds[number]!;
  const names = sums.names[number];
  if (!names || names.host === '' || names.isEmulated === true || isListed.has(id)) return;
  const isUp = names.isUp ?? true;
  add(joining, number, { id, names, hypervisor: sums.hypervisors[number]!, isUp, capacity: undefined });
}

function joinListed(joining: Joining, at: number): void {
  const host = joining.listed[at]!;
  if (host.isEmulated) return;
  const { id, hypervisor } = host;
  const names = joining.names.hosts.get(id) ?? { host: host.name, zone: '', region: '', isUp: host.isUp };
  const number = joining.groups.hostNumbers.get(id) ?? noHost;
  const capacity = capacityOf(host, number, joining);
  add(joining, number, { id, names, hypervisor, isUp: host.isUp ?? names.isUp ?? true, capacity });
}

interface Found extends Omit<Host, 'labels'> {
  readonly names: Pick<HostNames, 'host' | 'zone' | 'region'>;
  readonly hypervisor: string;
}

function add({ groups, found, numbers }: Joining, number: number, one: Found): void {
  const { id, names, hypervisor, isUp, capacity } = one;
  const { labels } = groups.hosts.of([names.region, names.zone, names.host, hypervisor]);
  found.push({ id, labels, isUp, capacity });
  numbers.push(number);
}

interface Summing extends Joining {
  readonly all: readonly Host[];
  readonly labels: Labels[];
  readonly positions: number[];
}

function labelStates({ all, numbers, sums, groups, labels, positions }: Summing, at: number): void {
  for (let state = 0; state < states.length; state += 1) {
    const position = numbers[at]! * states.length + state;
    if (sums.servers[position] === 0) continue;
    labels.push(groups.hostStates.of([...all[at]!.labels, states[state]!]).labels);
    positions.push(position);
  }
}

/** As the platform's scheduler reckons it. */
function capacityOf(
  host: ListedHost,
  number: number,
  { sums: { totals }, devicesOf, overcommit: defaults }: Joining,
): HostCapacity {
  const { isEnabled, isInMaintenance, isSchedulable, cpus, reservedCpus, memory, reservedMemory } = host;
  const isMachine = host.hypervisor !== bareMetal;
  const cpuOvercommit = host.cpuOvercommit ?? defaults.cpu;
  const memoryOvercommit = host.hasHugePages ? 1 : (host.memoryOvercommit ?? defaults.memory);
  const vcpusAllocated = totals.vcpusAllocated[number]!;
  const memoryAllocated = totals.memoryAllocated[number]!;
  // What is kept for servers with GPUs is theirs to use.
  let kept = -totals.vcpusWithDevices[number]!;
  for (const { reservedCpus: ofDevice } of devicesOf.get(host.id) ?? none) kept += ofDevice;
  return {
    isEnabled,
    isInMaintenance,
    isSchedulable,
    cpus: cpus === undefined ? undefined : Math.max(0, cpus - reservedCpus),
    memory: memory === undefined ? undefined : Math.max(0, memory - reservedMemory),
    storage: host.storage,
    cpuOvercommit: isMachine ? cpuOvercommit : undefined,
    memoryOvercommit: isMachine ? memoryOvercommit : undefined,
    vcpusAllocatable:
      isMachine && cpus !== undefined
        ? Math.floor(cpus * cpuOvercommit) - reservedCpus - Math.max(0, kept)
        : undefined,
    memoryAllocatable:
      isMachine && memory !== undefined
        ? Math.floor((memory - reservedMemory) * memoryOvercommit)
        : undefined,
    vcpusAllocated: isMachine ? vcpusAllocated : undefined,
    memoryAllocated: isMachine ? memoryAllocated : undefined,
  };
}

function groupDevices(devices: readonly ListedDevice[]): ReadonlyMap<string, readonly ListedDevice[]> {
  const groups = new Map<string, ListedDevice[]>();
  for (const device of devices) {
    if (device.hostId === '') continue;
    const known = groups.get(device.hostId);
    if (known) known.push(device);
    else groups.set(device.hostId, [device]);
  }
  return groups;
}

async function countDevices(
  hosts: readonly Host[],
  { groups: { hostDevices }, devicesOf, devicesInUse }: Joining,
  slices: Slices,
): Promise<LabelledSums> {
  const found: { readonly set: LabelSet; readonly isFree: boolean }[] = [];
  for (const { id, labels } of hosts)
    for (const { id: device, type, model, serverId } of devicesOf.get(id) ?? none)
      found.push({
        set: hostDevices.of([...labels, type, model]),
        isFree: serverId === '' && !devicesInUse.has(device),
      });
  const [devices, free] = [new Float64Array(hostDevices.size()), new Float64Array(hostDevices.size())];
  for (const { set, isFree } of found) {
    devices[set.number]! += 1;
    free[set.number]! += Number(isFree);
  }
  return labelledSums(hostDevices.inOrder(), devices, { devices, free }, slices);
}
