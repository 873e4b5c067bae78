import type { Clock } from '../clock.ts';
import type { PlatformApi } from '../platform/api.ts';
import { findById, oneRange } from '../platform/id-ranges.ts';
import { listAll, pauseAfterLossMs } from '../platform/list.ts';
import type { Print, WithId } from '../platform/records.ts';
import { isId, isRecord } from '../platform/values.ts';
import { listFailure } from '../transport/failure.ts';
import type { SideResource, SideResourceOf } from './side-resources.ts';

/** A list of one resource beside the servers, as it was read last. */
export interface SideList<Item> {
  /** The very array of the list before, where nothing has changed. */
  readonly items: readonly Item[];
  /** As they were read, before something of the list before was put into them. */
  readonly records: readonly SideRecord<Item>[];
  /** When it was read, on the monotonic clock, and by the wall clock. */
  readonly at: number;
  readonly listedAt: number;
  readonly reported: number | undefined;
  readonly rejected: number;
  readonly pages: number;
  /** Since when a record has something of the list before, because it lacked that, by its id. */
  readonly doubts: ReadonlyMap<string, number>;
}

/** What one record says by itself, whatever is believed of it: so its bytes stand for it the next time, too. */
interface SideRecord<Item> extends WithId {
  /** Undefined where it is not usable. */
  readonly item: Item | undefined;
}

export interface ByOffsetUntil {
  readonly why: string;
  readonly until: number;
}

/** What is known of a list. */
interface BeforeList<Item> {
  readonly before: SideList<Item> | undefined;
  readonly byOffset: ByOffsetUntil | undefined;
}

/** What one collection lists with beside the servers. */
export interface SideContext {
  readonly api: PlatformApi;
  readonly pageLimit: number;
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

interface ReadInput<Item> extends SideContext {
  readonly resource: SideResource;
  readonly kind: SideResourceOf<Item>;
}

const dayMs = 86_400_000;
/** After this long, the platform is believed. */
const doubtEndsAfterMs = 1_800_000;
/** The platform's largest page; such records are small. */
const recordsPerPage = 2048;

/** Reads one list to its end, or fails. */
export async function readSideList<Item extends WithId>(input: ReadInput<Item>, known: BeforeList<Item>) {
  const { before, byOffset } = known;
  const { kind, clock, signal, startedAt } = input;
  let { items, ...list } = await readOnce(input, known);
  if (!before && kind.isReadTwice && lacksMost(items, kind)) {
    await clock.wait(pauseAfterLossMs, signal);
    const first = new Map(items.map((item) => [item.id, item]));
    ({ items, ...list } = await readOnce(input, known));
    items = items.map((item) => filled(item, first.get(item.id), kind));
  }
  const { losses, readByOffset, ...facts } = list;
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

async function readOnce<Item extends WithId>(input: ReadInput<Item>, { before, byOffset }: BeforeList<Item>) {
  const { resource, kind, api, pageLimit, clock, signal, deadline } = input;
  const { details = false, parameters = [], key } = kind;
  const known = before?.records ?? [];
  const listing = await listAll<SideRecord<Item>>({
    resource,
    known,
    ranges: oneRange(known),
    pageSize: recordsPerPage,
    pageLimit,
    concurrency: 1,
    byOffset: byOffset?.why,
    clock,
    signal,
    ask: (ask, expected) =>
      api.listPage<SideRecord<Item>, Taking<Item>>(
        { resource, ask, key, details, fields: [], parameters },
        { deadline, signal },
        { expected, take: takeRecord, state: { kind, known } },
      ),
  });
  const { items: records, reported, pages, losses, byOffset: readByOffset } = listing;
  if (records.length < (reported ?? 0))
    throw listFailure(resource, 'truncated', `${records.length} arrived, ${reported} were announced`);
  const usable = records.filter(isUsable);
  return {
    items: usable.map(itemOf),
    records: records.filter(hasId),
    reported,
    pages,
    losses,
    readByOffset,
    rejected: records.length - usable.length,
  };
}

interface Taking<Item> {
  readonly kind: SideResourceOf<Item>;
  readonly known: readonly SideRecord<Item>[];
}

function takeRecord<Item extends WithId>(
  { kind, known }: Taking<Item>,
  record: unknown,
  print: Print,
): SideRecord<Item> {
  const item = kind.read(record);
  if (item) return { id: item.id, print, item: asBefore(item, findById(known, item.id)?.item) };
  // Where records have another key, ids are in no order.
  const id = isRecord(record) && kind.key === undefined && isId(record['id']) ? record['id'] : '';
  return { id, print, item: undefined };
}

function hasId({ id }: WithId): boolean {
  return id !== '';
}

type Usable<Item> = SideRecord<Item> & { readonly item: Item };

function isUsable<Item>(record: SideRecord<Item>): record is Usable<Item> {
  return record.item !== undefined;
}

function itemOf<Item>({ item }: Usable<Item>): Item {
  return item;
}

/** The earlier one, where both say the same: then who made something of it need not do so again. */
function asBefore<Item extends object>(item: Item, before: Item | undefined): Item {
  if (!before) return item;
  for (const key in item) if (item[key] !== before[key]) return item;
  return before;
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
function settle<Item extends WithId>(
  items: readonly Item[],
  before: SideList<Item> | undefined,
  kind: SideResourceOf<Item>,
  now: number,
): Pick<SideList<Item>, 'items' | 'doubts'> {
  const doubts = new Map<string, number>();
  if (!before) return { items, doubts };
  if (!kind.lookedUp) return { items: allAsBefore(items, before.items), doubts };
  const earlier = new Map(before.items.map((item) => [item.id, item]));
  const kept = items.map((item) => filled(item, earlier.get(item.id), kind));
  const lacking = items.filter((item, index) => kept[index] !== item).length;
  const isWorking = lacking <= items.length / 2;
  const settled = items.map((item, index) => {
    const since = before.doubts.get(item.id);
    const isBelieved = since !== undefined && (isWorking || now - since >= doubtEndsAfterMs);
    if (kept[index] === item || isBelieved) return asBefore(item, earlier.get(item.id));
    doubts.set(item.id, since ?? now);
    return asBefore(kept[index]!, earlier.get(item.id));
  });
  return { items: allAsBefore(settled, before.items), doubts };
}

function isIn(this: readonly unknown[], item: unknown, at: number): boolean {
  return item === this[at];
}

function allAsBefore<Item>(items: readonly Item[], before: readonly Item[]): readonly Item[] {
  return items.length === before.length && items.every(isIn, before) ? before : items;
}
