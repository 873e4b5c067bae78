import type { Clock } from '../clock.ts';
import { listFailure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import {
  canBeAskedFor,
  compareIds,
  countUpTo,
  isHeeded,
  rangesBehind,
  rangesOf,
  type IdRange,
  type KnownRange,
} from './id-ranges.ts';
import { readByOffset, type Answer } from './list-by-offset.ts';
import type { Expected, WithId } from './records.ts';

/** One request for a page: by id, what comes behind `after`, up to and with `upTo`; else by offset. */
export interface PageAsk {
  readonly limit: number;
  readonly range?: IdRange;
  readonly offset?: number;
}

/** A page, with what was made of each record in its place. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly limit: number | undefined;
  readonly total: number | undefined;
}

export interface ListInput<Item extends WithId> {
  readonly resource: Resource;
  /** What stood there the last time is handed on, so that it is known again by its bytes. */
  readonly ask: (ask: PageAsk, expected: Expected<Item>) => Promise<Page<Item>>;
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly concurrency: number;
  /** Those of the last list, in its order: where ranges end, and what a range must not lose at once. */
  readonly known: readonly Item[];
  /** Those to read; where none are given, those of all that is known. */
  readonly ranges?: readonly KnownRange[] | undefined;
  /** Why it cannot be read by id, where that is known. */
  readonly byOffset: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `reported` is undefined until each range has its total. */
  readonly onPage?: (progress: { received: number; reported: number | undefined }) => void;
}

/** Why a list was read by offset, and whether the next one has to be. */
export interface ByOffset {
  readonly why: string;
  readonly isLasting: boolean;
}

/** A list that was read to its end. */
export interface Listing<Item> {
  /** Each id once, ascending unless read by offset; those without an id all. */
  readonly items: readonly Item[];
  readonly reported: number | undefined;
  readonly pages: number;
  /** What had lost too many, and was read once more. */
  readonly losses: number;
  readonly byOffset: ByOffset | undefined;
}

export const pauseAfterLossMs = 1000;

/**
 * Lists everything, or fails: never a part. Who is there during the whole list is in it once, since ids don't move as
 * rows do; by offset that is likely, and checked as far as it can be.
 */
export async function listAll<Item extends WithId>(input: ListInput<Item>): Promise<Listing<Item>> {
  const pass: Pass<Item> = { input, pages: 0, cannot: undefined, isOver: false, received: 0, losses: 0 };
  if (input.byOffset !== undefined) return readPagesByOffset(pass, { why: input.byOffset, isLasting: true });
  return (await readRanges(pass)) ?? readPagesByOffset(pass, pass.cannot!);
}

/** One list on its way, for all who read its ranges side by side. */
interface Pass<Item extends WithId> {
  readonly input: ListInput<Item>;
  pages: number;
  /** Set where the list turns out not to be readable by id. */
  cannot: ByOffset | undefined;
  /** One of them failed, or shows that: the others stop. */
  isOver: boolean;
  received: number;
  losses: number;
}

async function askPage<Item extends WithId>(
  pass: Pass<Item>,
  where: Pick<PageAsk, 'range' | 'offset'>,
): Promise<Answer<Item>> {
  const { ask, known, resource, pageSize, pageLimit, signal } = pass.input;
  if (pass.pages >= pageLimit)
    throw listFailure(resource, 'truncated', `the list did not end within ${pageLimit} pages (page_limit)`);
  pass.pages += 1;
  const after = where.range?.after;
  const from = after === undefined ? (where.offset ?? 0) : countUpTo(known, after);
  const { items, total, limit } = await ask({ ...where, limit: pageSize }, { items: known, from });
  signal.throwIfAborted();
  return { items, total, limit: Math.min(pageSize, limit || Infinity) };
}

interface RangeRead<Item> {
  readonly items: readonly Item[];
  /** The first total of the range; undefined where the platform sends none. */
  readonly reported: number | undefined;
  readonly isEnd: boolean;
}

/** Undefined where the list cannot be read by id. */
async function readRanges<Item extends WithId>(pass: Pass<Item>): Promise<Listing<Item> | undefined> {
  const { input } = pass;
  const reads: (RangeRead<Item> | undefined)[] = [];
  let ranges = input.ranges ?? rangesOf(input.known, input.pageSize);
  if (!input.ranges && input.known.length === 0) {
    // The first page says whether one range is enough.
    const first = await readRange(pass, ranges[0]!, 1);
    reads.push(first);
    ranges = first && !first.isEnd ? rangesBehind(first.items.at(-1)!.id) : [];
  }
  const before = reads.length;
  await sideBySide(pass, input.concurrency, ranges.length, async (index) => {
    reads[before + index] = await readRange(pass, ranges[index]!, Infinity);
    input.onPage?.({ received: pass.received, reported: reportedOf(reads, before + ranges.length) });
  });
  if (pass.cannot) return undefined;
  return {
    items: ([] as Item[]).concat(...reads.map(itemsOf)),
    reported: reportedOf(reads, before + ranges.length),
    pages: pass.pages,
    losses: pass.losses,
    byOffset: undefined,
  };
}

/** Does so many pieces, some at once; none is begun any more once one has failed, or all is in vain. */
export async function sideBySide(
  state: { isOver: boolean },
  concurrency: number,
  pieces: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function workOn(): Promise<void> {
    while (next < pieces && !state.isOver) {
      next += 1;
      await work(next - 1);
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, pieces) }, workOn);
  await Promise.all(workers).catch((error: unknown) => {
    state.isOver = true;
    throw error;
  });
}

function itemsOf<Item>(read: RangeRead<Item> | undefined): readonly Item[] {
  return read!.items;
}

