import type { Clock } from '../clock.ts';
import { listFailure } from '../transport/failure.ts';
import { isLoss, pauseAfterLossMs, type Page } from './list.ts';
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

export type Fetched<Item> =
  | {
      readonly kind: 'fetched';
      /** What a whole answer lacks is not there any more. */
      readonly found: ReadonlyMap<string, Item>;
      readonly requests: number;
      /** Answers that had lost too many, and were asked for once more. */
      readonly losses: number;
    }
  | { readonly kind: 'ignored' };

/** Reads just these servers, or fails; `ignored` if the platform does not heed the filter. */
export async function fetchByIds<Item extends WithId>(
  input: FetchInput<Item>,
  ids: readonly string[],
): Promise<Fetched<Item>> {
  const state = { found: new Map<string, Item>(), requests: 0, losses: 0, isIgnored: false };
  const starts: number[] = [];
  for (let start = 0; start < ids.length; start += idsAtOnce) starts.push(start);
  const work = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined && !state.isIgnored; start = starts.shift())
      await fetchBatch(input, ids.slice(start, start + idsAtOnce), state);
  };
  await Promise.all(Array.from({ length: Math.min(input.concurrency, starts.length) }, work));
  const { found, requests, losses, isIgnored } = state;
  return isIgnored ? { kind: 'ignored' } : { kind: 'fetched', found, requests, losses };
}

async function fetchBatch<Item extends WithId>(
  { ask, clock, signal }: FetchInput<Item>,
  batch: readonly string[],
  state: { readonly found: Map<string, Item>; requests: number; losses: number; isIgnored: boolean },
): Promise<void> {
  let wanted = new Set(batch);
  let isOdd = false;
  let isShort = false;
  let isReread = false;
  for (;;) {
    state.requests += 1;
    const { items, total = items.length } = await ask([...wanted]);
    signal.throwIfAborted();
    if (items.some(({ id }) => id !== '' && !wanted.has(id))) {
      // One odd answer is asked for again.
      if (isOdd) return void (state.isIgnored = true);
      isOdd = true;
      continue;
    }
    const before = wanted.size;
    for (const item of items) if (wanted.delete(item.id)) state.found.set(item.id, item);
    if (wanted.size === 0) return;
    if (items.length < total) {
      // A platform with small pages sends some of them at a time.
      if (wanted.size === before && isShort)
        throw listFailure(
          'servers',
          'truncated',
          `${wanted.size} servers are missing in answers that were cut short, twice`,
        );
      isShort = wanted.size === before;
    } else if (!isReread && isLoss(wanted.size, before)) {
      isReread = true;
      state.losses += 1;
      await clock.wait(pauseAfterLossMs, signal);
    } else return;
    wanted = new Set(wanted);
  }
}
