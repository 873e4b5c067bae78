/** A page, where `limit` is how many are in a full one: as many as were asked for, or as the platform says that it sends. */
export interface Answer<Item> {
  readonly items: readonly Item[];
  readonly total: number | undefined;
  readonly limit: number;
}

/** Rows that a page has in common with the one before; less of a small page, so that it goes on. */
const overlap = 10;

/** Reads pages by offset until one proves to be the last, or brings nothing new. It proves less than ranges of ids. */
export async function readByOffset<Item extends { readonly id: string }>(
  askAt: (offset: number) => Promise<Answer<Item>>,
) {
  /** By id, or by row where there is none. The later record of an id counts. */
  const items = new Map<string | number, Item>();
  const totals: number[] = [];
  let hasGaps = false;
  let before: readonly Item[] = [];
  let offset = 0;

  for (;;) {
    const answer = await askAt(offset);
    const sizeBefore = items.size;
    for (const [row, item] of answer.items.entries()) items.set(item.id || offset + row, item);
    if (answer.total !== undefined) totals.push(answer.total);
    hasGaps ||= overlapOf(before) > 0 && !joins(before, answer.items);
    if (items.size === sizeBefore || isLast(answer, offset)) break;
    before = answer.items;
    offset += before.length - overlapOf(before);
  }
  const [first = items.size] = totals;
  const last = totals.at(-1) ?? items.size;
  return {
    items: [...items.values()],
    /** The last total. */
    reported: totals.length > 0 || items.size === 0 ? last : undefined,
    /** The smaller of the first and the last total: servers come and go while the list is read. */
    expected: Math.min(first, last),
    /** A page did not join the one before: rows moved, and some may have slipped through. */
    hasGaps,
  };
}

function overlapOf(page: readonly unknown[]): number {
  return Math.min(overlap, Math.floor(page.length / 2));
}

/** A full page may have been cut: only one that is not, and reaches the total, is the end. */
function isLast<Item>({ items, total, limit }: Answer<Item>, offset: number): boolean {
  return total !== undefined && offset + items.length >= total && items.length < limit;
}

/** Whether the first of these that has an id is among those before; where none has, there is nothing to say. */
function joins<Item extends { readonly id: string }>(
  before: readonly Item[],
  page: readonly Item[],
): boolean {
  const first = page.find(({ id }) => id !== '');
  return first === undefined || before.some(({ id }) => id === first.id);
}
