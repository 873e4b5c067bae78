import type { Clock } from '../clock.ts';
import { listFailure } from '../transport/failure.ts';
import { isLoss, pauseAfterLossMs, sideBySide, type Page } from './list.ts';
import type { WithId } from './records.ts';

/** So many ids make an address that every proxy on the way lets pass. */
const idsAtOnce = 150;

export interface FetchInput<Item extends WithId> {
  /** Asks for just these. */
  readonly ask: (ids: readonly string[]) => Promise<Page<Item>>;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Fetched<Item> {
  /** What a whole answer lacks is not there any more. */
  readonly found: Map<string, Item>;
  requests: number;
  /** Answers that had lost too many, and were asked for once more. */
  losses: number;
}

/** Reads just these servers, or fails; undefined if the platform does not heed the filter. */
export async function fetchByIds<Item extends WithId>(
  input: FetchInput<Item>,
  ids: readonly string[],
): Promise<Fetched<Item> | undefined> {
  const fetched: Fetched<Item> = { found: new Map(), requests: 0, losses: 0 };
  const state = { isOver: false };
  await sideBySide(state, input.concurrency, Math.ceil(ids.length / idsAtOnce), async (index) => {
    const batch = ids.slice(index * idsAtOnce, (index + 1) * idsAtOnce);
    if (!(await fetchBatch(input, batch, fetched))) state.isOver = true;
  });
  return state.isOver ? undefined : fetched;
}

/** False if the platform does not heed the filter. */
async function fetchBatch<Item extends WithId>(
  { ask, clock, signal }: FetchInput<Item>,
  batch: readonly string[],
  fetched: Fetched<Item>,
): Promise<boolean> {
  const wanted = new Set(batch);
  let isOdd = false;
  let isShort = false;
  let isReread = false;
  for (;;) {
    fetched.requests += 1;
    const before = wanted.size;
    const { items, total = items.length } = await ask([...wanted]);
    signal.throwIfAborted();
    if (!areAll(items, wanted)) {
      // One odd answer is asked for again.
      if (isOdd) return false;
      isOdd = true;
      continue;
    }
    takeAll(items, wanted, fetched.found);
    if (wanted.size === 0) return true;
    if (items.length < total) {
      // A platform with small pages sends some of them at a time.
      const isNothing = wanted.size === before;
      if (isNothing && isShort)
        throw listFailure(
          'servers',
          'truncated',
          `${wanted.size} servers are missing in answers that were cut short, twice`,
        );
      isShort = isNothing;
    } else if (!isReread && isLoss(wanted.size, before)) {
      isReread = true;
      fetched.losses += 1;
      await clock.wait(pauseAfterLossMs, signal);
    } else return true;
  }
}

function areAll(items: readonly WithId[], wanted: ReadonlySet<string>): boolean {
  for (const { id } of items) if (id !== '' && !wanted.has(id)) return false;
  return true;
}

function takeAll<Item extends WithId>(
  items: readonly Item[],
  wanted: Set<string>,
  found: Map<string, Item>,
): void {
  for (const item of items) if (wanted.delete(item.id)) found.set(item.id, item);
}
