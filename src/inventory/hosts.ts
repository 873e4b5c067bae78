import type { ListedDevice } from '../platform/device.ts';
import { bareMetal, type ListedHost } from '../platform/host.ts';
import { states, type State } from '../platform/state.ts';
import type { ListedStorage } from '../platform/storage.ts';
import type { HostNames, Names, PlaceOf } from './names.ts';
import type { HostServers } from './sums.ts';
import { compareLists } from './tree.ts';

/** What the list of hosts says of a host, and what follows from it. Sizes are in the platform's units; undefined where unknown. */
export interface HostRoom extends Pick<ListedHost, 'isEnabled' | 'isInMaintenance' | 'isSchedulable'> {
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

interface Labelled {
  readonly labels: readonly string[];
}

/** The last of the measures of hosts: what the room of a host is worked out from. Never exported by themselves. */
export const roomMeasures = ['vcpusAllocated', 'memoryAllocated', 'vcpusWithDevices'] as const;

/** Devices of one type and model, which are its labels. */
export interface HostDevices extends Labelled {
  readonly devices: number;
  readonly free: number;
}

/** One host, as its servers and the lists of hosts and devices tell of it: by region, zone, name and hypervisor. */
export interface Host extends Labelled {
  readonly isUp: boolean;
  /** Sums over its servers, one for each measure of the hosts, by their state in the order of the states. */
  readonly states: readonly { readonly state: State; readonly sums: readonly number[] }[];
  /** Undefined for a host that only servers name. */
  readonly room: HostRoom | undefined;
  readonly devices: readonly HostDevices[];
}

/** What the platform promises where nothing is set. */
export interface Overcommit {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
}

type HostSums = HostServers['sums'];

const noSums: HostSums = new Map();
const none: readonly never[] = [];

interface ToldOfHosts {
  readonly told: readonly HostServers[];
  readonly listed: readonly ListedHost[] | undefined;
  readonly devices: readonly ListedDevice[] | undefined;
  readonly devicesInUse: ReadonlySet<string>;
  readonly names: Names;
  readonly overcommit: Overcommit;
}

/** Every host once, in the order of its labels; emulated ones of public clouds are no hosts. */
export function joinHosts(input: ToldOfHosts): readonly Host[] {
  const { listed = [], names } = input;
  const ids = new Set(listed.map(({ id }) => id));
  const idsByName = onlyOnesByName(listed);
  /** By the id of a listed host; the others are known by what they say themselves. */
  const sums = new Map<string, HostSums>();
  const hosts: Host[] = [];
  const devicesOf = groupDevices(input.devices ?? []);
  for (const told of input.told) {
    const id = told.id === '' ? (idsByName.get(told.names.host) ?? '') : told.id;
    const before = sums.get(id);
    if (ids.has(id)) sums.set(id, before ? addSums(before, told.sums) : told.sums);
    else if (told.names.host !== '' && told.names.isEmulated !== true)
      hosts.push(join(told, undefined, devicesOf.get(told.id), input));
  }
  for (const one of listed) {
    const { id, hypervisor, isEmulated } = one;
    if (isEmulated) continue;
    const host = { id, names: names.hosts.get(id) ?? nowhere(one), hypervisor, sums: sums.get(id) ?? noSums };
    hosts.push(join(host, one, devicesOf.get(id), input));
  }
  return oncePerLabels(hosts, hostsTogether);
}

function join(
  { names: { region, zone, host, isUp = true }, hypervisor, sums }: HostServers,
  listed: ListedHost | undefined,
  devices: readonly ListedDevice[] = none,
  { overcommit, devicesInUse }: ToldOfHosts,
): Host {
  return {
    labels: [region, zone, host, hypervisor],
    isUp: listed?.isUp ?? isUp,
    states: inOrder(sums),
    room: listed && roomOf(listed, sums, devices, overcommit),
    devices: countDevices(devices, devicesInUse),
  };
}

/** Each set of labels once, in their order. */
function oncePerLabels<Item extends Labelled>(
  items: readonly Item[],
  together: (one: Item, other: Item) => Item,
): readonly Item[] {
  const once: Item[] = [];
  for (const item of items.toSorted((a, b) => compareLists(a.labels, b.labels))) {
    const last = once.at(-1);
    if (last && compareLists(last.labels, item.labels) === 0) once[once.length - 1] = together(last, item);
    else once.push(item);
  }
  return once;
}

function nowhere({ name, isUp, isEmulated, zoneId }: ListedHost): HostNames {
  return { host: name, zone: '', region: '', isUp, isEmulated, zoneId };
}

/** Servers without the id of their host name it, which tells it if only one has that name. */
function onlyOnesByName(listed: readonly ListedHost[]): ReadonlyMap<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of listed) ids.set(name, ids.has(name) ? undefined : id);
  return ids;
}

