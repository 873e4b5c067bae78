import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { PageReader, PlatformApi } from '../platform/api.ts';
import { fetchByIds } from '../platform/fetch-by-id.ts';
import { canBeAskedFor, countUpTo, findById } from '../platform/id-ranges.ts';
import { listAll, type Listing, type ListInput, type Page, type PageAsk } from '../platform/list.ts';
import { agrees, hasDetails, plainFields, readPlainServer } from '../platform/plain-server.ts';
import type { Expected, Print, WithId } from '../platform/records.ts';
import { isRecord, text, type ReadServer, type Rejection } from '../platform/server.ts';
import type { Slices } from '../yield-to-event-loop.ts';
import type { Known } from './known.ts';
import { addLacks, type Lack } from './lookups.ts';
import type { PlainItem } from './plan-details.ts';
import type { Reading, RejectedRecord, Row } from './row.ts';

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

/** A plain record is small, and this is the platform's largest page. */
const plainPagesAreLarger = 4;
const largestPage = 2048;

/** Thrown where it is of no use to read on. */
class Ignored extends Error {
  readonly what: string;
  constructor(what: string) {
    super(`${what} is ignored`);
    this.what = what;
  }
}

type Plain =
  | { readonly kind: 'listed'; readonly listing: Listing<PlainItem | RejectedRecord> }
  | { readonly kind: 'ignored'; readonly what: string };

export async function listPlainly(context: ListContext): Promise<Plain> {
  try {
    const listing = await listPages<PlainItem | RejectedRecord>(context, {
      known: context.known.rows,
      pageSize: Math.min(largestPage, context.plan.pageSize * plainPagesAreLarger),
      byOffset: undefined,
      ask: (ask, expected) => askPlain(context, ask, expected),
    });
    return { kind: 'listed', listing };
  } catch (error) {
    if (error instanceof Ignored) return { kind: 'ignored', what: error.what };
    throw error;
  }
}

/** What the records of a page show that had to be parsed. */
interface Seen {
  records: number;
  withDetails: number;
  withVersion: number;
}

async function askPlain(
  context: ListContext,
  ask: PageAsk,
  expected: Expected<PlainItem | RejectedRecord>,
): Promise<Page<PlainItem | RejectedRecord>> {
  const { rows } = context.known;
  for (let isSecond = false; ; isSecond = true) {
    const seen: Seen = { records: 0, withDetails: 0, withVersion: 0 };
    const take = (record: unknown, print: Print) => readPlainly(rows, seen, record, print);
    const page = await askServers(context, {
      ask,
      details: false,
      fields: plainFields,
      reader: { take, expected },
    });
    const what = whatIsIgnored(seen);
    if (what === undefined) return page;
    // One odd answer is asked for again.
    if (isSecond) throw new Ignored(what);
  }
}

function whatIsIgnored({ records, withDetails, withVersion }: Seen): string | undefined {
  if (records === 0) return undefined;
  if (withDetails > records / 2) return 'details=false';
  return withVersion === 0 ? 'update_version' : undefined;
}

/** The row, where nothing has changed that a plain list says. */
function readPlainly(
  rows: readonly Row[],
  seen: Seen,
  record: unknown,
  print: Print,
): PlainItem | RejectedRecord {
  const plain = readPlainServer(record);
  if (typeof plain === 'string') return rejectedAs(plain, record);
  seen.records += 1;
  if (hasDetails(record)) seen.withDetails += 1;
  if (plain.version !== undefined) seen.withVersion += 1;
  const row = findById(rows, plain.id);
  return row && agrees(row.server, plain)
    ? withPrint(row, print)
    : { kind: 'changed', id: plain.id, plain, print };
}

function withPrint({ kind, id, server, readAt, unsettled, group, host }: Row, print: Print): Row {
  return { kind, id, server, print, readAt, unsettled, group, host };
}

export function readDetails({ readServer, known }: ListContext) {
  return (record: unknown, print: Print | undefined): Reading | RejectedRecord => {
    const server = readServer(record);
    if (typeof server === 'string') return rejectedAs(server, record);
    const { id } = server;
    return { kind: 'reading', id, server, print, before: findById(known.rows, id), plain: undefined };
  };
}

function rejectedAs(rejection: Rejection, record: unknown): RejectedRecord {
  const id = rejection === 'bad_number' && isRecord(record) ? text(record['id']) : '';
  return { kind: 'rejected', id, rejection };
}

