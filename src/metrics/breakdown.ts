import type { Breakdown } from '../inventory/group.ts';
import { placeLabels, splitPlace } from '../inventory/places.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { createTree } from '../inventory/tree.ts';
import type { Family } from './family.ts';

/** How servers are told apart beside their place. */
const groupLabels = { status: ['status', 'state'], state: ['state'], place: [] } as const;

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
export function brokenDownFamily(brokenDown: BrokenDown, index: number): Family<Snapshot> {
  const { name, help, labels, by, bytesPer } = brokenDown;
  const fromGroup = groupLabels[by];
  return {
    name,
    help,
    type: 'gauge',
    labels: ['cloud', ...placeLabels, ...fromGroup, ...labels],
    extraLabels: (snapshot) => snapshot.extraLabels,
    *samples(snapshot) {
      const scale = bytesPer?.(snapshot) ?? 1;
      const counts = createTree<{ labels: readonly string[]; count: number }>();
      for (const { group, values, count } of snapshot.parts[index] ?? []) {
        const [place, extra] = splitPlace(group.place);
        const path = [...place, ...fromGroup.map((label) => group[label]), ...values, ...extra];
        counts.leaf(path, () => ({ labels: [snapshot.cloud, ...path], count: 0 })).count += count;
      }
      for (const { labels: values, count } of counts.leaves()) yield [values, count * scale];
    },
  };
}
