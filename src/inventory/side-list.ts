import type { Clock } from '../clock.ts';
import type { PlatformApi } from '../platform/api.ts';
import { listAll, pauseAfterLossMs } from '../platform/list.ts';
import { listFailure } from '../transport/failure.ts';
import type { SideResource, SideResourceOf } from './side-resources.ts';

/** A list of one resource beside the servers, as it was read last. */
export interface SideList<Item> {
  readonly items: readonly Item[];
  /** When it was read, on the monotonic clock, and by the wall clock. */
  readonly at: number;
  readonly listedAt: number;
  readonly reported: number | undefined;
  readonly rejected: number;
  readonly pages: number;
  /** Since when a record has something of the list before, because it lacked that, by its id. */
  readonly doubts: ReadonlyMap<string, number>;
}

export interface ByOffsetUntil {
  readonly why: string;
  readonly until: number;
}

interface ReadInput<Item> {
  readonly resource: SideResource;
  readonly kind: SideResourceOf<Item>;
  readonly api: PlatformApi;
  readonly pageLimit: number;
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
/** After this long, the platform is believed. */
const doubtEndsAfterMs = 1_800_000;
/** The platform's largest page; such records are small. */
const recordsPerPage = 2048;

/** Reads one list to its end, or fails. */
export async function readSideList<Item extends { readonly id: string }>(
  input: ReadInput<Item>,
  {
    before,
    byOffset,
  }: { readonly before: SideList<Item> | undefined; readonly byOffset: ByOffsetUntil | undefined },
) {
  const { kind, clock, signal, startedAt } = input;
  let list = await readOnce(input, before, byOffset);
  if (!before && kind.isReadTwice && lacksMost(list.items, kind)) {
    await clock.wait(pauseAfterLossMs, signal);
    const first = new Map(list.items.map((item) => [item.id, item]));
    list = await readOnce(input, before, byOffset);
    list = { ...list, items: list.items.map((item) => filled(item, first.get(item.id), kind)) };
  }
  const { items, losses, readByOffset, ...facts } = list;
  const until = byOffset?.until ?? startedAt + dayMs;
  return {
    list: {
      ...facts,
      ...settle(items, before, kind, startedAt),
      at: startedAt,
      listedAt: clock.now(),
    } satisfies SideList<Item>,
    losses,
    byOffset: readByOffset?.isLasting ? { why: readByOffset.why, until } : undefined,
  };
}

async function readOnce<Item extends { readonly id: string }>(
  { resource, kind, api, pageLimit, clock, signal, deadline }: ReadInput<Item>,
  before: SideList<Item> | undefined,
  byOffset: ByOffsetUntil | undefined,
) {
  const { details = false, parameters = [], key } = kind;
  const listing = await listAll<{ readonly id: string; readonly item?: Item }>({
    resource,
    known: before?.items ?? [],
    inOneRange: true,
    pageSize: recordsPerPage,
    pageLimit,
    concurrency: 1,
    byOffset: byOffset?.why,
    clock,
    signal,
    ask: (ask) =>
      api.listPage({ resource, ask, key, details, fields: [], parameters }, { deadline, signal }, () => ({
        take(record) {
          const item = kind.read(record);
          return item ? { id: item.id, item } : { id: '' };
        },
      })),
  });
  const { items: records, reported, pages, losses, byOffset: readByOffset } = listing;
  if (records.length < (reported ?? 0))
    throw listFailure(resource, 'truncated', `${records.length} arrived, ${reported} were announced`);
  const items = records.flatMap(({ item }) => item ?? []);
  return { items, reported, pages, losses, readByOffset, rejected: records.length - items.length };
}

function lacksMost<Item>(items: readonly Item[], { lookedUp = [] }: SideResourceOf<Item>): boolean {
  return lookedUp.some((fields) => items.filter((item) => !hasAny(item, fields)).length > items.length / 2);
}

function hasAny<Item>(item: Item, fields: readonly (keyof Item)[]): boolean {
  return fields.some((field) => Boolean(item[field]));
}

function filled<Item>(item: Item, from: Item | undefined, { lookedUp = [] }: SideResourceOf<Item>): Item {
  const lost = lookedUp.filter((fields) => from && hasAny(from, fields) && !hasAny(item, fields)).flat();
  return lost.length === 0
    ? item
    : { ...item, ...Object.fromEntries(lost.map((field) => [field, from![field]])) };
}

/**
 * What had something and now has nothing keeps it, until a second list says the same in which most others have theirs,
 * or half an hour has gone by.
 */
function settle<Item extends { readonly id: string }>(
  items: readonly Item[],
  before: SideList<Item> | undefined,
  kind: SideResourceOf<Item>,
  now: number,
): Pick<SideList<Item>, 'items' | 'doubts'> {
  const doubts = new Map<string, number>();
  if (!before || !kind.lookedUp) return { items, doubts };
  const earlier = new Map(before.items.map((item) => [item.id, item]));
  const kept = items.map((item) => filled(item, earlier.get(item.id), kind));
  const lacking = items.filter((item, index) => kept[index] !== item).length;
  const isWorking = lacking <= items.length / 2;
  const settled = items.map((item, index) => {
    if (kept[index] === item) return item;
    const since = before.doubts.get(item.id);
    if (since !== undefined && (isWorking || now - since >= doubtEndsAfterMs)) return item;
    doubts.set(item.id, since ?? now);
    return kept[index]!;
  });
  return { items: settled, doubts };
}
