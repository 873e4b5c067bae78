import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import { createGroups, type Groups } from './groups.ts';
import { createHostNumbers, type HostNumbers } from './host-numbers.ts';
import type { Known } from './known.ts';
import { hostOf, projectOf, type Names } from './names.ts';
import { unnumbered, type Row } from './row.ts';

interface Numbering {
  readonly rows: Row[];
  readonly groups: Groups;
  readonly hosts: HostNumbers;
  readonly names: Names;
  /** Whether rows that have numbers may need others. */
  readonly isForAll: boolean;
}

/** Fewer groups that nobody uses any more are no load. */
const spareGroups = 1000;

/** Gives each row the numbers of its labels and of its host. Where no name has changed, only new rows need them. */
export async function numberRows(
  rows: Row[],
  { groups, hosts, groupsInUse }: Known,
  names: Names,
  slices: Slices,
): Promise<Pick<Known, 'rows' | 'groups' | 'hosts'>> {
  const isCrowded = groups.size() > 2 * groupsInUse + spareGroups;
  const numbering: Numbering = isCrowded
    ? { rows, groups: createGroups(), hosts: createHostNumbers(), names, isForAll: true }
    : { rows, groups, hosts, names, isForAll: names.hasNews };
  await inSlices(slices, rows.length, numbering, numberOne);
  return { rows, groups: numbering.groups, hosts: numbering.hosts };
}

function numberOne(numbering: Numbering, at: number): void {
  const row = numbering.rows[at]!;
  if (row.group === unnumbered || numbering.isForAll) numbering.rows[at] = numbered(row, numbering);
}

function numbered(row: Row, { groups, hosts, names }: Numbering): Row {
  const { kind, id, server, print, readAt, unsettled } = row;
  const group = groups.numberOf(server, hostOf(names, server), projectOf(names, server));
  const host = hosts.numberOf(server);
  if (group === row.group && host === row.host) return row;
  return { kind, id, server, print, readAt, unsettled, group, host };
}
