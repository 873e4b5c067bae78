import { listFailure } from '../transport/failure.ts';
import type { PlatformApi, ReadContext } from './api.ts';

/** So many ids make an address that every proxy on the way lets pass. */
const idsAtOnce = 150;

export interface ReadById<Item> {
  readonly found: ReadonlyMap<string, Item>;
  /** Those that a whole answer lacked: they are not there any more. */
  readonly gone: ReadonlySet<string>;
  readonly requests: number;
}

/** Reads just these servers in detail, or fails. Undefined if the platform does not heed the filter. */
export async function readById<Item extends { readonly id: string }>(input: {
  readonly api: PlatformApi;
  readonly ids: readonly string[];
  readonly fields: readonly string[];
  readonly read: (record: unknown) => Item;
  readonly concurrency: number;
  readonly context: ReadContext;
  readonly onPage: (items: readonly Item[]) => void;
}): Promise<ReadById<Item> | undefined> {
  const found = new Map<string, Item>();
  const gone = new Set<string>();
  let isHeeded = true;
  let requests = 0;

  async function readBatch(ids: readonly string[]): Promise<void> {
    const wanted = new Set(ids);
    requests += 1;
    const { items, total = items.length } = await input.api.listPage(
      {
        resource: 'servers',
        ask: { limit: ids.length, expectAfter: undefined },
        details: true,
        fields: input.fields,
        filters: [`id.in(${ids.join(',')})`],
      },
      input.context,
      () => ({ take: input.read }),
    );
    isHeeded &&= items.every(({ id }) => id === '' || wanted.has(id));
    if (!isHeeded) return;
    input.onPage(items);
    for (const item of items) if (item.id !== '') found.set(item.id, item);
    if (items.length >= total) for (const id of ids) if (!found.has(id)) gone.add(id);
  }

  async function readAll(ids: readonly string[]): Promise<void> {
    const starts = Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, index) => index * idsAtOnce);
    const work = async () => {
      for (let start = starts.shift(); start !== undefined && isHeeded; start = starts.shift())
        await readBatch(ids.slice(start, start + idsAtOnce));
    };
    await Promise.all(Array.from({ length: input.concurrency }, work));
  }

  /** A platform with small pages tells some of them at a time. */
  let left = [...input.ids];
  for (let isFirst = true; left.length > 0; isFirst = false) {
    const before = left.length;
    await readAll(left);
    if (!isHeeded) return undefined;
    left = left.filter((id) => !found.has(id) && !gone.has(id));
    if (isFirst || left.length < before) continue;
    const words = `${left.length} servers are missing in answers that were cut short, twice`;
    throw listFailure('servers', 'truncated', words);
  }
  return { found, gone, requests };
}
