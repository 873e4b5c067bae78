import type { FailureReason } from '../transport/advice.ts';
import { Failure, listFailure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { createPace } from '../transport/pace.ts';
import type { Request } from '../transport/request.ts';
import type { IdRange } from './id-ranges.ts';
import { halfOf, type ListMemory } from './list-memory.ts';

/** One request for a page. By id: what comes behind `after`, up to and with `upTo`; else by offset. */
export interface PageAsk {
  readonly limit: number;
  readonly range?: IdRange;
  readonly offset?: number;
  /** The id behind which the page is expected to go on: where known records are looked for first. */
  readonly expectAfter: string | undefined;
}

/** A page, with what was made of each record in its place; `''` is the id of a record that has none. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly limit: number | undefined;
  readonly total: number | undefined;
  /** `Date` of the answer, in milliseconds of Unix time. */
  readonly answeredAt: number | undefined;
}

export type AskContext = Required<Pick<Request, 'signal' | 'retryTimeouts' | 'onRetry'>>;

export type AskPage<Item> = (ask: PageAsk, context: AskContext) => Promise<Page<Item>>;

export interface PagesInput<Item> {
  readonly ask: AskPage<Item>;
  readonly memory: ListMemory;
  readonly resource: Resource;
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly signal?: AbortSignal | undefined;
  /** Of the monotonic clock. What times out then says nothing of the page. */
  readonly deadline?: number;
}

/** A timer may end so much too early. */
const earlyMs = 2;

/** Here `limit` is how many are in a full page: as many as were asked for, or as the platform says that it sends. */
export type Answer<Item> = Pick<Page<Item>, 'items' | 'total'> & { readonly limit: number };

/** Asks for the pages of one reading, and learns how large they may be. */
export function createPages<Item>(
  input: PagesInput<Item>,
  { concurrency, maxPages }: { readonly concurrency: number; readonly maxPages: number },
) {
  const { resource, memory, pageSize, pageLimit, deadline = Infinity } = input;
  const pace = createPace(concurrency);
  const over = new AbortController();
  const signal = input.signal ? AbortSignal.any([input.signal, over.signal]) : over.signal;
  let count = 0;
  let answeredAt: number | undefined;

  /** Nothing if it took too long: then it is to be asked for again, and is smaller. */
  async function ask(where: Omit<PageAsk, 'limit'>): Promise<Answer<Item> | undefined> {
    if (count >= maxPages)
      throw listFailure(resource, 'truncated', `the list did not end within ${pageLimit} pages (page_limit)`);
    count += 1;
    const limit = memory.limit(pageSize);
    const canHalve = halfOf(limit) < limit;
    const page = await input
      .ask({ ...where, limit }, { signal, retryTimeouts: !canHalve, onRetry })
      .catch((error: unknown) => {
        if (!canHalve || !isSlow(error)) throw error;
      });
    signal.throwIfAborted();
    if (!page) {
      count -= 1;
      pace.troubled();
      memory.timedOut(limit);
      return undefined;
    }
    pace.succeeded();
    answeredAt ??= page.answeredAt;
    const { items, total } = page;
    const answered = page.limit || Infinity;
    const isCut = items.length === answered && answered < limit && answered < (total ?? 0);
    if (isCut) memory.cut(answered);
    return { items, total, limit: Math.min(limit, answered) };
  }

  /** The platform works a request to its end though nobody waits: a page that timed out is not asked for as it was. */
  function isSlow(error: unknown): boolean {
    const isTimeout = error instanceof Failure && error.reason === 'timeout';
    const isOver = memory.clock.monotonic() > deadline - earlyMs;
    return isTimeout && error.operation === `list_${resource}` && !isOver;
  }

  function onRetry(reason: FailureReason): void {
    if (reason === 'timeout' || reason === 'throttled' || reason === 'upstream') pace.troubled();
  }

  const abort = (reason: unknown) => over.abort(reason);
  const facts = () => ({ pages: count, answeredAt });
  return { pace, signal, ask, abort, facts };
}
