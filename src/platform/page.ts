import type { Clock } from '../clock.ts';
import { listFailure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { countUpTo, type IdRange } from './id-ranges.ts';
import type { Expected, WithId } from './records.ts';

/** One request for a page: of a range of ids; else by offset. */
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
  /** What the platform ignores, as its records show. */
  readonly ignored?: string | undefined;
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
  readonly ranges?: readonly IdRange[] | undefined;
  /** Why it cannot be read by id, where that is known. */
  readonly byOffset?: string | undefined;
  /** Where it cannot be read by id, it is not read: that is thrown. */
  readonly isByIdOnly?: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `reported` is undefined until each range has its total. */
  readonly onPage?: (progress: { received: number; reported: number | undefined }) => void;
}

/** A list that was read to its end. */
export interface Listing<Item> {
  /** Each id once, ascending unless read by offset; those without an id all. */
  readonly items: readonly Item[];
  readonly reported: number | undefined;
  readonly pages: number;
  /** What had lost too many, and was read once more. */
  readonly losses: number;
  /** Why it was read by offset, and whether the next one has to be. */
  readonly byOffset: { readonly why: string; readonly isLasting: boolean } | undefined;
}

/** One list on its way, for all who read its ranges side by side. */
export interface Pass<Item extends WithId> {
  readonly input: ListInput<Item>;
  pages: number;
  losses: number;
  /** Of one of them: the others stop. */
  failure: unknown;
}

export async function askPage<Item extends WithId>(
  pass: Pass<Item>,
  where: Pick<PageAsk, 'range' | 'offset'>,
): Promise<Page<Item>> {
  const { ask, known, resource, pageSize, pageLimit, signal } = pass.input;
  if (pass.pages >= pageLimit)
    throw listFailure(resource, 'truncated', `the list did not end within ${pageLimit} pages (page_limit)`);
  pass.pages += 1;
  const after = where.range?.after;
  const from = after === undefined ? (where.offset ?? 0) : countUpTo(known, after);
  const page = await ask({ ...where, limit: pageSize }, { items: known, from });
  signal.throwIfAborted();
  return page;
}

/** A full page never is: a record created between count and page pushes another one out. */
export function isLast({ items, total, limit }: Page<unknown>, pageSize: number, offset = 0): boolean {
  if (total === undefined) return items.length === 0;
  return offset + items.length >= total && items.length < Math.min(pageSize, limit || Infinity);
}

export const pauseAfterLossMs = 1000;

/** Whether all was lost of what was known, or more than half and more than ten: then it is to be read once more. */
export async function waitIfLoss<Item extends WithId>(pass: Pass<Item>, lost: number, known: number) {
  if (lost === 0 || (lost < known && (lost <= known / 2 || lost <= 10))) return false;
  pass.losses += 1;
  await pass.input.clock.wait(pauseAfterLossMs, pass.input.signal);
  return true;
}
