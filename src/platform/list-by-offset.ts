import { listFailure } from '../transport/failure.ts';
import { askPage, isLast, waitIfLoss, type Listing, type Pass } from './page.ts';
import type { WithId } from './records.ts';

/** Rows that a page has in common with the one before; less of a small page, so that it goes on. */
const mostOverlap = 10;

/** Page after page, and once more where it may have lost some: it proves less than ranges of ids. */
export async function listByOffset<Item extends WithId>(
  pass: Pass<Item>,
  byOffset: Listing<Item>['byOffset'],
): Promise<Listing<Item>> {
  const { known, resource } = pass.input;
  let reading = await readOnce(pass);
  const lost = known.filter(({ id }) => !reading.items.has(id)).length;
  const hasLost = await waitIfLoss(pass, lost, known.length);
  if (hasLost || reading.expected > reading.items.size || reading.hasGaps) reading = await readOnce(pass);
  const { items, expected, reported } = reading;
  // So many may have been deleted meanwhile.
  if (expected - items.size > Math.max(10, expected / 100))
    throw listFailure(
      resource,
      'truncated',
      `${items.size} arrived, ${expected} were announced, and a second reading did not help`,
    );
  return { items: [...items.values()], reported, pages: pass.pages, losses: pass.losses, byOffset };
}

/** Until a page proves to be the last, or brings nothing new. */
async function readOnce<Item extends WithId>(pass: Pass<Item>) {
  const { pageSize, onPage } = pass.input;
  /** By id, or by row where there is none. The later record of an id counts. */
  const items = new Map<string | number, Item>();
  let first: number | undefined;
  let last: number | undefined;
  let hasGaps = false;
  let overlap = 0;
  let offset = 0;

  for (;;) {
    const page = await askPage(pass, { offset });
    onPage?.({ received: offset + page.items.length, reported: page.total });
    // Where none has an id, there is nothing to say.
    const joint = page.items.find(({ id }) => id !== '');
    hasGaps ||= overlap > 0 && joint !== undefined && !items.has(joint.id);
    const sizeBefore = items.size;
    for (const [row, item] of page.items.entries()) items.set(item.id || offset + row, item);
    first ??= page.total;
    last = page.total ?? last;
    if (items.size === sizeBefore || isLast(page, pageSize, offset)) break;
    overlap = Math.min(mostOverlap, Math.floor(page.items.length / 2));
    offset += page.items.length - overlap;
  }
  return {
    items,
    /** The last total. */
    reported: last ?? (items.size === 0 ? 0 : undefined),
    /** The smaller of the first and the last total: servers come and go while the list is read. */
    expected: Math.min(first ?? items.size, last ?? items.size),
    /** A page did not join the one before: rows moved, and some may have slipped through. */
    hasGaps,
  };
}
