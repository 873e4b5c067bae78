import { canBeAskedFor, isHeeded, rangesOf, type IdRange } from './id-ranges.ts';
import { readByOffset } from './list-by-offset.ts';
import { listFailure } from '../transport/failure.ts';
import { createPages, type Answer, type PagesInput } from './list-pages.ts';

/** A list that was read to its end. */
export interface Listing<Item> {
  /** In the platform's order, each id once; those without an id (`''`) all. */
  readonly items: readonly Item[];
  readonly reported: number | undefined;
  readonly pages: number;
  /** `Date` of the first answer. */
  readonly answeredAt: number | undefined;
  /** Why it was read by offset, where it was. */
  readonly byOffset: string | undefined;
}

export interface ListInput<Item> extends PagesInput<Item> {
  /** Those of the last list, ascending: where the ranges end. */
  readonly ids: readonly string[];
  /** Reads one range, whatever ids are known: for what has but a page or two. */
  readonly oneRange?: boolean;
  readonly concurrency: number;
  /** Why this list can't be read by id, whatever the platform knows. */
  readonly cannotById?: string | undefined;
  /** The list is read again: by offset and why, or once more. */
  readonly onReading?: (how: string) => void;
  /** `reported` is undefined until each range has its total. */
  readonly onPage?: (progress: { received: number; reported: number | undefined }) => void;
}

interface Listed {
  readonly id: string;
}

interface Reading<Item> extends Omit<Listing<Item>, 'byOffset'> {
  /** How many there should be at least. */
  readonly expected: number;
  /** Why it had better be read once more, if so. */
  readonly doubt: string | undefined;
}

/**
 * Lists everything, or fails: never a part. Who is there during the whole list is in it once, since ids don't move as
 * rows do; by offset that is likely, and checked as far as it can be.
 */
export async function listAll<Item extends Listed>(input: ListInput<Item>): Promise<Listing<Item>> {
  const { memory } = input;
  let byOffset = input.cannotById ?? memory.whyByOffset();
  let pages = 0;
  let isSecond = false;
  for (;;) {
    const reading = byOffset === undefined ? await readById(input) : await readPagesByOffset(input);
    pages += reading.pages;
    if ('cannotById' in reading) {
      byOffset = reading.cannotById;
      input.onReading?.(`by offset: ${byOffset}`);
      continue;
    }
    if (reading.doubt !== undefined && !isSecond) {
      isSecond = true;
      input.onReading?.(`once more: ${reading.doubt}`);
      continue;
    }
    const shortfall = shortfallOf(reading);
    if (shortfall !== undefined)
      throw listFailure(input.resource, 'truncated', `${shortfall}, and a second reading did not help`);
    memory.listEnded();
    const { items, reported, answeredAt } = reading;
    return { items, reported, pages, answeredAt, byOffset };
  }
}

/** Of more than is tolerated, in words; by default so many may have been deleted meanwhile. */
function shortfallOf(
  { items, expected }: Pick<Reading<unknown>, 'items' | 'expected'>,
  tolerated = Math.max(10, expected / 100),
): string | undefined {
  const isShort = expected - items.length > tolerated;
  return isShort ? `${items.length} arrived, ${expected} were announced` : undefined;
}

/** What is left of a range. */
interface Rest extends IdRange {
  readonly index: number;
  readonly isBegun: boolean;
  /** Answers in a row that had a total and no records. */
  readonly brokenAnswers: number;
}

const maxBrokenAnswers = 3;
const firstPauseMs = 100;

