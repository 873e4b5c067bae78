import type { ListedDevice } from '../platform/device.ts';
import { bareMetal, type ListedHost } from '../platform/host.ts';
import { states, type State } from '../platform/state.ts';
import type { ListedStorage } from '../platform/storage.ts';
import type { HostNames, Names } from './names.ts';
import type { HostServers } from './sums.ts';
import { createTree } from './tree.ts';

/** What the list of hosts says of a host, and what follows from it. Sizes are in the platform's units; undefined where unknown. */
export interface HostRoom {
  readonly isEnabled: boolean | undefined;
  readonly isInMaintenance: boolean | undefined;
  /** Whether the platform's scheduler would put a virtual machine there. */
  readonly isSchedulable: boolean | undefined;
  /** Real ones, without what the platform keeps for itself. */
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
  readonly storage: number | undefined;
  /** The ratios in force; undefined for bare metal, as everything below. */
  readonly cpuOvercommit: number | undefined;
  readonly memoryOvercommit: number | undefined;
  /** What may be promised, and what is. */
  readonly vcpusAllocatable: number | undefined;
  readonly memoryAllocatable: number | undefined;
  readonly vcpusAllocated: number | undefined;
  readonly memoryAllocated: number | undefined;
}

/** The last of the measures of hosts: what the room of a host is worked out from. Never exported by themselves. */
export const roomMeasures = ['vcpusAllocated', 'memoryAllocated', 'vcpusWithDevices'] as const;

/** Devices of one type and model. */
export interface HostDevices {
  readonly type: string;
  readonly model: string;
  readonly devices: number;
  readonly free: number;
}

/** One host, as its servers and the lists of hosts and devices tell of it. */
export interface Host {
  readonly region: string;
  readonly zone: string;
  readonly host: string;
  /** The word that servers carry. */
  readonly hypervisor: string;
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

/** Every host once, in the order of its labels; emulated ones of public clouds are no hosts. */
export function joinHosts(input: {
  readonly told: readonly HostServers[];
  readonly listed: readonly ListedHost[] | undefined;
  readonly devices: readonly ListedDevice[] | undefined;
  readonly devicesInUse: ReadonlySet<string>;
  readonly names: Names;
  readonly overcommit: Overcommit;
}): readonly Host[] {
  const { listed = [], devices = [], names } = input;
  const ids = new Set(listed.map(({ id }) => id));
  const idOf = idsByName(listed);
  /** By the id of a listed host; the others are known by what they say themselves. */
  const sums = new Map<string, HostSums>();
  const others: HostServers[] = [];
  for (const told of input.told) {
    const id = told.id === '' ? (idOf(told.names) ?? '') : told.id;
    if (ids.has(id)) sums.set(id, addSums(sums.get(id) ?? noSums, told.sums));
    else if (told.names.host !== '' && told.names.isEmulated !== true) others.push(told);
  }
  const devicesOf = groupDevices(devices);
  const joined = createTree<{ host: Host }>();

  function add(host: Host): void {
    const { region, zone, hypervisor } = host;
    const leaf = joined.leaf([region, zone, host.host, hypervisor], () => ({ host: undefined! }));
    leaf.host = leaf.host ? together(leaf.host, host) : host;
  }

  for (const one of listed) {
    if (one.isEmulated) continue;
    const { host, zone, region, isUp = true } = names.host(one.id) ?? nowhere(one);
    const ofHost = sums.get(one.id) ?? noSums;
    const own = devicesOf.get(one.id) ?? [];
    add({
      region,
      zone,
      host,
      hypervisor: one.hypervisor,
      isUp: one.isUp ?? isUp,
      states: inOrder(ofHost),
      room: roomOf(one, ofHost, own, input.overcommit),
      devices: countDevices(own, input.devicesInUse),
    });
  }
  for (const { id, names: words, hypervisor, sums: ofHost } of others) {
    const { region, zone, host, isUp = true } = words;
    const own = id === '' ? [] : (devicesOf.get(id) ?? []);
    const facts = { region, zone, host, hypervisor, isUp };
    add({
      ...facts,
      states: inOrder(ofHost),
      room: undefined,
      devices: countDevices(own, input.devicesInUse),
    });
  }
  return joined.leaves().map(({ host }) => host);
}

function nowhere({ name, isUp, isEmulated, zoneId }: ListedHost): HostNames {
  return { host: name, zone: '', region: '', isUp, isEmulated, zoneId };
}

/** Servers without the id of their host name it, which tells it if only one has that name. */
function idsByName(listed: readonly ListedHost[]): (names: HostNames) => string | undefined {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of listed) ids.set(name, ids.has(name) ? undefined : id);
  return ({ host }) => ids.get(host);
}

