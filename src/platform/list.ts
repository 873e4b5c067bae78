import { canBeAskedFor, compareIds, isHeeded, rangesBehind, rangesOf, type IdRange } from './id-ranges.ts';
import { listByOffset } from './list-by-offset.ts';
import { askPage, isLast, waitIfLoss, type Listing, type ListInput, type Pass } from './page.ts';
import type { WithId } from './records.ts';

/** Thrown where a list has to be asked for in another way. */
export class AskOtherwise extends Error {
  /** What the platform ignores; undefined where that is no matter of the platform, or may pass. */
  readonly ignored: string | undefined;
  constructor(ignored: string | undefined, why = `the platform ignores ${ignored}`) {
    super(why);
    this.ignored = ignored;
  }
}

/**
 * Lists everything, or fails: never a part. Who is there during the whole list is in it once, since ids don't move as
 * rows do; by offset that is likely, and checked as far as it can be.
 */
export async function listAll<Item extends WithId>(input: ListInput<Item>): Promise<Listing<Item>> {
  const pass: Pass<Item> = { input, pages: 0, losses: 0, failure: undefined };
  if (input.byOffset !== undefined) return listByOffset(pass, { why: input.byOffset, isLasting: true });
  try {
    return await readRanges(pass);
  } catch (error) {
    if (!(error instanceof AskOtherwise) || input.isByIdOnly) throw error;
    return listByOffset(pass, { why: error.message, isLasting: error.ignored !== undefined });
  }
}

/** A range, or a page of it, and its first total. */
interface RangeRead<Item> {
  readonly items: readonly Item[];
  readonly total: number | undefined;
  readonly isEnd: boolean;
}

async function readRanges<Item extends WithId>(pass: Pass<Item>): Promise<Listing<Item>> {
  const { known, pageSize, concurrency, onPage } = pass.input;
  let ranges = pass.input.ranges ?? rangesOf(known, pageSize);
  let first: RangeRead<Item> | undefined;
  if (!pass.input.ranges && known.length === 0) {
    // The first page says whether one range is enough.
    first = await readPage(pass, { after: undefined, upTo: undefined, known });
    ranges = first.isEnd ? [] : rangesBehind(first.items.at(-1)!.id);
    onPage?.({ received: first.items.length, reported: first.total });
  }
  const reads = ranges.map((): RangeRead<Item> | undefined => undefined);
  const reported = () => (first ? first.total : sumOfTotals(reads));
  let received = first?.items.length ?? 0;
  let next = 0;
  async function readNext(): Promise<void> {
    while (next < ranges.length && !pass.failure) {
      const index = next++;
      const read = await readRange(pass, ranges[index]!);
      reads[index] = read;
      received += read.items.length;
      onPage?.({ received, reported: reported() });
    }
  }
  const readers = Array.from({ length: Math.min(concurrency, ranges.length) }, readNext);
  await Promise.all(readers).catch(async (error: unknown) => {
    pass.failure = error;
    // What is asked then would come on top of what these still wait for.
    if (error instanceof AskOtherwise) await Promise.allSettled(readers);
    throw error;
  });
  return {
    items: ([] as Item[]).concat(first?.items ?? [], ...reads.map((read) => read!.items)),
    reported: reported(),
    pages: pass.pages,
    losses: pass.losses,
    byOffset: undefined,
  };
}

/** Undefined until each has one. */
function sumOfTotals(reads: readonly (RangeRead<unknown> | undefined)[]): number | undefined {
  const sum = reads.reduce((all, read) => all + (read?.total ?? NaN), 0);
  return Number.isNaN(sum) ? undefined : sum;
}

/** A range to its end; once more, if it lost too much of what was known in it: then that counts. */
async function readRange<Item extends WithId>(pass: Pass<Item>, range: IdRange): Promise<RangeRead<Item>> {
  const read = await readRangeOnce(pass, range);
  const isLoss = await waitIfLoss(pass, countLost(range.known, read.items), range.known.length);
  return isLoss ? readRangeOnce(pass, range) : read;
}

async function readRangeOnce<Item extends WithId>(
  pass: Pass<Item>,
  range: IdRange,
): Promise<RangeRead<Item>> {
  let page = await readPage(pass, range);
  let { items } = page;
  const { total } = page;
  while (!page.isEnd) {
    page = await readPage(pass, { ...range, after: items.at(-1)!.id });
    items = items.concat(page.items);
  }
  return { items, total, isEnd: true };
}

const maxBrokenAnswers = 3;
const firstPauseMs = 100;

/** The next page of a range, up to the last id that may be asked for: what is behind it comes again with the next one. */
async function readPage<Item extends WithId>(pass: Pass<Item>, range: IdRange): Promise<RangeRead<Item>> {
  const { pageSize, clock, signal } = pass.input;
  let [odd, broken] = [0, 0];
  for (;;) {
    const page = await askPage(pass, { range });
    const { items, total, ignored } = page;
    if (pass.failure) throw pass.failure;
    if (ignored !== undefined || !isHeeded(range, items)) {
      odd += 1;
      // One odd answer is asked for again.
      if (odd === 2) throw new AskOtherwise(ignored ?? (range.isJustKnown ? 'filter=id.in' : 'filter=id.gt'));
    } else if (items.length === 0 && total) {
      broken += 1;
      if (broken === maxBrokenAnswers)
        throw new AskOtherwise(undefined, `${maxBrokenAnswers} answers in a row had a total and no records`);
      await clock.wait(firstPauseMs * broken, signal);
    } else if (isLast(page, pageSize)) return { items, total: total ?? 0, isEnd: true };
    else {
      const end = 1 + items.findLastIndex(({ id }) => canBeAskedFor(id));
      if (end === 0) throw new AskOtherwise('filter=id.gt', 'ids have letters that a filter must not have');
      return { items: end < items.length ? items.slice(0, end) : items, total, isEnd: false };
    }
  }
}

/** How many of those known are not among these; both ascend. */
function countLost(known: readonly WithId[], items: readonly WithId[]): number {
  let lost = 0;
  let at = 0;
  for (const { id } of known) {
    while (at < items.length && items[at]!.id !== id && compareIds(items[at]!.id, id) < 0) at += 1;
    if (items[at]?.id === id) at += 1;
    else lost += 1;
  }
  return lost;
}