/** As the platform's scheduler reckons it. */
function roomOf(
  host: ListedHost,
  sums: HostSums,
  devices: readonly ListedDevice[],
  defaults: Overcommit,
): HostRoom {
  const { isEnabled, isInMaintenance, isSchedulable, cpus, reservedCpus, memory, reservedMemory } = host;
  const isMachine = host.hypervisor !== bareMetal;
  const cpuOvercommit = host.cpuOvercommit ?? defaults.cpu;
  const memoryOvercommit = host.hasHugePages ? 1 : (host.memoryOvercommit ?? defaults.memory);
  const taken = roomMeasures.map(() => 0) as [number, number, number];
  for (const numbers of sums.values())
    for (const index of taken.keys()) taken[index]! += numbers.at(index - taken.length)!;
  const [vcpusAllocated, memoryAllocated, vcpusWithDevices] = taken;
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
  const counts = devices.map(({ id, type, model, serverId }) => ({
    labels: [type, model],
    devices: 1,
    free: Number(serverId === '' && !inUse.has(id)),
  }));
  return oncePerLabels<HostDevices>(counts, devicesTogether);
}

function devicesTogether(one: HostDevices, other: HostDevices): HostDevices {
  return { ...one, devices: one.devices + other.devices, free: one.free + other.free };
}

function inOrder(sums: HostSums): Host['states'] {
  return states.flatMap((state) => {
    const numbers = sums.get(state);
    return numbers ? [{ state, sums: numbers }] : [];
  });
}

function addSums(one: HostSums, other: HostSums): HostSums {
  const sums = new Map(one);
  for (const [state, numbers] of other) {
    const before = sums.get(state);
    sums.set(state, before ? before.map((sum, index) => sum + numbers[index]!) : numbers);
  }
  return sums;
}

/** Two hosts of one name in one zone are one series: together they have what both have. */
function hostsTogether(one: Host, other: Host): Host {
  const asMap = ({ states: ofHost }: Host) => new Map(ofHost.map(({ state, sums }) => [state, sums]));
  return {
    ...one,
    isUp: one.isUp && other.isUp,
    states: inOrder(addSums(asMap(one), asMap(other))),
    room: one.room && other.room ? roomTogether(one.room, other.room) : (one.room ?? other.room),
    devices: oncePerLabels([...one.devices, ...other.devices], devicesTogether),
  };
}

function roomTogether(one: HostRoom, other: HostRoom): HostRoom {
  const both = (a: boolean | undefined, b: boolean | undefined) =>
    a === undefined || b === undefined ? (a ?? b) : a && b;
  return {
    isEnabled: both(one.isEnabled, other.isEnabled),
    isInMaintenance: one.isInMaintenance || other.isInMaintenance,
    isSchedulable: both(one.isSchedulable, other.isSchedulable),
    cpus: sum(one.cpus, other.cpus),
    memory: sum(one.memory, other.memory),
    storage: sum(one.storage, other.storage),
    cpuOvercommit: one.cpuOvercommit ?? other.cpuOvercommit,
    memoryOvercommit: one.memoryOvercommit ?? other.memoryOvercommit,
    vcpusAllocatable: sum(one.vcpusAllocatable, other.vcpusAllocatable),
    memoryAllocatable: sum(one.memoryAllocatable, other.memoryAllocatable),
    vcpusAllocated: sum(one.vcpusAllocated, other.vcpusAllocated),
    memoryAllocated: sum(one.memoryAllocated, other.memoryAllocated),
  };
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one + other;
}

/** A storage by region, zone, name, type and medium. Sizes are in the platform's units; undefined where it does not say. */
export interface Storage extends Labelled {
  readonly isUp: boolean;
  readonly capacity: number | undefined;
  readonly allocatable: number | undefined;
  readonly allocated: number | undefined;
  readonly used: number | undefined;
}

/** Those that have all labels in common are one series. */
export function joinStorages(
  listed: readonly ListedStorage[],
  placeOf: PlaceOf,
  { storage: usualOvercommit }: Overcommit,
): readonly Storage[] {
  const storages = listed.map((one): Storage => {
    const { capacity, reserved, overcommit = usualOvercommit } = one;
    const { region, zone } = placeOf(one.zoneId);
    return {
      labels: [one.region || region, one.zone || zone, one.name, one.type, one.mediumType],
      isUp: one.isUp,
      capacity,
      allocatable: capacity === undefined ? undefined : Math.floor((capacity - reserved) * overcommit),
      allocated: one.allocated,
      used: one.written,
    };
  });
  return oncePerLabels(storages, (one, other) => ({
    ...one,
    isUp: one.isUp && other.isUp,
    capacity: sum(one.capacity, other.capacity),
    allocatable: sum(one.allocatable, other.allocatable),
    allocated: sum(one.allocated, other.allocated),
    used: sum(one.used, other.used),
  }));
}
