import type { Server } from '../platform/server.ts';
import { hostOf, projectOf, type HostNames, type Names, type ProjectNames } from './names.ts';
import type { Row } from './row.ts';

/** What the platform looks up beside a server, each by itself, so that an answer may lack it, or a part of it. */
export const lacks = ['host', 'project', 'disk', 'device'] as const;
export type Lack = (typeof lacks)[number];

/** What is known beside the records themselves. */
export interface Surroundings {
  /** Those whose fields were asked for. */
  readonly lookups: readonly Lookup[];
  readonly names: Names;
  /** The servers that the list of devices names. */
  readonly serversWithDevices: ReadonlySet<string>;
}

/** One lookup of the platform. */
export interface Lookup {
  readonly lack: Lack | 'address' | 'label';
  readonly has: (server: Server) => boolean;
  /** Whether a server that has its own in an answer shows that this one had been sent what it lacks there. */
  readonly canWitness: (witness: Server, lacking: Server) => boolean;
  /** Whether a record has less of it than another one of the same server. */
  readonly isLess: (server: Server, than: Server) => boolean;
  readonly isSame: (one: Server, other: Server) => boolean;
  /** Whether a record lacks it although the platform must know it. */
  readonly isLacking: (server: Server, before: Row | undefined, around: Surroundings) => boolean;
  /** A server with what another record has of it. */
  readonly filled: (server: Server, from: Server) => Server;
}

const disk: Lookup = {
  lack: 'disk',
  has: (server) => server.disk > 0 || server.disks > 0,
  // They are looked up in the order of their index: a part of an answer has the first ones of all servers.
  canWitness: (witness, lacking) => witness.disks > lacking.disks,
  isLess: (server, than) => server.disk < than.disk || server.disks < than.disks,
  isSame: (one, other) => one.disk === other.disk && one.disks === other.disks,
  isLacking(server, before) {
    if (before && disk.isLess(server, before.server)) return true;
    const isNew = before === undefined || before.unsettled !== undefined;
    return isNew && !disk.has(server) && (server.hostId !== '' || server.host !== '');
  },
  filled: (server, { disk: size, disks }) => ({ ...server, disk: size, disks }),
};

const device: Lookup = {
  lack: 'device',
  has: ({ devices }) => devices.length > 0,
  canWitness: (witness) => device.has(witness),
  isLess: (server, than) => server.devices.length < than.devices.length,
  isSame: (one, other) =>
    one.devices.length === other.devices.length &&
    one.devices.every(({ id }) => other.devices.some((same) => same.id === id)),
  isLacking: (server, before, { serversWithDevices }) =>
    (before !== undefined && device.isLess(server, before.server)) ||
    (server.devices.length === 0 && serversWithDevices.has(server.id)),
  filled: (server, { devices, isGpu }) => ({ ...server, devices, isGpu }),
};

/** The values of extra labels. */
const label: Lookup = {
  lack: 'label',
  has: ({ extra, info }) => extra.some(isSaid) || info.some(isSaid),
  canWitness: (witness) => label.has(witness),
  isLess: (server, than) => areLost(server.extra, than.extra) || areLost(server.info, than.info),
  isSame: (one, other) => !label.isLess(one, other) && !label.isLess(other, one),
  isLacking: (server, before) => before !== undefined && label.isLess(server, before.server),
  filled: (server, { extra, info }) => ({
    ...server,
    extra: server.extra.map((value, index) => value || (extra[index] ?? '')),
    info: server.info.map((value, index) => value || (info[index] ?? '')),
  }),
};

/** Of single servers: addresses and brand. */
const address: Lookup = {
  lack: 'address',
  has: ({ ips, brand }) => ips !== '' || brand !== '',
  canWitness: (witness, lacking) =>
    (witness.ips !== '' || lacking.ips !== '') && (witness.brand !== '' || lacking.brand !== ''),
  isLess: (server, than) => isLost(server.ips, than.ips) || isLost(server.brand, than.brand),
  isSame: (one, other) => !address.isLess(one, other) && !address.isLess(other, one),
  isLacking: (server, before) => before !== undefined && address.isLess(server, before.server),
  filled: (server, { ips, eip, nics, brand }) => ({
    ...server,
    ips: server.ips || ips,
    eip: server.eip || eip,
    nics: server.nics.length > 0 ? server.nics : nics,
    brand: server.brand || brand,
  }),
};

const host: Lookup = {
  lack: 'host',
  has: (server) => server.hostId !== '' && !lacksHost(server, server),
  canWitness: (witness) => host.has(witness),
  isLess: (server, than) => host.has(than) && !host.has(server),
  isSame: (one, other) => host.has(one) === host.has(other),
  isLacking: (server, _before, { names }) => lacksHost(server, hostOf(names, server)),
  filled: (server) => server,
};

const project: Lookup = {
  lack: 'project',
  has: (server) => server.projectId !== '' && !lacksProject(server, server),
  canWitness: (witness) => project.has(witness),
  isLess: (server, than) => project.has(than) && !project.has(server),
  isSame: (one, other) => project.has(one) === project.has(other),
  isLacking: (server, _before, { names }) => lacksProject(server, projectOf(names, server)),
  filled: (server) => server,
};

const lookups: readonly Lookup[] = [host, project, disk, device, label];
const lookupsOfSingleServers: readonly Lookup[] = [...lookups, address];

/** Those that these fields are of; all if there are none. */
export function lookupsFor(fields: readonly string[]): readonly Lookup[] {
  return fields.length === 0 || fields.includes('ips') ? lookupsOfSingleServers : lookups;
}

/** Of what is added up: whether two records of a server say the same. */
export function isSameInSums(one: Server, other: Server): boolean {
  return disk.isSame(one, other) && device.isSame(one, other);
}

/** Of what is added up: whether one record of a server has less than another. */
export function isLessInSums(one: Server, than: Server): boolean {
  return disk.isLess(one, than) || device.isLess(one, than);
}

function lacksHost(server: Server, names: Pick<HostNames, 'host' | 'zone' | 'region'>): boolean {
  return server.hostId !== '' && (names.host === '' || names.zone === '' || names.region === '');
}

function lacksProject(server: Server, names: ProjectNames): boolean {
  return server.projectId !== '' && (names.project === '' || names.projectDomain === '');
}

function isSaid(word: string): boolean {
  return word !== '';
}

function areLost(words: readonly string[], before: readonly string[]): boolean {
  return words.some((word, index) => isLost(word, before[index] ?? ''));
}

function isLost(word: string, before: string): boolean {
  return word === '' && before !== '';
}

/** Adds what a record lacks as it came, before names are looked up. */
export function addLacks(found: Set<Lack>, server: Server, before: Row | undefined): void {
  if (lacksHost(server, server)) found.add('host');
  if (lacksProject(server, server)) found.add('project');
  if (disk.isLacking(server, before, nothingAround)) found.add('disk');
  if (device.isLacking(server, before, nothingAround)) found.add('device');
}

const nothingAround = {
  lookups,
  names: { hosts: new Map(), projects: new Map(), hasNews: false },
  serversWithDevices: new Set<string>(),
} as const satisfies Surroundings;
