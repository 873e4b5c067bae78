import type { ListedHost } from '../platform/side-records.ts';
import type { Server } from '../platform/server.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';

/** What hangs on the id of a host; '' and undefined where nobody says. */
const noHost = {
  host: '',
  zone: '',
  region: '',
  isUp: undefined as boolean | undefined,
  /** A stand-in for the hosts of a public cloud. */
  isEmulated: undefined as boolean | undefined,
  zoneId: '',
};
export type HostNames = Readonly<typeof noHost>;

/** What hangs on the id of a project. */
const noProject = { project: '', projectDomain: '' };
export type ProjectNames = Readonly<typeof noProject>;

/** Where the hosts of a zone are, as the lists of zones and regions have it; '' for what they lack. */
export type PlaceOf = (zoneId: string) => { readonly zone: string; readonly region: string };

/** One name for each id: a snapshot uses no other. The last word counts, and an empty one says nothing. */
export interface Names {
  readonly hosts: Map<string, HostNames>;
  readonly projects: Map<string, ProjectNames>;
  /** Whether a reading has learned any. */
  hasNews: boolean;
}

/** Names of one's own, to begin with these. */
export function copyNames({ hosts, projects }: Partial<Names> = {}): Names {
  return { hosts: new Map(hosts), projects: new Map(projects), hasNews: false };
}

const offline = 'offline';

/** What a record says of its own host. Bare metal is always offline to the platform: that says nothing. */
export function isHostUp({ hostServiceStatus, hostStatus, hypervisor }: Server): boolean | undefined {
  if (hypervisor === 'baremetal' || (hostServiceStatus === '' && hostStatus === '')) return undefined;
  return hostServiceStatus !== offline && hostStatus !== offline;
}

/** A server without an id of its host or project is where its own record says. */
export function hostOf({ hosts }: Names, server: Server): HostNames {
  return hosts.get(server.hostId) ?? ownHost(server);
}

export function projectOf({ projects }: Names, server: Server): ProjectNames {
  return projects.get(server.projectId) ?? server;
}

/** What a record says that was read with details. */
export function learnFrom(names: Names, server: Server): void {
  const { hostId, projectId } = server;
  if (hostId !== '') learn<HostNames>(names, names.hosts, hostId, ownHost(server), noHost);
  if (projectId !== '') learn(names, names.projects, projectId, server, noProject);
}

/** The list of hosts, which is newer than the records. What `placeOf` tells counts where it is as new. */
export function learnFromHosts(
  names: Names,
  listed: readonly ListedHost[],
  placeOf: PlaceOf,
  arePlacesNew: boolean,
): void {
  for (const { id, name, zoneId, isUp, isEmulated } of listed) {
    const before = names.hosts.get(id);
    const isKnown = before && before.zone !== '' && before.zoneId === zoneId && !arePlacesNew;
    const { zone, region } = isKnown ? before : placeOf(zoneId);
    learn(names, names.hosts, id, { host: name, zone, region, isUp, isEmulated, zoneId }, noHost);
  }
}

function learn<Words extends object>(
  names: Names,
  known: Map<string, Words>,
  id: string,
  words: Words,
  nothing: Words,
): void {
  const before = known.get(id) ?? nothing;
  let learned = before;
  for (const key in before) {
    const word = words[key];
    if (word === '' || word === undefined || word === before[key]) continue;
    if (learned === before) learned = { ...before };
    learned[key] = word;
  }
  if (learned === before) return;
  known.set(id, learned);
  names.hasNews = true;
}

interface Keeping {
  readonly names: Names;
  readonly used: Names;
  readonly rows: readonly { readonly server: Server }[];
}

/** A name lives as long as a server or a listed host has its id. */
export async function namesInUse(
  names: Names,
  rows: Keeping['rows'],
  listed: readonly ListedHost[],
  slices: Slices,
): Promise<Names> {
  const used = copyNames();
  for (const { id } of listed) keep(names.hosts, used.hosts, id);
  await inSlices<Keeping>(slices, rows.length, { names, used, rows }, keepNamesOf);
  return used;
}

function keepNamesOf({ names, used, rows }: Keeping, at: number): void {
  const { hostId, projectId } = rows[at]!.server;
  keep(names.hosts, used.hosts, hostId);
  keep(names.projects, used.projects, projectId);
}

function keep<Words>(known: ReadonlyMap<string, Words>, used: Map<string, Words>, id: string): void {
  const words = used.has(id) ? undefined : known.get(id);
  if (words) used.set(id, words);
}

function ownHost(server: Server): HostNames {
  const { host, zone, region } = server;
  return { host, zone, region, isUp: isHostUp(server), isEmulated: server.isPublic, zoneId: '' };
}