/** Reads ranges of ids side by side, each page behind the last id of the one before; or says why that came to nothing. */
async function readById<Item extends Listed>(
  input: ListInput<Item>,
): Promise<Reading<Item> | { readonly cannotById: string; readonly pages: number }> {
  const { memory } = input;
  const ranges = input.oneRange
    ? [{ after: undefined, upTo: undefined }]
    : rangesOf(input.ids, memory.limit(input.pageSize));
  let queue: Rest[] = ranges.map((range, index) => ({ ...range, index, isBegun: false, brokenAnswers: 0 }));
  // Most of the sixteen ranges of a first list may be empty.
  const maxPages = input.pageLimit + (input.ids.length === 0 ? 16 : 0);
  const pages = createPages(input, { concurrency: input.concurrency, maxPages });
  const parts: (readonly Item[])[][] = ranges.map(() => []);
  let sumOfFirstTotals = 0;
  let rangesWithoutTotal = ranges.length;
  let received = 0;
  let underWay = 0;
  let cannotById: string | undefined;

  /** As many pages at once as the platform can bear: each that ends makes room for one, for none or for two. */
  async function readOn(): Promise<void> {
    const room = Math.min(queue.length, pages.pace.limit() - underWay);
    await Promise.all(Array.from({ length: room }, readNext));
  }

  async function readNext(): Promise<void> {
    const range = queue.shift()!;
    const { after, upTo } = range;
    underWay += 1;
    const answer = await pages.ask({ range: { after, upTo }, expectAfter: after });
    const rest = answer ? await take(range, answer) : range;
    if (rest) queue.unshift(rest);
    underWay -= 1;
    await readOn();
  }

  /** What is left of the range behind this answer. */
  async function take(range: Rest, answer: Answer<Item>): Promise<Rest | undefined> {
    const { items, total } = answer;
    if (!isHeeded(range, items)) return refuse('the platform ignores order_by=id, or filters by id', true);
    if (items.length === 0 && total) return askAgain(range);
    const isEnd = isLast(answer);
    // What is behind the last id that may be asked for comes again with the next page.
    const end = isEnd ? items.length : 1 + items.findLastIndex(({ id }) => canBeAskedFor(id));
    if (end === 0 && !isEnd) return refuse('ids have letters that a filter must not have', true);
    const kept = items.slice(0, end);
    parts[range.index]!.push(kept);
    received += kept.length;
    if (!range.isBegun && (isEnd || total !== undefined)) {
      sumOfFirstTotals += total ?? 0;
      rangesWithoutTotal -= 1;
    }
    input.onPage?.({ received, reported: reported() });
    return isEnd ? undefined : { ...range, after: kept.at(-1)!.id, isBegun: true, brokenAnswers: 0 };
  }

  async function askAgain(range: Rest): Promise<Rest | undefined> {
    const brokenAnswers = range.brokenAnswers + 1;
    if (brokenAnswers === maxBrokenAnswers)
      return refuse(`${maxBrokenAnswers} answers in a row had a total and no records`, false);
    await memory.clock.wait(firstPauseMs * brokenAnswers, pages.signal);
    return { ...range, brokenAnswers };
  }

  function reported(): number | undefined {
    return rangesWithoutTotal === 0 ? sumOfFirstTotals : undefined;
  }

  function refuse(why: string, isForADay: boolean): undefined {
    cannotById = why;
    if (isForADay) memory.readByOffset(why);
    queue = [];
    pages.abort(new Error(why));
  }

  await readOn().catch((error: unknown) => {
    pages.abort(error);
    if (cannotById === undefined) throw error;
  });
  if (cannotById !== undefined) return { cannotById, ...pages.facts() };
  const items = parts.flat().flat();
  const counted = { items, expected: reported() ?? items.length };
  return { ...counted, reported: reported(), doubt: shortfallOf(counted), ...pages.facts() };
}

/** A full page never is: a record created between count and page pushes another one out. */
function isLast({ items, total, limit }: Answer<unknown>): boolean {
  return total === undefined ? items.length === 0 : items.length >= total && items.length < limit;
}

async function readPagesByOffset<Item extends Listed>(input: ListInput<Item>): Promise<Reading<Item>> {
  const pages = createPages(input, { concurrency: 1, maxPages: input.pageLimit });
  const reading = await readByOffset<Item>(async (offset, expectAfter) => {
    let answer: Answer<Item> | undefined;
    while (!answer) answer = await pages.ask({ offset, expectAfter });
    input.onPage?.({ received: offset + answer.items.length, reported: answer.total });
    return answer;
  });
  const doubt = reading.hasGaps ? 'its pages do not join' : shortfallOf(reading, 0);
  return { ...reading, doubt, ...pages.facts() };
}
