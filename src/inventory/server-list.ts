import { compareIds, findById } from '../platform/id-ranges.ts';
import { AskOtherwise } from '../platform/list.ts';
import type { WithId } from '../platform/records.ts';
import { rejections, type Rejection, type Server } from '../platform/server.ts';
import { inSlices } from '../yield-to-event-loop.ts';
import type { Known, RejectedDetails, Ignored } from './known.ts';
import { maxShareInDetail, planDetails, shareInDetail, type PlainItem } from './plan-details.ts';
import type { Reading, RejectedRecord, Row } from './row.ts';
import {
  askDetailed,
  askPlain,
  listDetails,
  listPages,
  renewed,
  type Detailed,
  type ListContext,
} from './server-pages.ts';

/** All servers, as one list found them. */
export interface ServerList extends Pick<Known, 'fields' | 'cursor' | 'ignored'> {
  /** In the order of their ids; rows are as they were. */
  readonly entries: readonly (Row | Reading)[];
  readonly reported: number | undefined;
  readonly pages: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly rejectedDetails: ReadonlyMap<string, RejectedDetails>;
}

const dayMs = 86_400_000;
/** A plain record is small, and this is the platform's largest page. */
const plainPagesAreLarger = 4;
const largestPage = 2048;

/**
 * One list of all servers: plain, with details by id for what is new, changed, not settled or next on the cursor; or in
 * detail, where most would be read in detail or the platform does not play along.
 */
export async function listServers(context: ListContext): Promise<ServerList> {
  const { known, clock } = context;
  const ignored = known.ignored && clock.monotonic() < known.ignored.until ? known.ignored : undefined;
  const why = whyInDetail(context, ignored);
  if (why !== undefined) return listInDetail(context, ignored, why);
  try {
    return await listLight(context);
  } catch (error) {
    if (!(error instanceof AskOtherwise)) throw error;
    return listInDetail(context, giveUp(context, error.ignored), error.message);
  }
}

function whyInDetail(
  { known, plan, fields, startedAt }: ListContext,
  ignored: Ignored | undefined,
): string | undefined {
  const { rows, listedAt, toReadAgain } = known;
  if (plan.cannotById !== undefined) return plan.cannotById;
  if (plan.detailsMaxAgeMs === 0) return 'details_max_age is 0';
  if (ignored) return `the platform ignores ${ignored.what}`;
  if (rows.length === 0 || listedAt === undefined) return 'to begin with';
  const isCovered = fields.length > 0 && fields.every((field) => known.fields.includes(field));
  if (known.fields.length > 0 && !isCovered) return 'more fields are wanted than before';
  if (toReadAgain > rows.length * maxShareInDetail) return 'most servers have to be read a second time';
  const share = shareInDetail(startedAt - listedAt, plan.detailsMaxAgeMs);
  return share >= maxShareInDetail ? 'the last list was too long ago' : undefined;
}

/** Throws `AskOtherwise` where a list in detail is the better one. */
async function listLight(context: ListContext): Promise<ServerList> {
  const { known, plan, startedAt, slices, note, onPage } = context;
  note('without details');
  const listing = await listPages(context, askPlain, {
    known: known.rows,
    pageSize: Math.min(largestPage, plan.pageSize * plainPagesAreLarger),
    isByIdOnly: true,
    onPage,
  });
  const items = listing.items.filter(isUsable);
  const share = shareInDetail(startedAt - known.listedAt!, plan.detailsMaxAgeMs);
  const { wanted, stillRejected, changed, cursor } = await planDetails(items, known, share, slices);
  if (wanted.length > items.length * maxShareInDetail)
    throw new AskOtherwise(undefined, 'most servers are new or changed');
  note(`details of ${wanted.length} servers, ${changed} of them new or changed`);
  const details = await listDetails(context, items, wanted);

  const rejected = listing.items.filter(isRejected);
  const joining: Joining = {
    items,
    wanted,
    details: details.items.toSorted(byId),
    entries: [],
    rejected,
    rejectedDetails: stillRejected,
    next: 0,
    gone: 0,
  };
  await inSlices(slices, items.length, joining, joinOne);
  return {
    entries: joining.entries,
    reported: listing.reported && listing.reported - joining.gone,
    pages: listing.pages + details.pages,
    rejected: countRejected([...rejected, ...stillRejected.values()]),
    rejectedDetails: stillRejected,
    fields: context.fields,
    cursor,
    ignored: undefined,
  };
}

/** What a plain list has and what details were read of it, both in the order of ids, on the way to one list. */
interface Joining {
  readonly items: readonly PlainItem[];
  readonly wanted: readonly PlainItem[];
  readonly details: readonly Detailed[];
  readonly entries: (Row | Reading)[];
  readonly rejected: RejectedRecord[];
  readonly rejectedDetails: Map<string, RejectedDetails>;
  /** Where the next one stands of those that are wanted. */
  next: number;
  gone: number;
}

