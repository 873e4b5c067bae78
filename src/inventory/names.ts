import type { ListedHost } from '../platform/host.ts';
import type { NamedPlace } from '../platform/place-name.ts';
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
export interface Names {
  hostOf(server: Server): HostNames;
  projectOf(server: Server): ProjectNames;
  host(id: string): HostNames | undefined;
}

/** The names of one reading: the last word counts, and an empty one says nothing. */
export interface NamesReading extends Names {
  /** A record that was read with details. */
  told(server: Server): void;
  /** The list of hosts, which is newer than the records. `zones` and `regions` count where they are as new. */
  listed(hosts: readonly ListedHost[], places: PlaceNames, arePlacesNew: boolean): void;
  /** A name lives as long as a server or a listed host has its id. */
  commit(rows: readonly { readonly server: Server }[], hosts: readonly ListedHost[]): KnownNames;
}

export interface PlaceNames {
  readonly zones: ReadonlyMap<string, NamedPlace>;
  readonly regions: ReadonlyMap<string, NamedPlace>;
}

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

export function beginNames(known: KnownNames): NamesReading {
  const hosts = new Map<string, HostNames>();
  const projects = new Map<string, ProjectNames>();

  const host = (id: string) => hosts.get(id) ?? known.hosts.get(id);
  const project = (id: string) => projects.get(id) ?? known.projects.get(id);

  return {
    host,
    // A server without an id of its host or project is where its own record says.
    hostOf: (server) => (server.hostId === '' ? ownHost(server) : (host(server.hostId) ?? ownHost(server))),
    projectOf: (server) => (server.projectId === '' ? server : (project(server.projectId) ?? server)),
    told(server) {
      const { hostId, projectId } = server;
      if (hostId !== '') {
        const before = host(hostId);
        const names = before ? merge(before, ownHost(server)) : ownHost(server);
        if (names !== before) hosts.set(hostId, names);
      }
      if (projectId !== '') {
        const before = project(projectId);
        const { project: name, projectDomain } = server;
        if (!before) projects.set(projectId, { project: name, projectDomain });
        else if (differs(before.project, name) || differs(before.projectDomain, projectDomain))
          projects.set(projectId, {
            project: name || before.project,
            projectDomain: projectDomain || before.projectDomain,
          });
      }
    },
    listed(listed, { zones, regions }, arePlacesNew) {
      for (const { id, name, zoneId, isUp, isEmulated } of listed) {
        const before = host(id);
        const zone = zones.get(zoneId);
        const isKnown =
          before !== undefined && before.zone !== '' && before.zoneId === zoneId && !arePlacesNew;
        const words: HostNames = {
          host: name,
          zone: isKnown ? before.zone : (zone?.name ?? ''),
          region: isKnown ? before.region : (regions.get(zone?.regionId ?? '')?.name ?? ''),
          isUp,
          isEmulated,
          zoneId,
        };
        const names = before ? merge(before, words) : words;
        if (names !== before) hosts.set(id, names);
      }
    },
    commit(rows, listed) {
      const kept = { hosts: new Map<string, HostNames>(), projects: new Map<string, ProjectNames>() };
      const keepHost = (id: string) => {
        const names = id === '' || kept.hosts.has(id) ? undefined : host(id);
        if (names) kept.hosts.set(id, names);
      };
      for (const { server } of rows) {
        const { hostId, projectId } = server;
        keepHost(hostId);
        const names = projectId === '' || kept.projects.has(projectId) ? undefined : project(projectId);
        if (names) kept.projects.set(projectId, names);
      }
      for (const { id } of listed) keepHost(id);
      return kept;
    },
  };
}

function ownHost(server: Server): HostNames {
  const { host, zone, region } = server;
  return { host, zone, region, isUp: isHostUp(server), isEmulated: server.isPublic, zoneId: '' };
}

function differs(before: string, word: string): boolean {
  return word !== '' && word !== before;
}

/** The same object where nothing new is said. */
function merge(before: HostNames, words: HostNames): HostNames {
  const { host, zone, region, isUp, isEmulated, zoneId } = words;
  const isSame =
    !differs(before.host, host) &&
    !differs(before.zone, zone) &&
    !differs(before.region, region) &&
    !differs(before.zoneId, zoneId) &&
    (isUp === undefined || isUp === before.isUp) &&
    (isEmulated === undefined || isEmulated === before.isEmulated);
  if (isSame) return before;
  return {
    host: host || before.host,
    zone: zone || before.zone,
    region: region || before.region,
    isUp: isUp ?? before.isUp,
    isEmulated: isEmulated ?? before.isEmulated,
    zoneId: zoneId || before.zoneId,
  };
}
