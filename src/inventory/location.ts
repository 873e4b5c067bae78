import type { Server } from '../platform/server.ts';

/** Where a server is and whose it is: the values of the location labels, in their order, then those of the extra labels. */
export type Location = readonly string[];

/** The names that a snapshot uses; a server under these has them itself. */
type HostWords = Pick<Server, 'host' | 'zone' | 'region'>;
type ProjectWords = Pick<Server, 'project' | 'projectDomain'>;

interface LocationLabel {
  readonly label: string;
  readonly of: (server: Server, host: HostWords, project: ProjectWords) => string;
}

/** Every location label, in the order in which series carry them. Nothing else in the program knows this order. */
export const locations: readonly LocationLabel[] = [
  { label: 'region', of: (_server, { region }) => region },
  { label: 'zone', of: (_server, { zone }) => zone },
  { label: 'hypervisor', of: ({ hypervisor }) => hypervisor },
  { label: 'project_domain', of: (_server, _host, { projectDomain }) => projectDomain },
  { label: 'project', of: (_server, _host, { project }) => project },
];

export const locationLabels: readonly string[] = locations.map(({ label }) => label);

export function locationOf(server: Server, host: HostWords, project: ProjectWords): string[] {
  const values: string[] = [];
  for (const { of } of locations) values.push(of(server, host, project));
  for (const value of server.extra) values.push(value);
  return values;
}

/** One value of a location, by its label. */
export function locationValue(location: Location, label: string): string {
  return location[locationLabels.indexOf(label)] ?? '';
}
