import { allows, type Rights } from './accounts.ts';
import { Refusal, succeed, type Answer, type Release } from './answer.ts';
import { isTrue, readFilters, type Test } from './filters.ts';
import { compare, countUpTo, keyOf, type Row, type Table } from './fleet/rows.ts';
import { createTeller, valueOf, type Telling, type View } from './text.ts';
import type { IssuedToken, Tokens } from './tokens.ts';

/** A table as the platform offers it. */
export interface Resource<R extends Row> extends Telling<R> {
  /** In the path and in the answer: the plural of what one record is called. */
  readonly key: string;
  readonly table: Table<R>;
  /** What a row belongs to, and so the least scope in which such rows are listed; what is anybody's needs none. */
  readonly owner: 'project' | 'domain' | 'anyone';
  /** Whether a row is seen in that scope. */
  readonly isOwn: (row: R, scope: Rights, token: IssuedToken) => boolean;
  /** What is not listed unless the parameter of that name asks for it. */
  readonly hides: Readonly<Record<string, (row: R, asked: string) => boolean>>;
}

export interface Request {
  readonly query: URLSearchParams;
  readonly token: string | undefined;
  /** Called before each of the two statements that a list takes, and waited for: rows and total may differ. */
  readonly before?: ((statement: 'count' | 'page') => unknown) | undefined;
}

export interface ListParts {
  readonly tokens: Tokens;
  readonly release: Release;
  readonly maximumPageSize: number;
}

export type Lists = ReturnType<typeof createLists>;

/** How any table is listed: by offset and by id, in any order, filtered, with details and without. */
export function createLists<R extends Row>(resource: Resource<R>, parts: ListParts) {
  const { key, table, owner } = resource;
  const { tokens, release, maximumPageSize } = parts;
  const tell = createTeller(resource);

  /** The token of a request for a list, and the scope that it lists. */
  function admit(word: string | null, sent: string | undefined): Listing {
    const { state, token } = tokens.inspect(sent);
    // The token is quoted back, as the real platform was seen to do: whoever logs an error's text leaks it.
    if (state !== 'live') throw notEnough(scopeFor(word, 'none'), 'none', sent && ` [token "${sent}"]`);
    const listed = scopeFor(word, token.rights);
    if (owner !== 'anyone' && !allows(token.rights, listed)) throw notEnough(listed, token.rights);
    return { ...token, listed };
  }

  /** Misspelt words mean the least, silently; `max` means the widest that is allowed. */
  function scopeFor(word: string | null, rights: Rights): Rights {
    const least = owner === 'domain' ? 'domain' : 'project';
    if (word === 'system' || word === 'domain') return word;
    return word === 'max' && allows(rights, least) ? rights : least;
  }

  /** In the platform's own words: an error within the text of an error. */
  function notEnough(listed: Rights, allowed: Rights, quoted = ''): Refusal {
    const fields = ['compute', key, 'list', listed, allowed, listed];
    const sentence = ([service, resource, verb, require, allow, asked]: readonly string[]) =>
      `not enough privilege to do ${service}:${resource}:${verb} (require:${require},allow:${allow},query:${asked})`;
    const blanks = fields.map(() => (release === '4.0' ? '%s' : '%!s(MISSING)'));
    const data = { fields, id: sentence(blanks) };
    const error = { class: 'ForbiddenError', code: 403, data, details: sentence(fields) };
    const details = `ListItems: listItemQueryFiltersRaw: ${JSON.stringify({ error })}${quoted}`;
    return new Refusal(403, 'ForbiddenError', details);
  }

  return {
    async list({ query, before, token: sent }: Request): Promise<Answer> {
      const token = admit(query.get('scope'), sent);
      const asked = readInteger(query, 'limit');
      const offset = Math.max(0, readInteger(query, 'offset'));
      await before?.('count');
      const counted = table.rows;
      let matching = select(resource, query, token);
      const total = matching.length;
      await before?.('page');
      if (total === 0) return succeed(`{"${key}":[]}`);

      const wanted = asked < 0 ? maximumPageSize : asked || 2048;
      // A limit above the maximum is cut only where there is more to send than the maximum.
      const limit = total > maximumPageSize ? Math.min(wanted, maximumPageSize) : wanted;
      if (table.rows !== counted) matching = select(resource, query, token);
      const rows = matching.slice(offset, offset + limit).map(tell(readView(query, token.rights)));
      return succeed(wrap(key, rows, { limit, ...(offset > 0 && { offset }), total }));
    },
  };
}

type Listing = IssuedToken & { readonly listed: Rights };

/** All that match, in the order that was asked for. */
function select<R extends Row>(resource: Resource<R>, query: URLSearchParams, token: Listing): readonly R[] {
  const { table, columns, readers, hides, isOwn } = resource;
  const read = (row: R, column: string) => valueOf(readers, row, column);
  const tests: Test<R>[] = [readFilters(query, columns, read)];
  // A parameter with the name of a column is a condition itself.
  for (const name of [...new Set(query.keys())].filter((key) => columns.has(key)))
    tests.push((row) => query.getAll(name).includes(String(read(row, name))));
  tests.push((row) => isOwn(row, token.listed, token));
  for (const [name, isHidden] of Object.entries(hides)) {
    const asked = query.get(name) ?? '';
    tests.push((row) => !isHidden(row, asked));
  }
  const isMatch = (row: R) => tests.every((test) => test(row));
  const column = query.getAll('order_by').find((name) => columns.has(name));
  const all = column === 'id' ? narrow(table.byId, query) : table.rows;
  const rows = all.filter(isMatch);
  const keyIn = (row: R) => keyOf(read(row, column!)) ?? '';
  if (column !== undefined && column !== 'id') rows.sort((one, other) => compare(keyIn(one), keyIn(other)));
  // Newest first unless a column is named, and that downwards unless `asc` is asked for, in just this word.
  return (query.get('order') === 'asc') === (column !== undefined) ? rows : rows.toReversed();
}

/** The range of ids that is asked for, without a look at the others. */
function narrow<R extends Row>(byId: readonly R[], query: URLSearchParams): readonly R[] {
  const filters = isTrue(query.get('filter_any')) ? [] : query.getAll('filter');
  const [after, upTo] = [/^id\.gt\("([\w-]+)"\)$/, /^id\.le\("([\w-]+)"\)$/].map(
    (form) => filters.flatMap((text) => form.exec(text)?.[1] ?? [])[0],
  );
  const end = upTo === undefined ? byId.length : countUpTo(byId, upTo);
  return byId.slice(after === undefined ? 0 : countUpTo(byId, after), end);
}

function readView(query: URLSearchParams, rights: Rights): View {
  const named = query.getAll('field');
  return {
    details: isTrue(query.get('details') ?? 'true'),
    privileged: allows(rights, 'domain'),
    fields: named.length > 0 ? new Set(named) : undefined,
  };
}

function readInteger(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (/^-?\d+$/.test(text)) return Number(text);
  const details = `setStructFieldAt ${name}: strconv.ParseInt: parsing "${text}"`;
  throw new Refusal(500, 'UnclassifiedError', details);
}

/** Put together from rows that are written already. Keys are in the order of the alphabet. */
function wrap(key: string, rows: readonly string[], others: Readonly<Record<string, number>>): string {
  const parts = Object.entries(others).map(([name, value]) => `"${name}":${value}`);
  return `{${[...parts, `"${key}":[${rows.join(',')}]`].toSorted().join(',')}}`;
}
