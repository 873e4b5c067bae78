import type { Server } from '../platform/server.ts';
import { states } from '../platform/state.ts';
import type { Group } from './groups.ts';
import { leavesOf, type Tree } from './tree.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export interface Measure {
  readonly name: string;
  readonly count: (server: Server) => number;
}

export type Labels = readonly string[];

/** Sums by the values of labels. */
export interface LabelledSums {
  /** In order; those of the location come first. */
  readonly labels: readonly Labels[];
  /** By the name of the measure, one for each of these. */
  readonly sums: Readonly<Record<string, Float64Array>>;
}

export type PartTree = Tree<{ readonly labels: Labels; count: number }>;

export function sumsByStatus(used: readonly Group[], servers: Float64Array): LabelledSums {
  const counts = new Float64Array(used.length);
  for (let index = 0; index < used.length; index += 1) counts[index] = servers[used[index]!.number]!;
  return { labels: used.map(({ byStatus }) => byStatus), sums: { servers: counts } };
}

/** Groups that differ in their status alone stand together. */
export function sumsByState(
  used: readonly Group[],
  measures: readonly Measure[],
  byGroup: readonly Float64Array[],
): LabelledSums {
  const labels: Labels[] = [];
  /** Where the sums of a group stand. */
  const positions = new Int32Array(used.length);
  for (let index = 0; index < used.length; index += 1) {
    const { byState } = used[index]!;
    if (byState !== labels.at(-1)) labels.push(byState);
    positions[index] = labels.length - 1;
  }
  const sums: Record<string, Float64Array> = {};
  for (let measure = 0; measure < measures.length; measure += 1) {
    const added = new Float64Array(labels.length);
    for (let index = 0; index < used.length; index += 1)
      added[positions[index]!]! += byGroup[measure]![used[index]!.number]!;
    sums[measures[measure]!.name] = added;
  }
  return { labels, sums };
}

export function sumsOfParts(tree: PartTree): LabelledSums {
  const parts = leavesOf(tree);
  return {
    labels: parts.map(({ labels }) => labels),
    sums: { parts: Float64Array.from(parts, ({ count }) => count) },
  };
}

const other = 'other';
const stateWords: readonly string[] = states;
/** So many sets of values keep their words past the limit: those of the platform are few, unless it makes them up. */
const maxMergedValues = 100;

/** Past `limit` label sets the last ones in order count as one location, `other`: every sum stays true, and the same sets stay. */
export function fold(all: LabelledSums, limit: number, locationLength: number): LabelledSums {
  if (all.labels.length <= limit) return all;
  const labels = all.labels.slice(0, limit);
  const sums = Object.entries(all.sums).map(([name, numbers]) => ({
    name,
    numbers,
    folded: [...numbers.subarray(0, limit)],
  }));
  const merged = new Map<string, number>();
  for (let at = limit; at < all.labels.length; at += 1) {
    const values = all.labels[at]!.slice(locationLength);
    const isKept = merged.size < maxMergedValues || merged.has(JSON.stringify(values));
    const words = isKept ? values : values.map((value) => (stateWords.includes(value) ? value : other));
    const key = JSON.stringify(words);
    const target = merged.get(key) ?? labels.length;
    if (!merged.has(key)) {
      merged.set(key, target);
      labels.push([...Array.from({ length: locationLength }, () => other), ...words]);
    }
    for (const { numbers, folded } of sums) folded[target] = (folded[target] ?? 0) + numbers[at]!;
  }
  return {
    labels,
    sums: Object.fromEntries(sums.map(({ name, folded }) => [name, Float64Array.from(folded)])),
  };
}
