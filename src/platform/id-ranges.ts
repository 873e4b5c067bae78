import type { WithId } from './records.ts';

/** Ids behind `after`, up to and with `upTo`. */
export interface IdRange {
  readonly after: string | undefined;
  readonly upTo: string | undefined;
  /** What is known in it, in order. */
  readonly known: readonly WithId[];
  /** Nothing else of it is wanted: then these are asked for by their ids. */
  readonly isJustKnown?: boolean;
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
export function oneRange(known: readonly WithId[]): readonly IdRange[] {
  return [{ after: undefined, upTo: undefined, known }];
}

/** The ranges of a list: a boundary every nine tenths of a page, so that a range may grow before it needs two. */
export function rangesOf(known: readonly WithId[], limit: number): readonly IdRange[] {
  const ranges: IdRange[] = [];
  const step = Math.max(1, Math.floor(limit * 0.9));
  let from = 0;
  let after: string | undefined;
  for (let to = step; to < known.length; to += 1) {
    const upTo = known[to - 1]!.id;
    if (!canBeAskedFor(upTo)) continue;
    ranges.push({ after, upTo, known: known.slice(from, to) });
    [after, from] = [upTo, to];
    to += step - 1;
  }
  return [...ranges, { after, upTo: undefined, known: known.slice(from) }];
}

/** Just these of all, some at once; of ids that a filter must not have, what is between those next to them that it may have. */
export function rangesOfJust(
  wanted: readonly WithId[],
  all: readonly WithId[],
  atOnce: number,
): readonly IdRange[] {
  const ranges: IdRange[] = [];
  const around = new Map<string | undefined, IdRange>();
  const askable = wanted.filter(isAskable);
  for (let at = 0; at < askable.length; at += atOnce) {
    const known = askable.slice(at, at + atOnce);
    ranges.push({ after: undefined, upTo: undefined, known, isJustKnown: true });
  }
  if (askable.length === wanted.length) return ranges;
  for (const { id } of wanted) {
    if (canBeAskedFor(id)) continue;
    const at = countUpTo(all, id);
    const after = all.slice(0, at).findLast(isAskable)?.id;
    around.set(after, { after, upTo: all.slice(at).find(isAskable)?.id, known: [] });
  }
  return [...ranges, ...around.values()];
}

function isAskable({ id }: WithId): boolean {
  return canBeAskedFor(id);
}

/**
 * The ranges of what comes behind an id where nothing is known of it: one for each first hexadecimal digit. Where ids
 * are of another kind, that is slower, and as right.
 */
export function rangesBehind(id: string): readonly IdRange[] {
  const ends = '123456789abcdef'.split('').filter((digit) => compareIds(digit, id) > 0);
  return [...ends, undefined].map((upTo, index) => ({ after: ends[index - 1] ?? id, upTo, known: [] }));
}

/** Whether what came is what was asked for, and ascends; records without an id say nothing. */
export function isHeeded(range: IdRange, items: readonly WithId[]): boolean {
  const { after, upTo, known, isJustKnown } = range;
  let last = after;
  for (let index = 0; index < items.length; index += 1) {
    const { id } = items[index]!;
    if (id === '') continue;
    if (last !== undefined && compareIds(id, last) <= 0) return false;
    if (isJustKnown && !findById(known, id)) return false;
    last = id;
  }
  return upTo === undefined || last === undefined || compareIds(last, upTo) <= 0;
}
