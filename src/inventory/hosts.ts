import { bareMetal, type ListedDevice, type ListedHost } from '../platform/side-records.ts';
import { states } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { noHost, type Groups } from './groups.ts';
import { withDistinctLabels, type Labels } from './label-sets.ts';
import { labelledSums, sumsAt, type LabelledSums, type Sum } from './labelled-sums.ts';
import type { HostNames, Names } from './names.ts';

/** One host, as its servers and the list of hosts describe it: by region, zone, name and hypervisor. */
export interface Host {
  readonly id: string;
  /** Under which its servers add up; `noHost` where it has none. */
  readonly number: number;
  readonly labels: Labels;
  readonly isUp: boolean;
  /** Undefined for a host that only servers name. */
  readonly capacity: ReturnType<typeof capacityOf> | undefined;
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
  readonly names: (HostNames | undefined)[];
  readonly hypervisors: string[];
  /** By host and state. */
  readonly servers: Float64Array;
  readonly byState: readonly Sum[];
  /** What the scheduler takes from the capacity of the host, with standbys. */
  readonly vcpusAllocated: Float64Array;
  readonly memoryAllocated: Float64Array;
  readonly vcpusWithDevices: Float64Array;
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

const none: readonly never[] = [];

interface Joining extends HostsInput {
  readonly listed: readonly ListedHost[];
  readonly isListed: ReadonlySet<string>;
  readonly devicesOf: ReadonlyMap<string, readonly ListedDevice[]>;
  readonly hosts: Host[];
  /** Of hosts by state that have servers, and where the sums of these stand. */
  readonly labels: Labels[];
  readonly positions: number[];
}

/** Every host once; emulated ones of public clouds are no hosts. */
export async function joinHosts(input: HostsInput, slices: Slices): Promise<Hosts> {
  const { groups, sums, listed = none, devices = none } = input;
  const isListed = new Set(listed.map(idOf));
  const devicesOf = groupDevices(devices);
  const found: Joining = { ...input, listed, isListed, devicesOf, hosts: [], labels: [], positions: [] };
  await inSlices(slices, groups.hostIds.length, found, joinNamed);
  await inSlices(slices, listed.length, found, joinListed);
  const joining = { ...found, hosts: [...withDistinctLabels(found.hosts, 2, groups.hosts)] };
  const { hosts: all, labels, positions } = joining;
  await inSlices(slices, all.length, joining, labelStates);
  const byState = { labels, sums: sumsAt(sums.byState, positions) };
  return { all, byState, devices: await countDevices(joining, slices) };
}

function idOf({ id }: ListedHost): string {
  return id;
}

/** Those that servers name and no list has. */
function joinNamed({ groups, sums, isListed, hosts }: Joining, number: number): void {
  const id = groups.hostIds[number]!;
  const names = sums.names[number];
  if (!names || names.host === '' || names.isEmulated === true || isListed.has(id)) return;
  const labels = labelsOf(groups, names, sums.hypervisors[number]!);
  hosts.push({ id, number, labels, isUp: names.isUp ?? true, capacity: undefined });
}

function joinListed(joining: Joining, at: number): void {
  const { groups, hosts } = joining;
  const host = joining.listed[at]!;
  if (host.isEmulated) return;
  const { id, hypervisor } = host;
  const names = joining.names.hosts.get(id) ?? { host: host.name, zone: '', region: '', isUp: host.isUp };
  const number = groups.hostNumbers.get(id) ?? noHost;
  const labels = labelsOf(groups, names, hypervisor);
  const isUp = host.isUp ?? names.isUp ?? true;
  hosts.push({ id, number, labels, isUp, capacity: capacityOf(host, number, joining) });
}

function labelsOf(
  { hosts }: Groups,
  { region, zone, host }: Pick<HostNames, 'host' | 'zone' | 'region'>,
  hypervisor: string,
): Labels {
  return hosts.of([region, zone, host, hypervisor]).labels;
}

function labelStates({ hosts, sums, groups, labels, positions }: Joining, at: number): void {
  const host = hosts[at]!;
  for (let state = 0; state < states.length; state += 1) {
    const position = host.number * states.length + state;
    if (sums.servers[position] === 0) continue;
    labels.push(groups.hostStates.of([...host.labels, states[state]!]).labels);
    positions.push(position);
  }
}

/** What the list of hosts says of a host, and what follows from it as the platform's scheduler reckons. Sizes are in the platform's units; undefined where unknown. */
function capacityOf(
  host: ListedHost,
  number: number,
  { sums, devicesOf, overcommit: defaults }: HostsInput & Pick<Joining, 'devicesOf'>,
) {
  const { isEnabled, isInMaintenance, isSchedulable, cpus, reservedCpus, memory, reservedMemory } = host;
  const isMachine = host.hypervisor !== bareMetal;
  const cpuOvercommit = host.cpuOvercommit ?? defaults.cpu;
  const memoryOvercommit = host.hasHugePages ? 1 : (host.memoryOvercommit ?? defaults.memory);
  // What is kept for servers with GPUs is theirs to use.
  let kept = -sums.vcpusWithDevices[number]!;
  for (const { reservedCpus: ofDevice } of devicesOf.get(host.id) ?? none) kept += ofDevice;
  return {
    isEnabled,
    isInMaintenance,
    isSchedulable,
    /** Real ones, without what the platform keeps for itself. */
    cpus: cpus === undefined ? undefined : Math.max(0, cpus - reservedCpus),
    memory: memory === undefined ? undefined : Math.max(0, memory - reservedMemory),
    storage: host.storage,
    /** The ratios in force; absent for bare metal, as everything below. */
    cpuOvercommit: isMachine ? cpuOvercommit : undefined,
    memoryOvercommit: isMachine ? memoryOvercommit : undefined,
    /** What may be promised, and what is. */
    vcpusAllocatable:
      isMachine && cpus !== undefined
        ? Math.floor(cpus * cpuOvercommit) - reservedCpus - Math.max(0, kept)
        : undefined,
    memoryAllocatable:
      isMachine && memory !== undefined
        ? Math.floor((memory - reservedMemory) * memoryOvercommit)
        : undefined,
    vcpusAllocated: isMachine ? sums.vcpusAllocated[number] : undefined,
    memoryAllocated: isMachine ? sums.memoryAllocated[number] : undefined,
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
  { hosts, groups: { hostDevices }, devices = none, devicesOf, devicesInUse }: Joining,
  slices: Slices,
): Promise<LabelledSums> {
  const most = hostDevices.size() + devices.length;
  const [all, free] = [new Float64Array(most), new Float64Array(most)];
  for (const { id, labels } of hosts)
    for (const { id: device, type, model, serverId } of devicesOf.get(id) ?? none) {
      const { number } = hostDevices.of([...labels, type, model]);
      all[number]! += 1;
      if (serverId === '' && !devicesInUse.has(device)) free[number]! += 1;
    }
  const sums = [
    { name: 'devices', numbers: all },
    { name: 'free', numbers: free },
  ];
  return labelledSums(hostDevices, sums, slices);
}
