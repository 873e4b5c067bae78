import { allows, type Rights } from './accounts.ts';
import { Refusal, succeed, type Answer, type Release } from './answer.ts';
import { readFilters, type Test } from './filters.ts';
import { compareText, newestFirst, type Row, type Table } from './fleet/rows.ts';
import { createTeller, type Telling, type View } from './text.ts';
import type { IssuedToken, Tokens } from './tokens.ts';

/** A table as the platform offers it. */
export interface Resource<R extends Row> extends Telling<R> {
  /** In the path and in the answer. */
  readonly key: string;
  readonly singular: string;
  readonly table: Table<R>;
  /** What a row belongs to, and so the least scope in which such rows are listed; what is anybody's needs none. */
  readonly owner: 'project' | 'domain' | 'anyone';
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
  readonly maximumPageSize: number;
}

/** How any table is listed and shown: by offset and by id, in any order, filtered, with details and without. */
export function createLists<R extends Row>(resource: Resource<R>, parts: ListParts): Lists {
  const { key, singular, table, owner } = resource;
  const { tokens, release, maximumPageSize } = parts;
  const tell = createTeller(resource);

  return {
    async list({ query, before, token: sent }) {
      const token = admit({ resource: key, owner, word: query.get('scope'), release }, tokens, sent);
      const asked = readInteger(query, 'limit');
      const offset = Math.max(0, readInteger(query, 'offset'));
      const view = readView(query, token.rights);

      await before?.('count');
      const counted = table.rows;
      let matching = select(resource, query, token);
      const total = matching.length;
      await before?.('page');
      const work = { details: view.details, rows: 0, searched: table.rows.length, summed: 0 };
      if (total === 0) return succeed(Buffer.from(`{"${key}":[]}`), work);

      const wanted = asked < 0 ? maximumPageSize : asked || usualPageSize;
      // A limit above the maximum is cut only where there is more to send than the maximum.
      const limit = total > maximumPageSize ? Math.min(wanted, maximumPageSize) : wanted;
      if (table.rows !== counted) matching = select(resource, query, token);
      const rows = matching.slice(offset, offset + limit).map(tell(view));
      const isSummed = release === '3.10' || query.get('summary_stats') === 'true';
      const totals = isSummed ? resource.totals?.(matching) : undefined;
      const summed = totals === undefined ? 0 : matching.length;
      const body = wrap(key, rows, { limit, offset: offset || undefined, total, totals });
      return succeed(body, { ...work, rows: rows.length, summed });
    },

    show(id, request) {
      const { state, token } = tokens.inspect(request.token);
      if (state !== 'live' || token === undefined) throw refuseRecord(owner);
      const row = table.find(id);
      if (row === undefined) throw new Refusal(404, 'ResourceNotFoundError', `${singular} ${id} not found`);
      const mayShow = token.account.listsOnly !== true && resource.isOwn(row, token, token.rights);
      if (owner !== 'anyone' && !mayShow) throw refuseRecord(owner);
      const view = { details: true, privileged: allows(token.rights, 'domain'), fields: undefined };
      const body = Buffer.from(`{"${singular}":${tell(view)(row)}}`);
      return succeed(body, { details: true, rows: 1, searched: 0, summed: 0 });
    },
  };
}

const usualPageSize = 2048;
type Owner = Resource<Row>['owner'];
type Listing = IssuedToken & { readonly listed: Rights };

/** All that match, in the order that was asked for. */
function select<R extends Row>(resource: Resource<R>, query: URLSearchParams, token: Listing): readonly R[] {
  const { table, columns, conditions, readers, hides, isOwn } = resource;
  const read = (row: R, column: string) =>
    readers[column]?.(row) ?? (row as unknown as Readonly<Record<string, unknown>>)[column];
  const any = isTrue(query.get('filter_any'));
  const tests: Test<R>[] = [readFilters({ texts: readList(query, 'filter'), any, columns, read })];
  for (const name of conditions) {
    const wanted = new Set<unknown>(readList(query, name));
    if (wanted.size > 0)
      tests.push((row) => wanted.has(read(row, name)) || wanted.has(read(row, `${name}_id`)));
  }
  const isWhole = query.get('delete') === 'all' && token.rights === 'system';
  const deleted = isWhole ? resource.deleted?.() : undefined;
  if (deleted === undefined) {
    // With the deleted rows come those of others, of the recycle bin, of the system, and those that stand for something.
    tests.push((row) => isOwn(row, token, token.listed));
    for (const [name, isHidden] of Object.entries(hides)) {
      const asked = query.get(name) ?? '';
      tests.push((row) => !isHidden(row, asked));
    }
  }
  const isMatch = (row: R) => tests.every((test) => test(row));
  const column = readList(query, 'order_by').find((name) => columns.has(name)) ?? '';
  const isSorted = deleted === undefined && (column === 'id' || column === '');
  const all = column === 'id' ? table.byId : table.rows;
  const rows = [...all.filter(isMatch), ...(deleted ?? []).filter(isMatch)];
  const textOf = (row: R) => String(read(row, column) ?? '');
  if (!isSorted && column === '') rows.sort(newestFirst);
  else if (!isSorted && columns.get(column) === 'number')
    rows.sort((one, other) => Number(read(one, column)) - Number(read(other, column)));
  else if (!isSorted) rows.sort((one, other) => compareText(textOf(one), textOf(other)));
  // Newest first unless a column is named, and that one downwards unless `asc` is asked for, in just this word.
  const isAscending = query.get('order') === 'asc';
  return isAscending === (column !== '') ? rows : rows.toReversed();
}

