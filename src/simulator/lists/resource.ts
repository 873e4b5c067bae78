import { allows, type Rights } from '../accounts.ts';
import { Refusal, succeed, type Answer, type Release } from '../answer.ts';
import { compareText, newestFirst, type Order, type Row, type Table } from '../fleet/rows.ts';
import type { IssuedToken, Tokens } from '../identity/tokens.ts';
import { readFilters, type Test } from './filters.ts';
import { admit, refuseRecord, type Owner } from './privilege.ts';
import { createTeller, type Telling, type View } from './text.ts';

/** A table as the platform offers it. */
export interface Resource<R extends Row> extends Telling<R> {
  /** In the path and in the answer. */
  readonly key: string;
  readonly singular: string;
  readonly table: Table<R>;
  readonly owner: Owner;
  /** Whether a row is seen in that scope. */
  readonly isOwn: (row: R, token: IssuedToken, scope: Rights) => boolean;
  /** What is not listed unless the parameter of that name asks for it. */
  readonly hides: Readonly<Record<string, (row: R, asked: string) => boolean>>;
  /** Parameters that are conditions themselves: the field, or the id beside it, is one of the values. */
  readonly conditions: readonly string[];
  /** Rows that were deleted, for a system account that says `delete=all`. */
  readonly deleted?: () => readonly R[];
  /** Sums over all that match, which nobody should depend on. */
  readonly totals?: (rows: readonly R[]) => object;
}

export interface Request {
  readonly query: URLSearchParams;
  readonly token: string | undefined;
  /** Called before each of the two statements that a list takes, and waited for: rows and total may differ. */
  readonly before?: ((statement: 'count' | 'page') => unknown) | undefined;
}

export interface Lists {
  list(request: Request): Promise<Answer>;
  show(id: string, request: Request): Answer;
}

export interface ListParts {
  readonly tokens: Tokens;
  readonly release: Release;
  readonly defaultPageSize: number;
  readonly maximumPageSize: number;
}

/** How any table is listed and shown: by offset and by id, in any order, filtered, with details and without. */
export function createLists<R extends Row>(resource: Resource<R>, parts: ListParts): Lists {
  const { key, singular, table, owner } = resource;
  const { tokens, release, defaultPageSize, maximumPageSize } = parts;
  const tell = createTeller(resource);
  const select = createSelect(resource);
  const read = (request: Request) => {
    const asked = { resource: key, owner, word: request.query.get('scope'), release };
    return admit(asked, tokens, request.token);
  };

  return {
    async list(request) {
      const { query, before } = request;
      const token = read(request);
      const asked = readInteger(query, 'limit');
      const offset = Math.max(0, readInteger(query, 'offset'));
      const view = readView(query, token.rights);

      await before?.('count');
      const total = select(query, token).length;
      await before?.('page');
      const work = { details: view.details, rows: 0, searched: table.rows.length, summed: 0 };
      if (total === 0) return succeed(wrap(key, [], {}), work);

      const wanted = asked < 0 ? maximumPageSize : asked || defaultPageSize;
      // A limit above the maximum is cut only where there is more to send than the maximum.
      const limit = total > maximumPageSize ? Math.min(wanted, maximumPageSize) : wanted;
      const matching = select(query, token);
      const rows = matching.slice(offset, offset + limit).map(tell(view));
      const isSummed = release === '3.10' || query.get('summary_stats') === 'true';
      const totals = isSummed ? resource.totals?.(matching) : undefined;
      const body = wrap(key, rows, {
        limit,
        ...(offset > 0 && { offset }),
        total,
        ...(totals && { totals }),
      });
      return succeed(body, {
        ...work,
        rows: rows.length,
        summed: totals === undefined ? 0 : matching.length,
      });
    },

    show(id, request) {
      const { state, token } = tokens.inspect(request.token);
      if (state !== 'live' || token === undefined) throw refuseRecord(owner);
      const row = table.find(id);
      if (row === undefined) throw new Refusal(404, 'ResourceNotFoundError', `${singular} ${id} not found`);
      const mayShow = token.account.listsOnly !== true && resource.isOwn(row, token, token.rights);
      if (owner !== 'anyone' && !mayShow) throw refuseRecord(owner);
      const view = {
        details: true,
        alone: true,
        privileged: allows(token.rights, 'domain'),
        fields: undefined,
      };
      const body = [Buffer.from(`{"${singular}":`), tell(view)(row), Buffer.from('}')];
      return succeed(Buffer.concat(body), { details: true, rows: 1, searched: 0, summed: 0 });
    },
  };
}

type Listing = IssuedToken & { readonly listed: Rights };

const mostRemembered = 16;
/** They make no difference to what matches. */
const ofPage = new Set(['limit', 'offset', 'details', 'field', 'with_meta', 'summary_stats']);

