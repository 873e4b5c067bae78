import type { Server } from '../platform/server.ts';
import { states } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Labels, LabelSet } from './label-sets.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export interface Measure {
  readonly name: string;
  readonly count: (server: Server) => number;
}

/** Sums by the values of labels. */
export interface LabelledSums {
  /** In order; those of the location come first. */
  readonly labels: readonly Labels[];
  /** By the name of the measure, one for each of these. */
  readonly sums: Readonly<Record<string, Float64Array>>;
}

/** Sums by the number of a set, or of whatever is counted. */
export type NumberedSums = Readonly<Record<string, Float64Array>>;

/** One for each measure, fresh for each snapshot, so that nothing that is still written can change. */
export function emptySums<Name extends string>(
  measures: readonly { readonly name: Name }[],
  length: number,
): Readonly<Record<Name, Float64Array>> {
  const sums = measures.map(({ name }) => [name, new Float64Array(length)]);
  return Object.fromEntries(sums) as Record<Name, Float64Array>;
}

interface Picking {
  readonly sets: readonly LabelSet[];
  readonly counts: Float64Array;
  readonly labels: Labels[];
  readonly positions: number[];
}

/** Those that anything counts under, in order. */
export async function labelledSums(
  sets: readonly LabelSet[],
  counts: Float64Array,
  sums: NumberedSums,
  slices: Slices,
): Promise<LabelledSums> {
  const picking: Picking = { sets, counts, labels: [], positions: [] };
  await inSlices(slices, sets.length, picking, pick);
  return { labels: picking.labels, sums: sumsAt(sums, picking.positions) };
}

function pick({ sets, counts, labels, positions }: Picking, at: number): void {
  const set = sets[at]!;
  if (counts[set.number] === 0) return;
  labels.push(set.labels);
  positions.push(set.number);
}

export function sumsAt(sums: NumberedSums, positions: readonly number[]): NumberedSums {
  const picked = Object.entries(sums).map(([name, numbers]) => [name, pickNumbers(numbers, positions)]);
  return Object.fromEntries(picked) as NumberedSums;
}

function pickNumbers(numbers: Float64Array, positions: readonly number[]): Float64Array {
  const picked = new Float64Array(positions.length);
  for (let at = 0; at < positions.length; at += 1) picked[at] = numbers[positions[at]!]!;
  return picked;
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
