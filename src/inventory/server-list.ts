import { compareIds } from '../platform/id-ranges.ts';
import { rejections, type Rejection, type Server } from '../platform/server.ts';
import type { PageReader } from '../platform/api.ts';
import type { Known, RejectedDetails, Unheeded } from './known.ts';
import { maxShareInDetail, planDetails, shareInDetail, type PlainItem } from './plan-details.ts';
import type { ChangedRecord, Reading, RejectedRecord, Row } from './row.ts';
import {
  askServers,
  countLacks,
  fetchDetails,
  listPages,
  listPlainly,
  readDetails,
  type ListContext,
} from './server-pages.ts';

/** All servers, as one list found them. */
export interface ServerList extends Pick<Known, 'fields' | 'cursor' | 'unheeded'> {
  /** In the order of their ids; rows are as they were. */
  readonly entries: readonly (Row | Reading)[];
  readonly reported: number | undefined;
  readonly pages: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly rejectedDetails: ReadonlyMap<string, RejectedDetails>;
}

const dayMs = 86_400_000;
/**
 * One list of all servers: plain, with details by id for what is new, changed, not settled or next on the cursor; or in
 * detail, where most would be read in detail or the platform does not play along.
 */
export async function listServers(context: ListContext): Promise<ServerList> {
  const { known, clock } = context;
  const isHeld = known.unheeded !== undefined && clock.monotonic() < known.unheeded.until;
  const unheeded = isHeld ? known.unheeded : undefined;
  const why = whyInDetail(context, unheeded);
  if (why !== undefined) return listInDetail(context, unheeded, why);
  const light = await listLight(context);
  return light.kind === 'listed' ? light.list : listInDetail(context, light.unheeded, light.why);
}

function whyInDetail(
  { known, plan, fields, startedAt }: ListContext,
  unheeded: Unheeded | undefined,
): string | undefined {
  const { rows, listedAt, toReadAgain } = known;
  if (plan.cannotById !== undefined) return plan.cannotById;
  if (plan.detailsMaxAgeMs === 0) return 'details_max_age is 0';
  if (unheeded) return `the platform ignores ${unheeded.what}`;
  if (rows.length === 0 || listedAt === undefined) return 'to begin with';
  if (!covers(known.fields, fields)) return 'more fields are wanted than before';
  if (toReadAgain > rows.length * maxShareInDetail) return 'most servers have to be read a second time';
  const share = shareInDetail(startedAt - listedAt, plan.detailsMaxAgeMs);
  return share >= maxShareInDetail ? 'the last list was too long ago' : undefined;
}

function covers(known: readonly string[], wanted: readonly string[]): boolean {
  return known.length === 0 || (wanted.length > 0 && wanted.every((field) => known.includes(field)));
}

type LightList =
  | { readonly kind: 'listed'; readonly list: ServerList }
  | { readonly kind: 'in detail'; readonly why: string; readonly unheeded: Unheeded | undefined };

async function listLight(context: ListContext): Promise<LightList> {
  const { known, plan, startedAt, slices, note } = context;
  note('without details');
  const plain = await listPlainly(context);
  if (plain.kind === 'ignored') return inDetail(plain.what, 'in detail');
  const { listing } = plain;
  if (listing.byOffset?.isLasting) return inDetail('filter=id.gt', 'by offset');
  if (listing.byOffset) return { kind: 'in detail', why: listing.byOffset.why, unheeded: undefined };
  const items = listing.items.filter((item) => item.kind !== 'rejected');
  const share = shareInDetail(startedAt - known.listedAt!, plan.detailsMaxAgeMs);
  const chosen = await planDetails(items, known, share, slices);
  if (chosen.wanted.length > items.length * maxShareInDetail)
    return { kind: 'in detail', why: 'most servers are new or changed', unheeded: undefined };
  note(`details of ${chosen.wanted.length} servers, ${chosen.changed} of them new or changed`);
  const details = await fetchDetails(context, items, chosen.wanted);
  if (details.kind === 'ignored') return inDetail('filter=id.in', 'in detail');

  const wanted = new Set(chosen.wanted);
  const rejected = countRejected(listing.items);
  const rejectedDetails = new Map<string, RejectedDetails>();
  for (const id of chosen.stillRejected) rejectedDetails.set(id, known.rejected.get(id)!);
  const entries: (Row | Reading)[] = [];
  let gone = 0;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]!;
    if (!wanted.has(item)) {
      if (item.kind === 'row') entries.push(item);
      continue;
    }
    const found = details.found.get(item.id);
    if (!found) gone += 1;
    else if (found.kind === 'reading') entries.push(asReading(item, found));
    else if (item.kind === 'row') countOne(rejected, found.rejection);
    else rejectedDetails.set(item.id, { version: item.plain.version, rejection: found.rejection });
  }
  for (const { rejection } of rejectedDetails.values()) countOne(rejected, rejection);
  const { reported } = listing;
  return {
    kind: 'listed',
    list: {
      entries,
      reported: reported === undefined ? undefined : reported - gone,
      pages: listing.pages + details.requests,
      rejected,
      rejectedDetails,
      fields: context.fields,
      cursor: chosen.cursor,
      unheeded: undefined,
    },
  };

  function inDetail(what: string, remedy: Unheeded['remedy']): LightList {
    const unheeded = giveUp(context, what, remedy);
    return { kind: 'in detail', why: `the platform ignores ${what}`, unheeded };
  }
}

