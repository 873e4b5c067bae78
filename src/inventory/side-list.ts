import type { Clock } from '../clock.ts';
import type { PlatformApi } from '../platform/api.ts';
import { findById, oneRange } from '../platform/id-ranges.ts';
import { listAll } from '../platform/list.ts';
import { pauseAfterLossMs } from '../platform/page.ts';
import type { Print, WithId } from '../platform/records.ts';
import { isId, isRecord } from '../platform/values.ts';
import { listFailure } from '../transport/failure.ts';
import type { SideItem, SideResource, SideKind } from './side-resources.ts';

/** A list of one resource beside the servers, as it was read last. */
export interface SideList<Item = SideItem> {
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
  /** What had lost too many records, and was read once more. */
  readonly losses: number;
  /** Since when a record has something of the list before, because it lacked that, by its id. */
  readonly doubts: ReadonlyMap<string, number>;
  /** Why lists are read by offset, and until when. */
  readonly byOffset: { readonly why: string; readonly until: number } | undefined;
}

/** What one record says by itself, whatever is believed of it: so its bytes stand for it the next time, too. */
interface SideRecord<Item> extends WithId {
  /** Undefined where it is not usable. */
  readonly item: Item | undefined;
}

/** What one collection lists with beside the servers. */
export interface SideContext {
  readonly api: PlatformApi;
  readonly plan: { readonly pageLimit: number };
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

interface ReadInput extends SideContext {
  readonly resource: SideResource;
  readonly kind: SideKind;
  readonly before: SideList | undefined;
}

const dayMs = 86_400_000;
/** After this long, the platform is believed. */
const doubtEndsAfterMs = 1_800_000;
/** The platform's largest page; such records are small. */
const recordsPerPage = 2048;

/** Reads one list to its end, or fails. */
export async function readSideList(input: ReadInput): Promise<SideList> {
  const { kind, before, clock, signal } = input;
  const list = await readOnce(input);
  if (before) return { ...list, ...settle(list, before, kind) };
  if (!kind.isReadTwice || !lacksMost(list, kind)) return list;
  await clock.wait(pauseAfterLossMs, signal);
  const first = byId(list);
  const second = await readOnce(input);
  return { ...second, items: second.items.map((item) => filled(item, first.get(item.id), kind)) };
}

async function readOnce(input: ReadInput): Promise<SideList> {
  const { resource, kind, before, api, plan, startedAt, clock, signal, deadline } = input;
  const { details = false, parameters = [], key } = kind;
  const known = before?.records ?? [];
  const held = before?.byOffset && startedAt < before.byOffset.until ? before.byOffset : undefined;
  const listing = await listAll<SideRecord<SideItem>>({
    resource,
    known,
    ranges: oneRange(known),
    pageSize: recordsPerPage,
    pageLimit: plan.pageLimit,
    concurrency: 1,
    byOffset: held?.why,
    clock,
    signal,
    ask: (ask, expected) =>
      api.listPage<SideRecord<SideItem>, ReadInput>(
        { resource, ask, key, details, fields: [], parameters },
        { deadline, signal },
        { expected, take: takeRecord, state: input },
      ),
  });
  const { items: records, reported, pages, losses, byOffset } = listing;
  if (records.length < (reported ?? 0))
    throw listFailure(resource, 'truncated', `${records.length} arrived, ${reported} were announced`);
  const items = records.flatMap(usableOf);
  return {
    items,
    records: records.filter(hasId),
    at: startedAt,
    listedAt: clock.now(),
    reported,
    rejected: records.length - items.length,
    pages,
    losses,
    doubts: new Map(),
    byOffset: byOffset?.isLasting ? (held ?? { why: byOffset.why, until: startedAt + dayMs }) : undefined,
  };
}

function takeRecord({ kind, before }: ReadInput, record: unknown, print: Print): SideRecord<SideItem> {
  const item = kind.read(record);
  if (item)
    return { id: item.id, print, item: asBefore(item, before && findById(before.records, item.id)?.item) };
  // Where records have another key, ids are in no order.
  const id = isRecord(record) && kind.key === undefined && isId(record['id']) ? record['id'] : '';
  return { id, print, item: undefined };
}

function hasId({ id }: WithId): boolean {
  return id !== '';
}

function usableOf({ item }: SideRecord<SideItem>): SideItem | readonly SideItem[] {
  return item ?? [];
}

function byId({ items }: SideList): ReadonlyMap<string, SideItem> {
  return new Map(items.map((item) => [item.id, item]));
}

/** The earlier one, where both say the same: then who made something of it need not do so again. */
function asBefore(item: SideItem, before: SideItem | undefined): SideItem {
  if (!before) return item;
  for (const key in item) if (item[key] !== before[key]) return item;
  return before;
}

function lacksMost({ items }: SideList, { lookedUp = [] }: SideKind): boolean {
  return lookedUp.some((fields) => items.filter((item) => !hasAny(item, fields)).length > items.length / 2);
}

function hasAny(item: SideItem, fields: readonly string[]): boolean {
  return fields.some((field) => Boolean(item[field]));
}

function filled(item: SideItem, from: SideItem | undefined, { lookedUp = [] }: SideKind): SideItem {
  const lost = lookedUp.filter((fields) => from && hasAny(from, fields) && !hasAny(item, fields)).flat();
  if (lost.length === 0) return item;
  return { ...item, ...Object.fromEntries(lost.map((field) => [field, from![field]])) };
}

/**
 * What had something and now has nothing keeps it, until a second list says the same in which most others have theirs,
 * or half an hour has gone by.
 */
function settle(
  { items, at: now }: SideList,
  before: SideList,
  kind: SideKind,
): Pick<SideList, 'items' | 'doubts'> {
  const doubts = new Map<string, number>();
  if (!kind.lookedUp) return { items: allAsBefore(items, before.items), doubts };
  const earlier = byId(before);
  const kept = items.map((item) => filled(item, earlier.get(item.id), kind));
  const isWorking = items.filter((item, index) => kept[index] !== item).length <= items.length / 2;
  const settled = items.map((item, index) => {
    const since = before.doubts.get(item.id);
    const isBelieved = since !== undefined && (isWorking || now - since >= doubtEndsAfterMs);
    if (kept[index] !== item && !isBelieved) doubts.set(item.id, since ?? now);
    return asBefore(isBelieved ? item : kept[index]!, earlier.get(item.id));
  });
  return { items: allAsBefore(settled, before.items), doubts };
}

function isIn(this: readonly unknown[], item: unknown, at: number): boolean {
  return item === this[at];
}

function allAsBefore(items: readonly SideItem[], before: readonly SideItem[]): readonly SideItem[] {
  return items.length === before.length && items.every(isIn, before) ? before : items;
}
