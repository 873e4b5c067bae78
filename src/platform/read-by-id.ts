import type { PlatformApi, ReadContext } from './api.ts';
import type { KnownPages } from './known-page.ts';
import { readRecord } from './read-record.ts';
import type { Unread } from './record-text.ts';
import type { Rejected } from './register.ts';
import type { Rejection } from './server.ts';
import type { Listed, Suspicion, SuspicionMemory } from './suspicion.ts';
import { readWholePage } from './whole-page.ts';

/** So many ids make an address that every proxy on the way lets pass. */
export const idsAtOnce = 150;

/** Ids that mean nothing else in a filter. */
export function canBeAskedFor(id: string): boolean {
  return /^[\w.:-]+$/.test(id);
}

export interface ReadById<Item> {
  readonly found: ReadonlyMap<string, Item | Rejected>;
  readonly requests: number;
}

/**
 * Reads just these servers in detail. One that is not among the answers, on a second look either, is gone. Undefined if
 * the platform does not heed the filter.
 */
export async function readById<Item extends Listed>(input: {
  readonly api: PlatformApi;
  readonly ids: readonly string[];
  readonly fields: readonly string[];
  readonly unread?: readonly Unread[];
  readonly read: (record: unknown) => Item | Rejection;
  /** What was made of their records before, so far as it still holds. */
  readonly known: KnownPages<Item | Rejected>;
  readonly memory: SuspicionMemory;
  readonly concurrency: number;
  readonly context: ReadContext;
  readonly onDoubt?: (lacks: readonly Suspicion[]) => void;
}): Promise<ReadById<Item> | undefined> {
  const { api, memory, context } = input;
  const found = new Map<string, Item | Rejected>();
  let isHeeded = true;
  let requests = 0;

  async function readBatch(ids: readonly string[]): Promise<void> {
    const wanted = new Set(ids);
    const request = {
      offset: 0,
      limit: ids.length,
      fields: input.fields,
      unread: input.unread,
      filters: [`id.in(${ids.join(',')})`],
    };
    const take = (record: unknown) => readRecord(input.read, record);
    const ask = () => api.listPage(request, context, take, input.known);
    requests += 1;
    const { records } = await readWholePage(ask, memory, input);
    for (const record of records) {
      if (wanted.has(record.id)) found.set(record.id, record);
      else isHeeded = false;
    }
  }

  async function readAll(ids: readonly string[]): Promise<void> {
    const starts = Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, index) => index * idsAtOnce);
    const work = async () => {
      for (let start = starts.shift(); start !== undefined && isHeeded; start = starts.shift())
        await readBatch(ids.slice(start, start + idsAtOnce));
    };
    await Promise.all(Array.from({ length: input.concurrency }, work));
  }

  /** Until nothing new comes, since a platform with small pages tells some of them at a time. */
  async function readMissing(ids: readonly string[], isFirst: boolean): Promise<void> {
    const before = found.size;
    await readAll(ids);
    const missing = ids.filter((id) => !found.has(id));
    const isDone = missing.length === 0 || (!isFirst && found.size === before);
    if (isHeeded && !isDone) await readMissing(missing, false);
  }

  await readMissing(input.ids, true);
  return isHeeded ? { found, requests } : undefined;
}
