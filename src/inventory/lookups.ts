import type { Server } from '../platform/server.ts';
import { copyNames, projectOf, type Names } from './names.ts';
import type { Row } from './row.ts';

/** What the platform looks up beside a server, each by itself, so that an answer may lack it, or a part of it. */
export type Lack = 'host' | 'project' | 'disk' | 'device';

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
  /** What an answer without it is counted as; undefined where that is usual. */
  readonly lack?: Lack;
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

/** A lookup as most of them are, but for its own. */
function lookupOf(own: Pick<Lookup, 'has' | 'isLess' | 'filled'> & Partial<Lookup>): Lookup {
  return {
    canWitness: (witness) => own.has(witness),
    isSame: (one, other) => !own.isLess(one, other) && !own.isLess(other, one),
    isLacking: (server, before) => before !== undefined && own.isLess(server, before.server),
    ...own,
  };
}

const disk: Lookup = lookupOf({
  lack: 'disk',
  has: (server) => server.disk > 0 || server.disks > 0,
  // They are looked up in the order of their index: a part of an answer has the first ones of all servers.
  canWitness: (witness, lacking) => witness.disks > lacking.disks,
  isLess: (server, than) => server.disk < than.disk || server.disks < than.disks,
  isLacking(server, before) {
    if (before && disk.isLess(server, before.server)) return true;
    const isNew = before === undefined || before.unsettled !== undefined;
    return isNew && !disk.has(server) && (server.hostId !== '' || server.host !== '');
  },
  filled: (server, { disk: size, disks }) => ({ ...server, disk: size, disks }),
});

const device: Lookup = lookupOf({
  lack: 'device',
  has: ({ devices }) => devices.length > 0,
  isLess: (server, than) => server.devices.length < than.devices.length,
  isSame: (one, other) =>
    one.devices.length === other.devices.length &&
    one.devices.every(({ id }) => other.devices.some((same) => same.id === id)),
  isLacking: (server, before, { serversWithDevices }) =>
    (before !== undefined && device.isLess(server, before.server)) ||
    (server.devices.length === 0 && serversWithDevices.has(server.id)),
  filled: (server, { devices, isGpu }) => ({ ...server, devices, isGpu }),
});

/** The values of extra labels. */
const label = lookupOf({
  has: ({ extra, info }) => extra.some(Boolean) || info.some(Boolean),
  isLess: (server, than) => areLost(server.extra, than.extra) || areLost(server.info, than.info),
  filled: (server, { extra, info }) => ({
    ...server,
    extra: server.extra.map((value, index) => value || (extra[index] ?? '')),
    info: server.info.map((value, index) => value || (info[index] ?? '')),
  }),
});

/** Of single servers: addresses and brand. */
const address = lookupOf({
  has: ({ ips, brand }) => ips !== '' || brand !== '',
  canWitness: (witness, lacking) =>
    (witness.ips !== '' || lacking.ips !== '') && (witness.brand !== '' || lacking.brand !== ''),
  isLess: (server, than) => isLost(server.ips, than.ips) || isLost(server.brand, than.brand),
  filled: (server, { ips, eip, nics, brand }) => ({
    ...server,
    ips: server.ips || ips,
    eip: server.eip || eip,
    nics: server.nics.length > 0 ? server.nics : nics,
    brand: server.brand || brand,
  }),
});

/** Of names: there is one for each id, so none is kept for a server. */
function lookupOfNames(
  lack: Lack,
  idOf: (server: Server) => string,
  lacks: (server: Server, names: Names) => boolean,
): Lookup {
  const has = (server: Server) => idOf(server) !== '' && !lacks(server, noNames);
  return lookupOf({
    lack,
    has,
    isLess: (server, than) => has(than) && !has(server),
    isLacking: (server, _before, { names }) => idOf(server) !== '' && lacks(server, names),
    filled: (server) => server,
  });
}

const noNames = copyNames();
const host = lookupOfNames('host', ({ hostId }) => hostId, lacksHost);
const project = lookupOfNames('project', ({ projectId }) => projectId, lacksProject);

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

/** Whether one record of a server has less of it than another. */
export function isLessInSums(one: Server, than: Server): boolean {
  return disk.isLess(one, than) || device.isLess(one, than);
}

function lacksHost(server: Server, { hosts }: Names): boolean {
  const { host: name, zone, region } = hosts.get(server.hostId) ?? server;
  return name === '' || zone === '' || region === '';
}

function lacksProject(server: Server, names: Names): boolean {
  const { project: name, projectDomain } = projectOf(names, server);
  return name === '' || projectDomain === '';
}

function areLost(words: readonly string[], before: readonly string[]): boolean {
  return words.some((word, index) => isLost(word, before[index] ?? ''));
}

function isLost(word: string, before: string): boolean {
  return word === '' && before !== '';
}

const nothingAround: Surroundings = { lookups, names: noNames, serversWithDevices: new Set() };

/** Adds what a record lacks as it came, before names are looked up. */
export function addLacks(found: Set<Lack>, server: Server, before: Row | undefined): void {
  for (const lookup of lookups)
    if (lookup.lack && lookup.isLacking(server, before, nothingAround)) found.add(lookup.lack);
}
