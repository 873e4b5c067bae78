import { listFailure } from '../transport/failure.ts';
import type { FeedTask } from './feed.ts';

/** So many ids make an address that every proxy on the way lets pass. */
const idsAtOnce = 150;

/** Reads just these servers in detail, or fails. Undefined if the platform does not heed the filter. */
export async function readById<Item extends { readonly id: string }>(
  { api, plan, fields, deadline, signal }: FeedTask,
  ids: readonly string[],
  how: { readonly take: (record: unknown) => Item; readonly onPage?: (items: readonly Item[]) => void },
): Promise<{ readonly found: ReadonlyMap<string, Item>; readonly requests: number } | undefined> {
  const found = new Map<string, Item>();
  /** A whole answer lacked them: they are not there any more. */
  const gone = new Set<string>();
  let isHeeded = true;
  let requests = 0;

  async function readBatch(batch: readonly string[]): Promise<void> {
    const wanted = new Set(batch);
    requests += 1;
    const { items, total = items.length } = await api.listPage(
      {
        resource: 'servers',
        ask: { limit: batch.length, expectAfter: undefined },
        details: true,
        fields,
        filters: [`id.in(${batch.join(',')})`],
      },
      { deadline, signal },
      () => ({ take: how.take }),
    );
    isHeeded &&= items.every(({ id }) => id === '' || wanted.has(id));
    if (!isHeeded) return;
    how.onPage?.(items);
    for (const item of items) if (item.id !== '') found.set(item.id, item);
    if (items.length >= total) for (const id of batch) if (!found.has(id)) gone.add(id);
  }

  async function readAll(wanted: readonly string[]): Promise<void> {
    const starts = Array.from(
      { length: Math.ceil(wanted.length / idsAtOnce) },
      (_, index) => index * idsAtOnce,
    );
    const work = async () => {
      for (let start = starts.shift(); start !== undefined && isHeeded; start = starts.shift())
        await readBatch(wanted.slice(start, start + idsAtOnce));
    };
    await Promise.all(Array.from({ length: plan.concurrency }, work));
  }

  /** A platform with small pages tells some of them at a time. */
  let left = ids;
  for (let isFirst = true; left.length > 0; isFirst = false) {
    const before = left.length;
    await readAll(left);
    if (!isHeeded) return undefined;
    left = left.filter((id) => !found.has(id) && !gone.has(id));
    if (isFirst || left.length < before) continue;
    const words = `${left.length} servers are missing in answers that were cut short, twice`;
    throw listFailure('servers', 'truncated', words);
  }
  return { found, requests };
}