function joinOne(joining: Joining, at: number): void {
  const { items, wanted, details, entries, rejected, rejectedDetails } = joining;
  const item = items[at]!;
  if (item !== wanted[joining.next]) {
    if (item.kind === 'row') entries.push(item);
    return;
  }
  joining.next += 1;
  const record = findById(details, item.id);
  if (!record) joining.gone += 1;
  else if (record.kind !== 'rejected') entries.push(readAgain(record, item));
  else if (item.kind === 'row') rejected.push(record);
  else rejectedDetails.set(item.id, { version: item.plain.version, rejection: record.rejection });
}

/** A record that was read with details, and the plain one of this list, if there is one. */
function readAgain(record: Row | Reading, item: PlainItem | undefined): Reading {
  const { id, server } = record;
  const before = record.kind === 'row' ? record : record.before;
  const plain = item?.kind === 'row' ? item.server : item?.plain;
  return { kind: 'reading', id, server, print: (item ?? record).print, before, plain };
}

function giveUp({ clock, log }: ListContext, what: string | undefined): Ignored | undefined {
  if (what === undefined) return undefined;
  const remedy = what === 'filter=id.gt' ? 'by offset' : 'in detail';
  log.warn(
    { ignored: what },
    `the platform ignores ${what}: servers are listed ${remedy}, and details_max_age has no effect`,
  );
  return { what, remedy, until: clock.monotonic() + dayMs };
}

/** A record that is byte for byte as it was is its row, and not parsed. */
async function listInDetail(
  context: ListContext,
  ignored: Ignored | undefined,
  why: string,
): Promise<ServerList> {
  const { known, plan, startedAt, slices, note, onPage } = context;
  note(`in detail: ${why}`);
  const { items, reported, pages, byOffset } = await listPages(context, askDetailed, {
    known: known.rows,
    pageSize: plan.pageSize,
    byOffset: plan.cannotById ?? (ignored?.remedy === 'by offset' ? why : undefined),
    onPage,
  });
  const readAt = plan.detailsMaxAgeMs > 0 ? startedAt : undefined;
  const entries: (Row | Reading)[] = [];
  await inSlices(slices, items.length, { items, entries, readAt }, takeOne);
  if (byOffset) entries.sort(byId);
  const isNew = byOffset?.isLasting === true && !plan.cannotById && !ignored;
  return {
    entries,
    reported,
    pages,
    rejected: countRejected(items.filter(isRejected)),
    rejectedDetails: new Map(),
    fields: context.fields,
    cursor: undefined,
    ignored: isNew ? giveUp(context, 'filter=id.gt') : ignored,
  };
}

interface Taking {
  readonly items: readonly Detailed[];
  readonly entries: (Row | Reading)[];
  /** Undefined where details have no age. */
  readonly readAt: number | undefined;
}

function takeOne({ items, entries, readAt }: Taking, at: number): void {
  const item = items[at]!;
  if (item.kind === 'rejected') return;
  if (item.kind === 'reading' || (readAt === undefined && !item.unsettled)) entries.push(item);
  else entries.push(item.unsettled ? readAgain(item, undefined) : renewed(item, item.print, readAt!));
}

function byId(one: WithId, other: WithId): number {
  return compareIds(one.id, other.id);
}

/** These once more, in detail; where single ones cannot be asked for, all. */
export async function readOnceMore(
  context: ListContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Server>> {
  const { plan, known } = context;
  const isById = plan.cannotById === undefined && known.ignored === undefined;
  const wanted = ids.toSorted(compareIds).map((id) => ({ id }));
  const details = isById ? await listDetails(context, known.rows, wanted).catch(unlessOtherwise) : undefined;
  const why = 'records that lacked something are read again';
  const records = details?.items ?? (await listInDetail(context, known.ignored, why)).entries;
  const servers = new Map<string, Server>();
  for (const record of records) if (record.kind !== 'rejected') servers.set(record.id, record.server);
  return servers;
}

function unlessOtherwise(error: unknown): undefined {
  if (!(error instanceof AskOtherwise)) throw error;
}

function isUsable(item: PlainItem | RejectedRecord): item is PlainItem {
  return item.kind !== 'rejected';
}

function isRejected(item: PlainItem | Detailed): item is RejectedRecord {
  return item.kind === 'rejected';
}

function countRejected(rejected: readonly Pick<RejectedRecord, 'rejection'>[]): Map<Rejection, number> {
  const counts = new Map(rejections.map((rejection) => [rejection, 0]));
  for (const { rejection } of rejected) counts.set(rejection, counts.get(rejection)! + 1);
  return counts;
}
