import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { findById, rangesOfJust } from '../platform/id-ranges.ts';
import { listAll } from '../platform/list.ts';
import type { Listing, ListInput, Page, PageAsk } from '../platform/page.ts';
import { agrees, hasDetails, plainFields, readPlainServer } from '../platform/plain-server.ts';
import type { Expected, Print, WithId } from '../platform/records.ts';
import type { ReadServer, Rejection } from '../platform/server.ts';
import { isRecord, text } from '../platform/values.ts';
import type { Slices } from '../yield-to-event-loop.ts';
import type { Known } from './known.ts';
import { addLacks, type Lack } from './lookups.ts';
import type { PlainItem } from './plan-details.ts';
import type { Reading, RejectedRecord, Row } from './row.ts';

/** So many ids make an address that every proxy on the way lets pass. */
const idsAtOnce = 150;

/** How the servers of a cloud are asked for. */
export interface ListPlan {
  /** Of a detailed page. */
  readonly pageSize: number;
  readonly pageLimit: number;
  readonly concurrency: number;
  /** How old details may be; 0: every list is in detail. */
  readonly detailsMaxAgeMs: number;
  /** Why lists by id are out of the question, if so. */
  readonly cannotById: string | undefined;
}

/** What one collection lists servers with. */
export interface ListContext {
  readonly api: PlatformApi;
  readonly plan: ListPlan;
  readonly readServer: ReadServer;
  readonly known: Known;
  /** The fields of a detailed record to ask for; all if there are none. */
  readonly fields: readonly string[];
  /** When it began, on the monotonic clock. */
  readonly startedAt: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly slices: Slices;
  /** Answers of this collection that lacked something, by what it was; lists that had lost too many. */
  readonly incomplete: Map<Lack | 'loss', number>;
  readonly note: (words: string) => void;
  readonly onPage: (progress: { received: number; reported: number | undefined }) => void;
}

/** What records are taken with, and what those of a plain page show that had to be parsed. */
interface Taking {
  readonly rows: readonly Row[];
  records: number;
  withDetails: number;
  withVersion: number;
}

export async function askPlain(
  { api, known, deadline, signal }: ListContext,
  ask: PageAsk,
  expected: Expected<PlainItem | RejectedRecord>,
): Promise<Page<PlainItem | RejectedRecord>> {
  const state: Taking = { rows: known.rows, records: 0, withDetails: 0, withVersion: 0 };
  const page = await api.listPage<PlainItem | RejectedRecord, Taking>(
    { resource: 'servers', ask, details: false, fields: plainFields },
    { deadline, signal },
    { take: takePlain, state, expected },
  );
  return { ...page, ignored: whatIsIgnored(state) };
}

function whatIsIgnored({ records, withDetails, withVersion }: Taking): string | undefined {
  if (records === 0) return undefined;
  if (withDetails > records / 2) return 'details=false';
  return withVersion === 0 ? 'update_version' : undefined;
}

/** The row, where nothing has changed that a plain list says. */
function takePlain(taking: Taking, record: unknown, print: Print): PlainItem | RejectedRecord {
  const plain = readPlainServer(record);
  if (typeof plain === 'string') return rejectedAs(plain, record);
  taking.records += 1;
  if (hasDetails(record)) taking.withDetails += 1;
  if (plain.version !== undefined) taking.withVersion += 1;
  const row = findById(taking.rows, plain.id);
  return row && agrees(row.server, plain)
    ? renewed(row, print, row.readAt)
    : { kind: 'changed', id: plain.id, plain, print };
}

/** The same row, as another record says it or at another time. */
export function renewed(
  { kind, id, server, unsettled, group, host }: Row,
  print: Row['print'],
  readAt: number,
): Row {
  return { kind, id, server, print, readAt, unsettled, group, host };
}

/** What is made of a detailed record; its row, where its bytes are as they were. */
export type Detailed = Row | Reading | RejectedRecord;

export async function askDetailed(
  context: ListContext,
  ask: PageAsk,
  expected: Expected<Detailed>,
): Promise<Page<Detailed>> {
  const { api, deadline, signal } = context;
  // Details have all that a plain list has, so that they can be compared.
  const fields = context.fields.length === 0 ? [] : [...new Set([...context.fields, ...plainFields])];
  const page = await api.listPage<Detailed, ListContext>(
    { resource: 'servers', ask, details: true, fields },
    { deadline, signal },
    { take: takeDetailed, state: context, expected },
  );
  countLacks(context, page.items);
  return page;
}

function takeDetailed({ readServer, known }: ListContext, record: unknown, print: Print): Detailed {
  const server = readServer(record);
  if (typeof server === 'string') return rejectedAs(server, record);
  const { id } = server;
  return { kind: 'reading', id, server, print, before: findById(known.rows, id), plain: undefined };
}

function rejectedAs(rejection: Rejection, record: unknown): RejectedRecord {
  const id = rejection === 'bad_number' && isRecord(record) ? text(record['id']) : '';
  return { kind: 'rejected', id, rejection };
}

/** Once for each answer, whatever the number of records. */
function countLacks(context: ListContext, items: readonly Detailed[]): void {
  const found = new Set<Lack>();
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]!;
    if (item.kind === 'reading') addLacks(found, item.server, item.before);
  }
  for (const lack of found) addTo(context.incomplete, lack, 1);
  if (found.size > 0) context.note(`an answer has records without ${[...found].join(' and ')}`);
}

/** Just these of all servers, in detail and in no order; who is not among them is gone. */
export function listDetails(
  context: ListContext,
  servers: readonly WithId[],
  wanted: readonly WithId[],
): Promise<Listing<Detailed>> {
  return listPages(context, askDetailed, {
    known: [],
    ranges: rangesOfJust(wanted, servers, idsAtOnce),
    // So that an answer with all of them is not a full one.
    pageSize: idsAtOnce + 1,
    isByIdOnly: true,
  });
}

export async function listPages<Item extends WithId>(
  context: ListContext,
  ask: (context: ListContext, ask: PageAsk, expected: Expected<Item>) => Promise<Page<Item>>,
  how: Pick<ListInput<Item>, 'known' | 'ranges' | 'pageSize' | 'byOffset' | 'isByIdOnly' | 'onPage'>,
): Promise<Listing<Item>> {
  const { plan, clock, signal, note, incomplete } = context;
  const listing = await listAll<Item>({
    ...how,
    resource: 'servers',
    ask: (page, expected) => ask(context, page, expected),
    pageLimit: plan.pageLimit + (how.ranges?.length ?? 0),
    concurrency: plan.concurrency,
    clock,
    signal,
  });
  if (listing.losses > 0) note('the list had lost too many servers, and was read once more');
  if (listing.byOffset) note(`by offset: ${listing.byOffset.why}`);
  addTo(incomplete, 'loss', listing.losses);
  return listing;
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