function readView(query: URLSearchParams, rights: Rights): View {
  const named = readList(query, 'field');
  return {
    details: isTrue(query.get('details') ?? 'true'),
    privileged: allows(rights, 'domain'),
    fields: named.length > 0 ? new Set(named) : undefined,
  };
}

export function isTrue(asked: string | null): boolean {
  return asked === 'true' || asked === '1';
}

/** A repeated key, or numbered ones (`field.0=…`); with a comma it is one value. */
function readList(query: URLSearchParams, name: string): string[] {
  const pairs = [...query].filter(([key, value]) => value !== '' && key.replace(/\.\d+$/, '') === name);
  return pairs.map(([, value]) => value);
}

function readInteger(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (/^-?\d+$/.test(text)) return Number(text);
  const details = `setStructFieldAt ${name}: strconv.ParseInt: parsing "${text}"`;
  throw new Refusal(500, 'UnclassifiedError', details);
}

/** Put together from rows that are written already. Keys are in the order of the alphabet. */
function wrap(key: string, rows: readonly string[], others: Readonly<Record<string, unknown>>): Buffer {
  const told = Object.entries(others).filter(([, value]) => value !== undefined);
  const parts = told.map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  return Buffer.from(`{${[...parts, `"${key}":[${rows.join(',')}]`].toSorted().join(',')}}`);
}

interface Asked {
  readonly resource: string;
  readonly owner: Owner;
  /** The word after `scope=`. */
  readonly word: string | null;
  readonly release: Release;
}

/** Misspelt words mean the least, silently. `max`, the widest that is allowed, is known from 3.11 on. */
function scopeFor({ owner, word, release }: Asked, rights: Rights): Rights {
  const least = owner === 'domain' ? 'domain' : 'project';
  if (word === 'system' || word === 'domain') return word;
  const isWidest = word === 'max' && release !== '3.10';
  return isWidest && allows(rights, least) ? rights : least;
}

/** The token of a request for a list, and the scope that it lists. */
function admit(asked: Asked, tokens: Tokens, sent: string | undefined): Listing {
  const { state, token } = tokens.inspect(sent);
  if (state !== 'live' || token === undefined) {
    const { status, className, message } = notEnough(asked, scopeFor(asked, 'none'), 'none');
    // The token is quoted back, as the real platform was seen to do: whoever logs an error's text leaks it.
    throw new Refusal(status, className, sent === undefined ? message : `${message} [token "${sent}"]`);
  }
  const listed = scopeFor(asked, token.rights);
  if (asked.owner !== 'anyone' && !allows(token.rights, listed)) throw notEnough(asked, listed, token.rights);
  return { ...token, listed };
}

/** In the platform's own words: an error within the text of an error. */
function notEnough({ resource, release }: Asked, listed: Rights, allowed: Rights): Refusal {
  const fields = ['compute', resource, 'list', listed, allowed, listed];
  const verb = release === '4.0' ? '%s' : '%!s(MISSING)';
  const pattern = (words: readonly string[]) =>
    `not enough privilege to do ${words.slice(0, 3).join(':')} ` +
    `(require:${words[3]},allow:${words[4]},query:${words[5]})`;
  const data = { fields, id: pattern(fields.map(() => verb)) };
  const inner = { class: 'ForbiddenError', code: 403, data, details: pattern(fields) };
  return new Refusal(
    403,
    'ForbiddenError',
    `ListItems: listItemQueryFiltersRaw: ${JSON.stringify({ error: inner })}`,
  );
}

/** One record by its id. */
function refuseRecord(owner: Owner): Refusal {
  const words = `not enough privilege (require:domain,allow:none:resource:${owner})`;
  return new Refusal(403, 'ForbiddenError', `${words} [tags:[deny] domain:[] project:[] object:[]]`);
}