/** As the platform's scheduler reckons it. */
function roomOf(
  host: ListedHost,
  sums: HostSums,
  devices: readonly ListedDevice[],
  defaults: Overcommit,
): HostRoom {
  const { cpus, reservedCpus, memory, reservedMemory, storage, hypervisor } = host;
  const { isEnabled, isInMaintenance, isSchedulable } = host;
  const isBareMetal = hypervisor === bareMetal;
  const cpuOvercommit = isBareMetal ? undefined : (host.cpuOvercommit ?? defaults.cpu);
  const memoryOvercommit = isBareMetal
    ? undefined
    : host.hasHugePages
      ? 1
      : (host.memoryOvercommit ?? defaults.memory);
  const [vcpusAllocated, memoryAllocated, vcpusWithDevices] = roomMeasures.map((_name, index) =>
    [...sums.values()].reduce((sum, numbers) => sum + numbers.at(index - roomMeasures.length)!, 0),
  ) as [number, number, number];
  // What is kept for servers with GPUs is theirs to use.
  const kept = Math.max(0, devices.reduce((sum, device) => sum + device.reservedCpus, 0) - vcpusWithDevices);
  return {
    isEnabled,
    isInMaintenance,
    isSchedulable,
    cpus: cpus === undefined ? undefined : Math.max(0, cpus - reservedCpus),
    memory: memory === undefined ? undefined : Math.max(0, memory - reservedMemory),
    storage,
    cpuOvercommit,
    memoryOvercommit,
    vcpusAllocatable:
      cpus === undefined || cpuOvercommit === undefined
        ? undefined
        : Math.floor(cpus * cpuOvercommit) - reservedCpus - kept,
    memoryAllocatable:
      memory === undefined || memoryOvercommit === undefined
        ? undefined
        : Math.floor((memory - reservedMemory) * memoryOvercommit),
    vcpusAllocated: isBareMetal ? undefined : vcpusAllocated,
    memoryAllocated: isBareMetal ? undefined : memoryAllocated,
  };
}

function groupDevices(devices: readonly ListedDevice[]): ReadonlyMap<string, readonly ListedDevice[]> {
  const groups = new Map<string, ListedDevice[]>();
  for (const device of devices) {
    const known = groups.get(device.hostId);
    if (known) known.push(device);
    else groups.set(device.hostId, [device]);
  }
  return groups;
}

function countDevices(devices: readonly ListedDevice[], inUse: ReadonlySet<string>): readonly HostDevices[] {
  const counts = createTree<{ type: string; model: string; devices: number; free: number }>();
  for (const { id, type, model, serverId } of devices) {
    const count = counts.leaf([type, model], () => ({ type, model, devices: 0, free: 0 }));
    count.devices += 1;
    if (serverId === '' && !inUse.has(id)) count.free += 1;
  }
  return counts.leaves();
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
function together(one: Host, other: Host): Host {
  const asMap = ({ states: ofHost }: Host) => new Map(ofHost.map(({ state, sums }) => [state, sums]));
  const devices = createTree<HostDevices>();
  const all = [...one.devices, ...other.devices].map((device) => {
    const same = (count: 'devices' | 'free') =>
      [...one.devices, ...other.devices]
        .filter(({ type, model }) => type === device.type && model === device.model)
        .reduce((sum, { [count]: number }) => sum + number, 0);
    return { ...device, devices: same('devices'), free: same('free') };
  });
  for (const device of all) devices.leaf([device.type, device.model], () => device);
  return {
    ...one,
    isUp: one.isUp && other.isUp,
    states: inOrder(addSums(asMap(one), asMap(other))),
    room: one.room && other.room ? roomTogether(one.room, other.room) : (one.room ?? other.room),
    devices: devices.leaves(),
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

export interface Storage {
  readonly region: string;
  readonly zone: string;
  readonly storage: string;
  readonly storageType: string;
  readonly mediumType: string;
  readonly isUp: boolean;
  /** In the platform's units; undefined where the platform does not say. */
  readonly capacity: number | undefined;
  readonly allocatable: number | undefined;
  readonly allocated: number | undefined;
  readonly used: number | undefined;
}

/** Every storage once, in the order of its labels; those that have all of them in common are one series. */
export function joinStorages(
  listed: readonly ListedStorage[],
  placeOf: (zoneId: string) => { readonly zone: string; readonly region: string },
  { storage: usualOvercommit }: Overcommit,
): readonly Storage[] {
  const joined = createTree<{ storage: Storage }>();
  for (const one of listed) {
    const { capacity, reserved, overcommit = usualOvercommit, allocated, isUp, name } = one;
    const place = placeOf(one.zoneId);
    const [region, zone] = [one.region || place.region, one.zone || place.zone];
    const labels = { region, zone, storage: name, storageType: one.type, mediumType: one.mediumType };
    const allocatable = capacity === undefined ? undefined : Math.floor((capacity - reserved) * overcommit);
    const storage = { ...labels, isUp, capacity, allocatable, allocated, used: one.written };
    const leaf = joined.leaf(Object.values(labels), () => ({ storage: undefined! }));
    leaf.storage = leaf.storage ? storagesTogether(leaf.storage, storage) : storage;
  }
  return joined.leaves().map(({ storage }) => storage);
}

function storagesTogether(one: Storage, other: Storage): Storage {
  return {
    ...one,
    isUp: one.isUp && other.isUp,
    capacity: sum(one.capacity, other.capacity),
    allocatable: sum(one.allocatable, other.allocatable),
    allocated: sum(one.allocated, other.allocated),
    used: sum(one.used, other.used),
  };
}
