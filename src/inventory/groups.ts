import type { ListedHost } from '../platform/side-records.ts';
import type { Server } from '../platform/server.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { createLabelSets, createTree, endOf, type Labels, type LabelSets } from './label-sets.ts';
import type { Measure } from './labelled-sums.ts';
import { locationOf } from './location.ts';
import { hostOf, projectOf, type Names } from './names.ts';
import type { Group, Row } from './row.ts';

/** What is added up by location and labels of its own. */
export interface Breakdown {
  readonly name: string;
  /** The values of these labels for each thing that a server counts as, whatever the time. */
  readonly parts: (server: Server) => readonly Labels[];
  readonly measures: readonly Measure[];
}

export type Groups = ReturnType<typeof createGroups>;

/** No host says anything of a server that has neither its id nor its name. */
export const noHost = 0;

/** The groups, hosts and labels of a cloud, by number. They only grow, as label sets do. */
export function createGroups() {
  return {
    tree: createTree<Group>(),
    /** How many groups there are. */
    size: 0,
    projects: createLabelSets(),
    /** By the name of a breakdown. */
    parts: new Map<string, LabelSets>(),
    hostNumbers: new Map<string, number>(),
    /** By number; `''` where its servers give a name only. */
    hostIds: [''],
    hosts: createLabelSets(),
    hostStates: createLabelSets(),
    hostDevices: createLabelSets(),
    storages: createLabelSets(),
    networks: createLabelSets(),
    syncs: createLabelSets(),
  };
}

export function partSets({ parts }: Groups, { name }: Breakdown): LabelSets {
  let sets = parts.get(name);
  if (!sets) parts.set(name, (sets = createLabelSets()));
  return sets;
}

/** How many there are of what grows most. */
function sizeOf({ size, hosts, hostStates, hostIds }: Groups): number {
  return size + hosts.size() + hostStates.size() + hostIds.length;
}

interface Naming {
  readonly names: Names;
  readonly breakdowns: readonly Breakdown[];
  readonly listed: readonly ListedHost[] | undefined;
}

interface Numbering extends Naming {
  readonly rows: Row[];
  readonly groups: Groups;
  idsByName: ReadonlyMap<string, string | undefined> | undefined;
  /** Whether rows that have a group may need another one. */
  readonly isForAll: boolean;
}

/** Fewer that nobody uses any more are no load. */
const spare = 2000;

/** Gives each row its group and the number of its host. Where no name has changed, only new rows need them. */
export async function groupRows(
  rows: Row[],
  known: { readonly groups: Groups; readonly groupsInUse: number },
  naming: Naming,
  slices: Slices,
): Promise<{ readonly rows: readonly Row[]; readonly groups: Groups }> {
  const isCrowded = sizeOf(known.groups) > 2 * known.groupsInUse + spare;
  const groups = isCrowded ? createGroups() : known.groups;
  const isForAll = isCrowded || naming.names.hasNews;
  const numbering: Numbering = { ...naming, rows, groups, idsByName: undefined, isForAll };
  await inSlices(slices, rows.length, numbering, groupOne);
  return { rows, groups };
}

/** Servers without the id of their host name it, which says enough if only one has that name. */
function onlyOnesByName(listed: readonly ListedHost[] = []): ReadonlyMap<string, string | undefined> {
  const ids = new Map<string, string | undefined>();
  for (const { id, name } of listed) ids.set(name, ids.has(name) ? undefined : id);
  return ids;
}

function groupOne(numbering: Numbering, at: number): void {
  const row = numbering.rows[at]!;
  if (row.group !== undefined && !numbering.isForAll) return;
  const { kind, id, server, print, readAt, unsettled } = row;
  const group = groupOf(numbering, server);
  const host = hostNumberOf(numbering, server);
  if (group === row.group && host === row.host) return;
  numbering.rows[at] = { kind, id, server, print, readAt, unsettled, group, host };
}

function groupOf({ groups, names, breakdowns }: Numbering, server: Server): Group {
  const project = projectOf(names, server);
  const location = locationOf(server, hostOf(names, server), project);
  const parts = breakdowns.map((breakdown) => breakdown.parts(server));
  const path = [...location];
  for (const some of parts) path.push(String(some.length), ...some.flat());
  const end = endOf(groups.tree, path);
  if (end.leaf) return end.leaf;
  groups.size += 1;
  return (end.leaf = {
    location,
    project: groups.projects.of([project.projectDomain, project.project]),
    parts: parts.map((some, index) => {
      const sets = partSets(groups, breakdowns[index]!);
      return some.map((values) => sets.of([...location, ...values]));
    }),
  });
}

function hostNumberOf(numbering: Numbering, server: Server): number {
  const { groups, listed } = numbering;
  const { hostId, backupHostId, region, zone, host } = server;
  if (backupHostId !== '') numberOf(groups, backupHostId, backupHostId);
  if (hostId !== '') return numberOf(groups, hostId, hostId);
  if (host === '') return noHost;
  numbering.idsByName ??= onlyOnesByName(listed);
  const id = numbering.idsByName.get(host);
  return id === undefined
    ? numberOf(groups, JSON.stringify([region, zone, host]), '')
    : numberOf(groups, id, id);
}

function numberOf({ hostNumbers, hostIds }: Groups, key: string, id: string): number {
  let number = hostNumbers.get(key);
  if (number === undefined) {
    number = hostIds.length;
    hostNumbers.set(key, number);
    hostIds.push(id);
  }
  return number;
}
