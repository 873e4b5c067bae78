/** Ids behind `after`, up to and with `upTo`. */
export interface IdRange {
  readonly after: string | undefined;
  readonly upTo: string | undefined;
}

/** As the platform's database compares ids: letters as capitals, by code, whatever blanks they end with. */
export function compareIds(a: string, b: string): number {
  const [left, right] = [folded(a), folded(b)];
  return left < right ? -1 : Number(left > right);
}

function folded(id: string): string {
  return (id.endsWith(' ') ? id.replace(/ +$/, '') : id).toUpperCase();
}

/** Other ids may be answered with nothing, or with everything. */
export function canBeAskedFor(id: string): boolean {
  return /^[\w.:-]+$/.test(id);
}

/**
 * The ranges of a list, from the ids of the last one: a boundary every nine tenths of a page, so that a range may grow
 * before it needs two. Without ids, one for each first hexadecimal digit: where ids are of another kind, that is slower,
 * and as right.
 */
export function rangesOf(ids: readonly string[], limit: number): readonly IdRange[] {
  const boundaries = ids.length === 0 ? '123456789abcdef'.split('') : [];
  const step = Math.max(1, Math.floor(limit * 0.9));
  for (let at = step - 1; at < ids.length - 1;) {
    const id = ids[at]!;
    // Ids out of order, as those of a list by offset may be, make fewer ranges, and no wrong ones.
    const isBehind = boundaries.length === 0 || compareIds(boundaries.at(-1)!, id) < 0;
    const isBoundary = isBehind && canBeAskedFor(id);
    if (isBoundary) boundaries.push(id);
    at += isBoundary ? step : 1;
  }
  return [...boundaries, undefined].map((upTo, index) => ({ after: boundaries[index - 1], upTo }));
}

/** Whether what came ascends and lies within the range; records without an id say nothing. */
export function isHeeded({ after, upTo }: IdRange, items: readonly { readonly id: string }[]): boolean {
  let last = folded(after ?? '');
  for (const item of items) {
    if (item.id === '') continue;
    const id = folded(item.id);
    if (id <= last) return false;
    last = id;
  }
  return upTo === undefined || last <= folded(upTo);
}
