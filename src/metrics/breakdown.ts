import { byValues, type Breakdown, type Part } from '../inventory/group.ts';
import { placeLabels, splitPlace, type Place } from '../inventory/places.ts';
import type { Snapshot } from '../inventory/snapshot.ts';
import { createValueCounts, type ValueCount } from '../inventory/value-counts.ts';
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
      for (const { place, counts } of byPlace(snapshot.parts[index] ?? [], fromGroup)) {
        const [own, extra] = splitPlace(place);
        for (const { values, count } of counts)
          yield [[snapshot.cloud, ...own, ...values, ...extra], count * scale];
      }
    },
  };
}

/** Parts of one place stand one behind the other; those with the same values are counted as one. */
function* byPlace(
  parts: readonly Part[],
  fromGroup: readonly ('status' | 'state')[],
): Generator<{ place: Place; counts: readonly ValueCount[] }> {
  let place: Place | undefined;
  let counts = createValueCounts();
  for (const { group, values, count } of parts) {
    if (place && byValues(place, group.place) !== 0) {
      yield { place, counts: counts.all };
      counts = createValueCounts();
    }
    place = group.place;
    counts.add([...fromGroup.map((label) => group[label]), ...values], count);
  }
  if (place) yield { place, counts: counts.all };
}