/** What matches is remembered for as long as the table is as it was: the next pages are cut from it. */
function createSelect<R extends Row>(resource: Resource<R>) {
  const { table, columns, conditions, readers } = resource;
  const read = (row: R, column: string) =>
    readers[column]?.(row) ?? (row as unknown as Readonly<Record<string, unknown>>)[column];
  let of: readonly R[] | undefined;
  let known = new Map<string, readonly R[]>();

  function find(query: URLSearchParams, token: Listing): readonly R[] {
    const isWhole = query.get('delete') === 'all' && token.rights === 'system';
    const deleted = isWhole ? resource.deleted?.() : undefined;
    const any = isTrue(query, 'filter_any') ?? false;
    const filter = readFilters<R>({ texts: readList(query, 'filter'), any, columns, read });
    const tests = [filter.test, ...readConditions(query)];
    // With the deleted rows come those of others, of the recycle bin, of the system, and those that stand for something.
    if (deleted === undefined) tests.push(...readHidden(query, token));
    const isMatch = (row: R) => tests.every((test) => test(row));
    const column = readList(query, 'order_by').find((name) => columns.has(name)) ?? '';
    const source = filter.narrow?.(table.byId) ?? (column === 'id' ? table.byId : table.rows);
    const rows = [...source.filter(isMatch), ...(deleted ?? []).filter(isMatch)];
    const isSorted = deleted === undefined && (column === 'id' || (column === '' && !filter.narrow));
    if (!isSorted) rows.sort(orderBy(column));
    // Newest first unless a column is named, and that one downwards unless `asc` is asked for, in just this word.
    const isAscending = query.get('order') === 'asc';
    return isAscending === (column !== '') ? rows : rows.toReversed();
  }

  function readHidden(query: URLSearchParams, token: Listing): Test<R>[] {
    const hidden = Object.entries(resource.hides).map(([name, hides]): Test<R> => {
      const asked = query.get(name) ?? '';
      return (row) => !hides(row, asked);
    });
    return [(row) => resource.isOwn(row, token, token.listed), ...hidden];
  }

  function readConditions(query: URLSearchParams): Test<R>[] {
    return conditions.flatMap((name) => {
      const wanted = new Set<unknown>(readList(query, name));
      return wanted.size === 0
        ? []
        : [(row: R) => wanted.has(read(row, name)) || wanted.has(read(row, `${name}_id`))];
    });
  }

  function orderBy(column: string): Order<R> {
    if (column === '') return newestFirst;
    if (columns.get(column) === 'number')
      return (one, other) => Number(read(one, column)) - Number(read(other, column));
    return (one, other) => compareText(String(read(one, column) ?? ''), String(read(other, column) ?? ''));
  }

  return (query: URLSearchParams, token: Listing): readonly R[] => {
    if (of !== table.rows || known.size > mostRemembered) known = new Map();
    of = table.rows;
    const chosen = [...query].filter(([name]) => !ofPage.has(name));
    const key = JSON.stringify([chosen, token.listed, token.rights, token.scope]);
    const matching = known.get(key) ?? find(query, token);
    known.set(key, matching);
    return matching;
  };
}

function readView(query: URLSearchParams, rights: Rights): View {
  const named = readList(query, 'field');
  return {
    details: isTrue(query, 'details') ?? true,
    alone: false,
    privileged: allows(rights, 'domain'),
    fields: named.length > 0 ? new Set(named) : undefined,
  };
}

function isTrue(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text === 'true' || text === '1';
}

/** A repeated key, or numbered ones (`field.0=…`); with a comma it is one value. */
function readList(query: URLSearchParams, name: string): string[] {
  const isNumbered = (key: string) => key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1));
  return [...query]
    .filter(([key, value]) => value !== '' && (key === name || isNumbered(key)))
    .map(([, value]) => value);
}

function readInteger(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new Refusal(
    500,
    'UnclassifiedError',
    `setStructFieldAt ${name}: strconv.ParseInt: parsing "${text}"`,
  );
}

const comma = Buffer.from(',');

/** Put together from rows that are written already: a page of thousands costs one copy. Keys are in the order of the alphabet. */
function wrap(key: string, rows: readonly Buffer[], others: Readonly<Record<string, unknown>>): Buffer {
  const list = rows.flatMap((row, position) => (position === 0 ? [row] : [comma, row]));
  const parts = Object.keys({ ...others, [key]: rows })
    .toSorted()
    .map((name) =>
      name === key ? [Buffer.from(`"${key}":[`), ...list, Buffer.from(']')] : [written(name, others[name])],
    );
  const separated = parts.flatMap((part, position) => (position === 0 ? part : [comma, ...part]));
  return Buffer.concat([Buffer.from('{'), ...separated, Buffer.from('}')]);
}

function written(name: string, value: unknown): Buffer {
  return Buffer.from(`"${name}":${JSON.stringify(value)}`);
}
