import { bareMetal, type ListedDevice, type ListedHost } from '../platform/side-records.ts';
import { states, type State } from '../platform/state.ts';
import { withDistinctLabels } from './distinct-labels.ts';
import type { HostNames, Names } from './names.ts';
import type { HostServers } from './sums.ts';
import { byCodeUnit } from './tree.ts';

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
type CapacityTotals = Readonly<Record<(typeof capacityTotals)[number], number>>;

/** Devices of one type and model, which are its labels. */
export interface HostDevices {
  readonly labels: readonly string[];
  readonly devices: number;
  readonly free: number;
}

/** One host, as its servers and the lists of hosts and devices describe it: by region, zone, name and hypervisor. */
export interface Host {
  readonly id: string;
  readonly labels: readonly string[];
  readonly isUp: boolean;
  /** Sums over its servers, by state, in the order of the states. */
  readonly states: HostServers['states'];
  /** Undefined for a host that only servers name. */
  readonly capacity: HostCapacity | undefined;
  readonly devices: readonly HostDevices[];
}

/** What the platform promises where nothing is set. */
export interface Overcommit {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
}

interface HostsInput {
  readonly servers: readonly HostServers[];
  readonly listed: readonly ListedHost[] | undefined;
  readonly devices: readonly ListedDevice[] | undefined;
  readonly devicesInUse: ReadonlySet<string>;
  readonly names: Names;
  readonly overcommit: Overcommit;
}

/** The position of the name among the labels. */
const nameAt = 2;
const none: readonly never[] = [];

/** Every host once, in the order of its labels; emulated ones of public clouds are no hosts. */
export function joinHosts(input: HostsInput): readonly Host[] {
  const { listed = none, names } = input;
  const ids = new Set(listed.map(({ id }) => id));
  const idsByName = onlyOnesByName(listed);
  /** By the id of a listed host; the others are known by what they say themselves. */
  const servers = new Map<string, HostServers>();
  const hosts: Host[] = [];
  const devicesOf = groupDevices(input.devices ?? none);
  for (const one of input.servers) {
    const id = one.id === '' ? (idsByName.get(one.names.host) ?? '') : one.id;
    const before = servers.get(id);
    if (ids.has(id)) servers.set(id, before ? addServers(before, one) : one);
    else if (one.names.host !== '' && one.names.isEmulated !== true)
      hosts.push(join(one, undefined, devicesOf.get(one.id), input));
  }
  for (const one of listed) {
    const { id, hypervisor, isEmulated } = one;
    if (isEmulated) continue;
    const { states: inStates = none, totals = {} } = servers.get(id) ?? {};
    const host = { id, names: names.hosts.get(id) ?? nowhere(one), hypervisor, states: inStates, totals };
    hosts.push(join(host, one, devicesOf.get(id), input));
  }
  return withDistinctLabels(hosts, nameAt);
}

function join(
  { id, names: { region, zone, host, isUp = true }, hypervisor, states: inStates, totals }: HostServers,
  listed: ListedHost | undefined,
  devices: readonly ListedDevice[] = none,
  { overcommit, devicesInUse }: HostsInput,
): Host {
  return {
    id,
    labels: [region, zone, host, hypervisor],
    isUp: listed?.isUp ?? isUp,
    states: inStates,
    capacity: listed && capacityOf(listed, totals, devices, overcommit),
    devices: countDevices(devices, devicesInUse),
  };
}

function nowhere({ name, isUp, isEmulated, zoneId }: ListedHost): HostNames {
  return { host: name, zone: '', region: '', isUp, isEmulated, zoneId };
}

/** Servers without the id of their host name it, which says enough if only one has that name. */
function onlyOnesByName(listed: readonly ListedHost[]): ReadonlyMap<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of listed) ids.set(name, ids.has(name) ? undefined : id);
  return ids;
}

/** As the platform's scheduler reckons it. */
function capacityOf(
  host: ListedHost,
  totals: Partial<CapacityTotals>,
  devices: readonly ListedDevice[],
  defaults: Overcommit,
): HostCapacity {
  const { isEnabled, isInMaintenance, isSchedulable, cpus, reservedCpus, memory, reservedMemory } = host;
  const isMachine = host.hypervisor !== bareMetal;
  const cpuOvercommit = host.cpuOvercommit ?? defaults.cpu;
  const memoryOvercommit = host.hasHugePages ? 1 : (host.memoryOvercommit ?? defaults.memory);
  const { vcpusAllocated = 0, memoryAllocated = 0, vcpusWithDevices = 0 } = totals;
  // What is kept for servers with GPUs is theirs to use.
  const kept = Math.max(0, devices.reduce((sum, device) => sum + device.reservedCpus, 0) - vcpusWithDevices);
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
      isMachine && cpus !== undefined ? Math.floor(cpus * cpuOvercommit) - reservedCpus - kept : undefined,
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

function countDevices(devices: readonly ListedDevice[], inUse: ReadonlySet<string>): readonly HostDevices[] {
  if (devices.length === 0) return none;
  const counts = new Map<string, HostDevices>();
  for (const { id, type, model, serverId } of devices) {
    const labels = [type, model];
    const key = JSON.stringify(labels);
    const { devices: count, free } = counts.get(key) ?? { devices: 0, free: 0 };
    const isFree = serverId === '' && !inUse.has(id);
    counts.set(key, { labels, devices: count + 1, free: free + Number(isFree) });
  }
  return [...counts].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, count]) => count);
}

/** Some servers give the id of their host, and others its name. */
function addServers(one: HostServers, another: HostServers): HostServers {
  const sumsIn = (host: HostServers, state: State) => host.states.find((sums) => sums.state === state)?.sums;
  const inStates = states.flatMap((state) => {
    const [sums, more] = [sumsIn(one, state), sumsIn(another, state)];
    return sums || more ? [{ state, sums: addNumbers(sums, more) }] : [];
  });
  return { ...one, states: inStates, totals: addNumbers(one.totals, another.totals) };
}

function addNumbers(
  one: Readonly<Record<string, number>> = {},
  another: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const names = Object.keys({ ...one, ...another });
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (another[name] ?? 0)]));
}