type Details =
  | {
      readonly kind: 'fetched';
      readonly found: ReadonlyMap<string, Reading | RejectedRecord>;
      readonly requests: number;
    }
  | { readonly kind: 'ignored' };

/** Just these, in detail. `items` are all servers, in order. */
export async function fetchDetails(
  context: ListContext,
  items: readonly PlainItem[],
  wanted: readonly PlainItem[],
): Promise<Details> {
  const { plan, clock, signal } = context;
  const take = readDetails(context);
  const ids = wanted.map(({ id }) => id);
  const details = await fetchByIds<Reading | RejectedRecord>(
    {
      async ask(some) {
        const filters = [`id.in(${some.join(',')})`];
        const page = await askServers(context, {
          ask: { limit: some.length },
          details: true,
          filters,
          reader: { take },
        });
        countLacks(context, page.items);
        return page;
      },
      concurrency: plan.concurrency,
      clock,
      signal,
    },
    ids.filter(canBeAskedFor),
  );
  if (details.kind === 'ignored') return details;
  addTo(context.incomplete, 'loss', details.losses);
  const found = new Map(details.found);
  let requests = details.requests;
  for (const [after, upTo] of rangesAround(
    items,
    ids.filter((id) => !canBeAskedFor(id)),
  )) {
    const listing = await listPages<Reading | RejectedRecord>(context, {
      pageSize: plan.pageSize,
      byOffset: undefined,
      known: [],
      inOneRange: true,
      ask: ({ limit, range }) =>
        askServers(context, {
          ask: { limit, range: { after: range?.after ?? after, upTo: range?.upTo ?? upTo } },
          details: true,
          reader: { take },
        }),
    });
    for (const item of listing.items) found.set(item.id, item);
    requests += listing.pages;
  }
  return { kind: 'fetched', found, requests };
}

/** For ids that a filter must not have: the ranges between those next to them that it may have. */
function rangesAround(
  items: readonly PlainItem[],
  ids: readonly string[],
): ReadonlyMap<string | undefined, string | undefined> {
  const ranges = new Map<string | undefined, string | undefined>();
  for (const id of ids) {
    const at = countUpTo(items, id);
    const before = items.slice(0, at).findLast((item) => canBeAskedFor(item.id));
    const behind = items.slice(at).find((item) => canBeAskedFor(item.id));
    ranges.set(before?.id, behind?.id);
  }
  return ranges;
}

interface ServersRequest<Item> {
  readonly ask: PageAsk;
  readonly details: boolean;
  readonly fields?: readonly string[];
  readonly filters?: readonly string[];
  readonly reader: PageReader<Item>;
}

export function askServers<Item extends WithId>(
  context: ListContext,
  request: ServersRequest<Item>,
): Promise<Page<Item>> {
  const { api, deadline, signal } = context;
  const { reader, fields = detailFields(context.fields), ...asked } = request;
  return api.listPage<Item>({ resource: 'servers', ...asked, fields }, { deadline, signal }, reader);
}

/** Details have all that a plain list has, so that they can be compared. */
function detailFields(fields: readonly string[]): readonly string[] {
  return fields.length === 0 ? fields : [...new Set([...fields, ...plainFields])];
}

export async function listPages<Item extends WithId>(
  context: ListContext,
  how: Pick<ListInput<Item>, 'known' | 'pageSize' | 'byOffset' | 'ask' | 'inOneRange'>,
): Promise<Listing<Item>> {
  const { plan, clock, signal, note, onPage, incomplete } = context;
  const listing = await listAll<Item>({
    resource: 'servers',
    pageLimit: plan.pageLimit,
    concurrency: plan.concurrency,
    clock,
    signal,
    onPage,
    ...how,
  });
  if (listing.losses > 0) note('the list had lost too many servers, and was read once more');
  if (listing.byOffset) note(`by offset: ${listing.byOffset.why}`);
  addTo(incomplete, 'loss', listing.losses);
  return listing;
}

/** Once for each answer, whatever the number of records. */
export function countLacks(context: ListContext, items: readonly (Row | Reading | RejectedRecord)[]): void {
  const found = new Set<Lack>();
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]!;
    if (item.kind === 'reading') addLacks(found, item.server, item.before);
  }
  for (const lack of found) addTo(context.incomplete, lack, 1);
  if (found.size > 0) context.note(`an answer has records without ${[...found].join(' and ')}`);
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
