import type { Server } from '../platform/server.ts';

/** Where a server is and whose it is: the values of `places`, in their order, then those of the extra labels. */
export type Place = readonly string[];

interface PlaceLabel {
  readonly label: string;
  readonly of: (server: Server) => string;
  /** Set for the labels that together tell one project from another. */
  readonly namesProject?: true;
}

/** Every place label, in the order in which series carry them. Nothing else in the program knows this order. */
export const places: readonly PlaceLabel[] = [
  { label: 'region', of: ({ region }) => region },
  { label: 'zone', of: ({ zone }) => zone },
  { label: 'hypervisor', of: ({ hypervisor }) => hypervisor },
  { label: 'project_domain', of: ({ projectDomain }) => projectDomain, namesProject: true },
  { label: 'project', of: ({ project }) => project, namesProject: true },
];

export const placeLabels: readonly string[] = places.map(({ label }) => label);

/** The values of the place labels, without the extra ones. */
export function placeValues(server: Server): string[] {
  return places.map(({ of }) => of(server));
}

export function placeOf(server: Server): Place {
  const place: string[] = [];
  writePlace(server, place);
  return place;
}

/** Into a list that servers of the same labels use, one after the other. Says how many values these are. */
export function writePlace(server: Server, place: string[]): number {
  // By index: a list that was emptied would need new memory.
  for (let index = 0; index < places.length; index += 1) place[index] = places[index]!.of(server);
  for (let index = 0; index < server.extra.length; index += 1)
    place[places.length + index] = server.extra[index]!;
  return places.length + server.extra.length;
}

/** One value of a place, by its label. */
export function placeValue(place: Place, label: string): string {
  return place[placeLabels.indexOf(label)] ?? '';
}

/** The part of a place that names the project. */
export function projectOf(place: Place): Place {
  return place.filter((_value, index) => places[index]?.namesProject);
}

/** The values of the place labels and those of the extra labels apart, for who puts other labels in between. */
export function splitPlace(place: Place): [own: Place, extra: Place] {
  return [place.slice(0, places.length), place.slice(places.length)];
}
