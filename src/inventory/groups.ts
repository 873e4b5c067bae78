import type { Server } from '../platform/server.ts';
import type { HostNames, ProjectNames } from './names.ts';
import { locationOf, type Location } from './location.ts';
import { byCodeUnit, createTree, leafOf, leavesOf } from './tree.ts';

/** Servers that have their location labels, status and state in common. Its lists of label values last as long as it does. */
export interface Group {
  readonly number: number;
  readonly location: Location;
  readonly project: ProjectNames;
  readonly status: string;
  readonly state: string;
  /** For families by status and state. */
  readonly byStatus: readonly string[];
  /** For families by state: the same list for all groups of a location that have this state. */
  readonly byState: readonly string[];
}

interface Place {
  readonly location: Location;
  readonly groups: Map<string, Group>;
  readonly byState: Map<string, readonly string[]>;
}

export type Groups = ReturnType<typeof createGroups>;

/**
 * Numbers the groups of a cloud. It only grows: a collection that was abandoned may have numbered groups that nobody
 * uses, and changes nothing for the others.
 */
export function createGroups() {
  const places = createTree<Place>();
  const all: Group[] = [];
  let sorted: readonly Group[] = [];

  function create(place: Place, server: Server, { project, projectDomain }: ProjectNames): Group {
    const { location } = place;
    const { status, state } = server;
    let byState = place.byState.get(state);
    if (!byState) place.byState.set(state, (byState = [...location, state]));
    const group: Group = {
      number: all.length,
      location,
      project: { project, projectDomain },
      status,
      state,
      byStatus: [...location, status, state],
      byState,
    };
    all.push(group);
    return group;
  }

  return {
    size: () => all.length,
    get: (number: number): Group => all[number]!,
    numberOf(server: Server, host: HostNames, project: ProjectNames): number {
      const place = leafOf(places, locationOf(server, host, project), createPlace);
      const key = `${server.state} ${server.status}`;
      let group = place.groups.get(key);
      if (!group) place.groups.set(key, (group = create(place, server, project)));
      return group.number;
    },
    /** By location, then by state: those that differ in their status alone stand together. */
    inOrder(): readonly Group[] {
      if (sorted.length < all.length)
        sorted = leavesOf(places).flatMap(({ groups }) =>
          [...groups].toSorted(([a], [b]) => byCodeUnit(a, b)).map(([, group]) => group),
        );
      return sorted;
    },
  };
}

function createPlace(location: Location): Place {
  return { location, groups: new Map(), byState: new Map() };
}
