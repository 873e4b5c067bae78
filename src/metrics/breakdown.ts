import { byValues, type Breakdown, type Part } from '../inventory/group.ts';
import { placeLabels, splitPlace } from '../inventory/places.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import type { FamilyTable } from './family.ts';

/** How servers are told apart beside their place. */
const groupLabels = { status: ['status', 'state'], state: ['state'], place: [] } as const;
type FromGroup = (typeof groupLabels)[keyof typeof groupLabels];

/** A family that counts under labels of its own what a server may have several of. */
export interface BrokenDown extends Breakdown {
  readonly name: string;
  readonly help: string;
  /** Labels besides those of the place. */
  readonly labels: readonly string[];
  readonly by: keyof typeof groupLabels;
  /** For sizes: how many bytes one of the platform's units has. */
  readonly bytesPer?: (snapshot: Snapshot) => number;
}

/** `index` is that of its breakdown among those of the snapshot. */
export function brokenDownTable(brokenDown: BrokenDown, index: number): FamilyTable<Snapshot, Part> {
  const { name, help, labels, by, bytesPer } = brokenDown;
  const fromGroup = groupLabels[by];
  return {
    columns: [
      {
        name,
        help,
        type: 'gauge',
        labels: ['cloud', ...placeLabels, ...fromGroup, ...labels],
        extraLabels: (snapshot) => snapshot.extraLabels,
        value: ({ count }, snapshot) => count * (bytesPer?.(snapshot) ?? 1),
      },
    ],
    rows: (snapshot) => rowsOf(snapshot.parts[index] ?? [], fromGroup),
    labelValues({ group, values }, { cloud }) {
      const [own, extra] = splitPlace(group.place);
      return [cloud, ...own, ...fromGroup.map((label) => group[label]), ...values, ...extra];
    },
  };
}

/** Parts of one place stand one behind the other; those with the same labels are counted as one. */
function* rowsOf(parts: readonly Part[], fromGroup: FromGroup): Generator<Part> {
  let start = 0;
  while (start < parts.length) {
    const end = endOfPlace(parts, start);
    // Most places have but one group that counts something, and the parts of a group differ.
    const isOneGroup = parts[start]!.group === parts[end - 1]!.group;
    if (isOneGroup) for (let index = start; index < end; index += 1) yield parts[index]!;
    else yield* merge(parts.slice(start, end), fromGroup);
    start = end;
  }
}

function endOfPlace(parts: readonly Part[], start: number): number {
  const { place } = parts[start]!.group;
  let end = start + 1;
  while (end < parts.length && byValues(parts[end]!.group.place, place) === 0) end += 1;
  return end;
}

function merge(parts: readonly Part[], fromGroup: FromGroup): Iterable<Part> {
  const rows = new Map<string, Part>();
  for (const part of parts) {
    const { group, values, count } = part;
    const key = JSON.stringify([fromGroup.map((label) => group[label]), values]);
    const row = rows.get(key);
    rows.set(key, row ? { ...row, count: row.count + count } : part);
  }
  return rows.values();
}