function asReading(item: Row | ChangedRecord, { id, server, before }: Reading): Reading {
  const plain = item.kind === 'row' ? item.server : item.plain;
  return { kind: 'reading', id, server, print: item.print, before, plain };
}

function giveUp({ clock, log }: ListContext, what: string, remedy: Unheeded['remedy']): Unheeded {
  log.warn(
    { ignored: what },
    `the platform ignores ${what}: servers are listed ${remedy}, and details_max_age has no effect`,
  );
  return { what, remedy, until: clock.monotonic() + dayMs };
}

/** A record that is byte for byte as it was is its row, and not parsed. */
async function listInDetail(
  context: ListContext,
  unheeded: Unheeded | undefined,
  why: string,
): Promise<ServerList> {
  const { plan, startedAt, note } = context;
  note(`in detail: ${why}`);
  const listing = await listPages<Row | Reading | RejectedRecord>(context, {
    known: context.known.rows,
    pageSize: plan.pageSize,
    byOffset: plan.cannotById ?? (unheeded?.remedy === 'by offset' ? why : undefined),
    async ask(ask, expected) {
      const reader: PageReader<Row | Reading | RejectedRecord> = { take: readDetails(context), expected };
      const page = await askServers(context, { ask, details: true, reader });
      countLacks(context, page.items);
      return page;
    },
  });
  const renewsAge = plan.detailsMaxAgeMs > 0;
  const entries: (Row | Reading)[] = [];
  for (const item of listing.items)
    if (item.kind === 'reading') entries.push(item);
    else if (item.kind === 'row')
      entries.push(item.unsettled ? readAgain(item) : renewsAge ? withReadAt(item, startedAt) : item);
  if (listing.byOffset) entries.sort((a, b) => compareIds(a.id, b.id));
  const isNew = listing.byOffset?.isLasting === true && !plan.cannotById && !unheeded;
  return {
    entries,
    reported: listing.reported,
    pages: listing.pages,
    rejected: countRejected(listing.items),
    rejectedDetails: new Map(),
    fields: context.fields,
    cursor: undefined,
    unheeded: isNew ? giveUp(context, 'filter=id.gt', 'by offset') : unheeded,
  };
}

function readAgain(row: Row): Reading {
  const { id, server, print } = row;
  return { kind: 'reading', id, server, print, before: row, plain: undefined };
}

function withReadAt({ kind, id, server, print, unsettled, group, host }: Row, readAt: number): Row {
  return { kind, id, server, print, readAt, unsettled, group, host };
}

/** These once more, in detail; where single ones cannot be asked for, all. */
export async function readOnceMore(
  context: ListContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Server>> {
  const { plan, known } = context;
  const isById = plan.cannotById === undefined && known.unheeded === undefined;
  const details = isById ? await fetchDetails(context, known.rows, ids.map(asItem)) : undefined;
  const records =
    details?.kind === 'fetched'
      ? details.found.values()
      : (await listInDetail(context, known.unheeded, 'records that lacked something are read again')).entries;
  return new Map([...records].flatMap((one) => (one.kind === 'rejected' ? [] : [[one.id, one.server]])));
}

/** As `fetchDetails` takes them: only the id is of interest. */
function asItem(id: string): PlainItem {
  return { kind: 'changed', id, plain: { id } as ChangedRecord['plain'], print: undefined };
}

function countRejected(items: readonly { readonly kind: string }[]): Map<Rejection, number> {
  const counts = new Map(rejections.map((rejection) => [rejection, 0]));
  for (const item of items)
    if (item.kind === 'rejected') countOne(counts, (item as RejectedRecord).rejection);
  return counts;
}

function countOne(counts: Map<Rejection, number>, rejection: Rejection): void {
  counts.set(rejection, counts.get(rejection)! + 1);
}
