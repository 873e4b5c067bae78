import type { Server } from '../platform/server.ts';
import { states } from '../platform/state.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Labels, LabelSet, LabelSets } from './label-sets.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export interface Measure {
  readonly name: string;
  /** Now, and under these labels. */
  readonly count: (server: Server, labels: Labels, now: number) => number;
}

/** What is added up, by the number of a label set or of a host. */
export interface Sum extends Measure {
  readonly numbers: Float64Array;
}

type NamedNumbers = Pick<Sum, 'name' | 'numbers'>;

/** Sums by the values of labels. */
export interface LabelledSums {
  /** In order; those of the location come first. */
  readonly labels: readonly Labels[];
  /** By the name of the sum, one number for each of these. */
  readonly sums: Readonly<Record<string, Float64Array>>;
}

/** Fresh for each snapshot, so that nothing that is still written can change. */
export function emptySums(measures: readonly Measure[], length: number): readonly Sum[] {
  return measures.map(({ name, count }) => ({ name, count, numbers: new Float64Array(length) }));
}

interface Picking {
  readonly sets: readonly LabelSet[];
  readonly sums: readonly NamedNumbers[];
  readonly labels: Labels[];
  readonly positions: number[];
}

/** Those that add up to something, in order. */
export async function labelledSums(
  sets: LabelSets,
  sums: readonly NamedNumbers[],
  slices: Slices,
): Promise<LabelledSums> {
  const picking: Picking = { sets: sets.inOrder(), sums, labels: [], positions: [] };
  await inSlices(slices, picking.sets.length, picking, pick);
  return { labels: picking.labels, sums: sumsAt(sums, picking.positions) };
}

function pick({ sets, sums, labels, positions }: Picking, at: number): void {
  const set = sets[at]!;
  for (let index = 0; index < sums.length; index += 1) {
    if (!(sums[index]!.numbers[set.number]! > 0)) continue;
    labels.push(set.labels);
    positions.push(set.number);
    return;
  }
}

export function sumsAt(sums: readonly NamedNumbers[], positions: readonly number[]): LabelledSums['sums'] {
  return Object.fromEntries(sums.map(({ name, numbers }) => [name, pickNumbers(numbers, positions)]));
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
  const merged = new Map<string, number>();
  const targets = all.labels.map((values, at) => {
    if (at < limit) return at;
    let moved = values.map((value, index) => (index < locationLength ? other : value));
    if (merged.size >= maxMergedValues && !merged.has(JSON.stringify(moved)))
      moved = moved.map((value) => (stateWords.includes(value) ? value : other));
    const key = JSON.stringify(moved);
    if (!merged.has(key)) merged.set(key, labels.push(moved) - 1);
    return merged.get(key)!;
  });
  const sums = Object.entries(all.sums).map(([name, numbers]) => {
    const folded = new Float64Array(labels.length);
    for (const [at, target] of targets.entries()) folded[target]! += numbers[at]!;
    return [name, folded] as const;
  });
  return { labels, sums: Object.fromEntries(sums) };
}