function reportedOf(
  reads: readonly (RangeRead<unknown> | undefined)[],
  expected: number,
): number | undefined {
  let sum = 0;
  for (let index = 0; index < expected; index += 1) {
    const reported = reads[index]?.reported;
    if (reported === undefined) return undefined;
    sum += reported;
  }
  return sum;
}

/** A range to its end; once more, if it lost too much of what was known in it: then that counts. */
async function readRange<Item extends WithId>(
  pass: Pass<Item>,
  range: KnownRange,
  maxPages: number,
): Promise<RangeRead<Item> | undefined> {
  const read = await readRangeOnce(pass, range, maxPages);
  if (!read || !isLoss(countLost(pass.input.known, range, read.items), range.to - range.from)) return read;
  pass.losses += 1;
  pass.received -= read.items.length;
  await pass.input.clock.wait(pauseAfterLossMs, pass.input.signal);
  return readRangeOnce(pass, range, maxPages);
}

const maxBrokenAnswers = 3;
const firstPauseMs = 100;

/** Undefined where it, or another range meanwhile, shows that the list cannot be read by id. */
async function readRangeOnce<Item extends WithId>(
  pass: Pass<Item>,
  { after: begin, upTo }: KnownRange,
  maxPages: number,
): Promise<RangeRead<Item> | undefined> {
  const { input } = pass;
  let items: readonly Item[] = [];
  let after = begin;
  let reported: number | undefined;
  let isBegun = false;
  let isOdd = false;
  let broken = 0;
  for (let page = 1; ;) {
    const answer = await askPage(pass, { range: { after, upTo } });
    if (pass.isOver) return undefined;
    if (!isHeeded({ after, upTo }, answer.items)) {
      // One odd answer is asked for again.
      if (isOdd) return cannot(pass, 'the platform ignores order_by=id, or filters by id', true);
      isOdd = true;
      continue;
    }
    if (answer.items.length === 0 && answer.total) {
      broken += 1;
      if (broken === maxBrokenAnswers)
        return cannot(pass, `${maxBrokenAnswers} answers in a row had a total and no records`, false);
      await input.clock.wait(firstPauseMs * broken, input.signal);
      continue;
    }
    [isOdd, broken] = [false, 0];
    const isEnd = isLast(answer);
    // What is behind the last id that may be asked for comes again with the next page.
    const end = isEnd ? answer.items.length : 1 + answer.items.findLastIndex(({ id }) => canBeAskedFor(id));
    if (end === 0 && !isEnd) return cannot(pass, 'ids have letters that a filter must not have', true);
    const read = end < answer.items.length ? answer.items.slice(0, end) : answer.items;
    items = items.length === 0 ? read : items.concat(read);
    pass.received += end;
    // A first page alone is a range of its own.
    if (!isBegun)
      reported = isEnd || maxPages > 1 ? (answer.total ?? (isEnd ? 0 : undefined)) : answer.total && end;
    isBegun = true;
    if (isEnd || page >= maxPages) return { items, reported, isEnd };
    input.onPage?.({ received: pass.received, reported: undefined });
    after = items.at(-1)!.id;
    page += 1;
  }
}

function cannot(
  pass: { isOver: boolean; cannot: ByOffset | undefined },
  why: string,
  isLasting: boolean,
): undefined {
  pass.isOver = true;
  pass.cannot ??= { why, isLasting };
}

/** A full page never is: a record created between count and page pushes another one out. */
function isLast({ items, total, limit }: Answer<unknown>): boolean {
  return total === undefined ? items.length === 0 : items.length >= total && items.length < limit;
}

/** Of what was known: all of it, or more than half and more than ten. */
export function isLoss(lost: number, known: number): boolean {
  return lost > 0 && (lost === known || (lost > known / 2 && lost > 10));
}

/** How many of those known in a range are not in it; both ascend. */
function countLost(known: readonly WithId[], { from, to }: KnownRange, items: readonly WithId[]): number {
  let lost = 0;
  let at = 0;
  for (let index = from; index < to; index += 1) {
    const { id } = known[index]!;
    while (at < items.length && items[at]!.id !== id && compareIds(items[at]!.id, id) < 0) at += 1;
    if (items[at]?.id === id) at += 1;
    else lost += 1;
  }
  return lost;
}

async function readPagesByOffset<Item extends WithId>(
  pass: Pass<Item>,
  byOffset: ByOffset,
): Promise<Listing<Item>> {
  const { known, resource, clock, signal, onPage } = pass.input;
  const read = () =>
    readByOffset<Item>(async (offset) => {
      const answer = await askPage(pass, { offset });
      onPage?.({ received: offset + answer.items.length, reported: answer.total });
      return answer;
    });
  let reading = await read();
  const isShort = reading.expected > reading.items.length;
  const hasLost = isLoss(countMissing(known, reading.items), known.length);
  if (hasLost) await clock.wait(pauseAfterLossMs, signal);
  if (hasLost || isShort || reading.hasGaps) reading = await read();
  const { items, expected, reported } = reading;
  // So many may have been deleted meanwhile.
  if (expected - items.length > Math.max(10, expected / 100))
    throw listFailure(
      resource,
      'truncated',
      `${items.length} arrived, ${expected} were announced, and a second reading did not help`,
    );
  return { items, reported, pages: pass.pages, losses: Number(hasLost), byOffset };
}

function countMissing(known: readonly WithId[], items: readonly WithId[]): number {
  if (known.length === 0) return 0;
  const received = new Set(items.map(({ id }) => id));
  return known.reduce((lost, { id }) => (received.has(id) ? lost : lost + 1), 0);
}
