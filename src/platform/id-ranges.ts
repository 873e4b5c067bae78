import type { WithId } from './records.ts';

/** Ids behind `after`, up to and with `upTo`. */
export interface IdRange {
  readonly after: string | undefined;
  readonly upTo: string | undefined;
}

/** A range, and which of what is known are in it: from the one that stands there up to the other. */
export interface KnownRange extends IdRange {
  readonly from: number;
  readonly to: number;
}

/** As the platform's database compares ids: letters as capitals, by code, whatever blanks they end with. */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  const common = Math.min(a.length, b.length);
  for (let at = 0; at < common; at += 1) {
    const difference = capitalAt(a, at) - capitalAt(b, at);
    if (difference !== 0) return difference;
  }
  const isLonger = (one: string, than: string) => Number(one.slice(than.length).trimEnd() !== '');
  return isLonger(a, b) - isLonger(b, a);
}

function capitalAt(id: string, at: number): number {
  const code = id.charCodeAt(at);
  return code >= 0x61 && code <= 0x7a ? code - 0x20 : code;
}

/** Other ids may be answered with nothing, or with everything. */
export function canBeAskedFor(id: string): boolean {
  return /^[\w.:-]+$/.test(id);
}

/** How many of these come before an id, or are it; they ascend. */
export function countUpTo(items: readonly WithId[], id: string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(items[middle]!.id, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The one of this id; they ascend. */
export function findById<Item extends WithId>(items: readonly Item[], id: string): Item | undefined {
  const item = items[countUpTo(items, id) - 1];
  return item?.id === id ? item : undefined;
}

/** All, whatever is known, in one range: for what has but a page or two. */
export function oneRange(known: readonly WithId[]): readonly KnownRange[] {
  return [{ after: undefined, upTo: undefined, from: 0, to: known.length }];
}

/** The ranges of a list: a boundary every nine tenths of a page, so that a range may grow before it needs two. */
export function rangesOf(known: readonly WithId[], limit: number): readonly KnownRange[] {
  const ranges: KnownRange[] = [];
  const step = Math.max(1, Math.floor(limit * 0.9));
  let from = 0;
  let after: string | undefined;
  for (let at = step - 1; at < known.length - 1;) {
    const upTo = known[at]!.id;
    if (!canBeAskedFor(upTo)) {
      at += 1;
      continue;
    }
    ranges.push({ after, upTo, from, to: at + 1 });
    [after, from] = [upTo, at + 1];
    at += step;
  }
  ranges.push({ after, upTo: undefined, from, to: known.length });
  return ranges;
}

/** For ids that a filter must not have: the ranges between those next to them that it may have. */
export function rangesAround(items: readonly WithId[], ids: readonly string[]): readonly KnownRange[] {
  const ranges = new Map<string | undefined, KnownRange>();
  for (const id of ids) {
    if (canBeAskedFor(id)) continue;
    const at = countUpTo(items, id);
    const after = items.slice(0, at).findLast((item) => canBeAskedFor(item.id))?.id;
    const upTo = items.slice(at).find((item) => canBeAskedFor(item.id))?.id;
    ranges.set(after, { after, upTo, from: 0, to: 0 });
  }
  return [...ranges.values()];
}

/**
 * The ranges of what comes behind an id where nothing is known of it: one for each first hexadecimal digit. Where ids
 * are of another kind, that is slower, and as right.
 */
export function rangesBehind(id: string): readonly KnownRange[] {
  const ends = '123456789abcdef'.split('').filter((digit) => compareIds(digit, id) > 0);
  return [...ends, undefined].map((upTo, index) => ({ after: ends[index - 1] ?? id, upTo, from: 0, to: 0 }));
}

/** Whether what came ascends and lies within the range; records without an id say nothing. */
export function isHeeded({ after, upTo }: IdRange, items: readonly WithId[]): boolean {
  let last = after;
  for (let index = 0; index < items.length; index += 1) {
    const { id } = items[index]!;
    if (id === '') continue;
    if (last !== undefined && compareIds(id, last) <= 0) return false;
    last = id;
  }
  return upTo === undefined || last === undefined || compareIds(last, upTo) <= 0;
}
