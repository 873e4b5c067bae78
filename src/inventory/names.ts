import type { ListedHost } from '../platform/host.ts';
import type { Server } from '../platform/server.ts';

/** What hangs on the id of a host. */
export interface HostNames {
  readonly host: string;
  readonly zone: string;
  readonly region: string;
  /** Undefined where nobody says. */
  readonly isUp: boolean | undefined;
  /** A stand-in for the hosts of a public cloud; undefined where nobody says. */
  readonly isEmulated: boolean | undefined;
  /** '' where hosts are not listed. */
  readonly zoneId: string;
}

/** What hangs on the id of a project. */
export interface ProjectNames {
  readonly project: string;
  readonly projectDomain: string;
}

/** One name for each id: a snapshot uses no other. */
export type Names = Pick<NamesReading, 'hostOf' | 'projectOf' | 'host'>;
export type NamesReading = ReturnType<typeof beginNames>;

/** Where the hosts of a zone are, as the lists of zones and regions have it; '' for what they lack. */
export type PlaceOf = (zoneId: string) => { readonly zone: string; readonly region: string };

export interface KnownNames {
  readonly hosts: ReadonlyMap<string, HostNames>;
  readonly projects: ReadonlyMap<string, ProjectNames>;
}

export const noNames: KnownNames = { hosts: new Map(), projects: new Map() };

const offline = 'offline';

/** What a record says of its own host. Bare metal is always offline to the platform: that says nothing. */
export function isHostUp({ hostServiceStatus, hostStatus, hypervisor }: Server): boolean | undefined {
  if (hypervisor === 'baremetal' || (hostServiceStatus === '' && hostStatus === '')) return undefined;
  return hostServiceStatus !== offline && hostStatus !== offline;
}

const nameless: ProjectNames = { project: '', projectDomain: '' };

/** The names of one reading: the last word counts, and an empty one says nothing. */
export function beginNames(known: KnownNames) {
  const hosts = new Map<string, HostNames>();
  const projects = new Map<string, ProjectNames>();

  const host = (id: string) => hosts.get(id) ?? known.hosts.get(id);
  const project = (id: string) => projects.get(id) ?? known.projects.get(id);

  function learnHost(id: string, words: HostNames): void {
    const before = host(id);
    const names = before ? merge(before, words) : words;
    if (names !== before) hosts.set(id, names);
  }

  return {
    host,
    // A server without an id of its host or project is where its own record says.
    hostOf: (server: Server): HostNames =>
      server.hostId === '' ? ownHost(server) : (host(server.hostId) ?? ownHost(server)),
    projectOf: (server: Server): ProjectNames =>
      server.projectId === '' ? server : (project(server.projectId) ?? server),
    /** A record that was read with details. */
    told(server: Server): void {
      const { hostId, projectId } = server;
      if (hostId !== '') learnHost(hostId, ownHost(server));
      if (projectId === '') return;
      const before = project(projectId) ?? nameless;
      const names = merge<ProjectNames>(before, server);
      if (names !== before) projects.set(projectId, names);
    },
    /** The list of hosts, which is newer than the records. What `placeOf` tells counts where it is as new. */
    listed(listed: readonly ListedHost[], placeOf: PlaceOf, arePlacesNew: boolean): void {
      for (const { id, name, zoneId, isUp, isEmulated } of listed) {
        const before = host(id);
        const isKnown = before && before.zone !== '' && before.zoneId === zoneId && !arePlacesNew;
        const { zone, region } = isKnown ? before : placeOf(zoneId);
        learnHost(id, { host: name, zone, region, isUp, isEmulated, zoneId });
      }
    },
    /** A name lives as long as a server or a listed host has its id. */
    commit(rows: readonly { readonly server: Server }[], listed: readonly ListedHost[]): KnownNames {
      const kept = { hosts: new Map<string, HostNames>(), projects: new Map<string, ProjectNames>() };
      for (const { server } of rows) {
        keep(kept.hosts, server.hostId, host);
        keep(kept.projects, server.projectId, project);
      }
      for (const { id } of listed) keep(kept.hosts, id, host);
      return kept;
    },
  };
}

function keep<Words>(kept: Map<string, Words>, id: string, namesOf: (id: string) => Words | undefined): void {
  const names = kept.has(id) ? undefined : namesOf(id);
  if (names) kept.set(id, names);
}

function ownHost(server: Server): HostNames {
  const { host, zone, region } = server;
  return { host, zone, region, isUp: isHostUp(server), isEmulated: server.isPublic, zoneId: '' };
}

/** With what the words say; the same object where that is nothing new. */
function merge<Words extends object>(before: Words, words: Words): Words {
  let merged = before;
  for (const key in before) {
    const word = words[key];
    if (word === '' || word === undefined || word === before[key]) continue;
    if (merged === before) merged = { ...before };
    merged[key] = word;
  }
  return merged;
}
