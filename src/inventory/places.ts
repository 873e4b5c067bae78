import type { Server } from '../platform/server.ts';
import { createTree, leafOf, leavesOf } from './tree.ts';

/** Where a server is and whose it is: the values of `places`, in their order, then those of the extra labels. */
export type Place = readonly string[];

/** The names that a snapshot uses; a server under these has them itself. */
type HostWords = Pick<Server, 'host' | 'zone' | 'region'>;
type ProjectWords = Pick<Server, 'project' | 'projectDomain'>;

interface PlaceLabel {
  readonly label: string;
  readonly of: (server: Server, host: HostWords, project: ProjectWords) => string;
}

/** Every place label, in the order in which series carry them. Nothing else in the program knows this order. */
export const places: readonly PlaceLabel[] = [
  { label: 'region', of: (_server, { region }) => region },
  { label: 'zone', of: (_server, { zone }) => zone },
  { label: 'hypervisor', of: ({ hypervisor }) => hypervisor },
  { label: 'project_domain', of: (_server, _host, { projectDomain }) => projectDomain },
  { label: 'project', of: (_server, _host, { project }) => project },
];

export const placeLabels: readonly string[] = places.map(({ label }) => label);

/** A server under the names of a snapshot has them itself. */
export function placeOf(server: Server, host: HostWords, project: ProjectWords): string[] {
  const place: string[] = [];
  for (const { of } of places) place.push(of(server, host, project));
  for (const value of server.extra) place.push(value);
  return place;
}

/** One value of a place, by its label. */
export function placeValue(place: Place, label: string): string {
  return place[placeLabels.indexOf(label)] ?? '';
}

const spare = 1000;

/** One object for each set of values, so that nobody compares names to know a place again. */
export function createPlaces() {
  let known = createTree<Place>();
  let size = 0;
  let inOrder: readonly Place[] | undefined;

  function add(place: Place): Place {
    size += 1;
    inOrder = undefined;
    return place;
  }

  return {
    of: (server: Server, host: HostWords, project: ProjectWords): Place =>
      leafOf(known, placeOf(server, host, project), add),
    /** In the order of their values; some may have no server any more. */
    inOrder: () => (inOrder ??= leavesOf(known)),
    /** Those of these rows stay; the others are forgotten once they are many. */
    keep(rows: readonly { readonly at: { readonly place: Place } }[]): void {
      if (size <= rows.length + spare) return;
      known = createTree();
      size = 0;
      for (const { at } of rows) leafOf(known, at.place, () => add(at.place));
    },
  };
}
