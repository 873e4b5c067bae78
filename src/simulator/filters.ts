import { Refusal } from './answer.ts';
import { fold, keyOf, type Key } from './fleet/rows.ts';

export type Test<R> = (row: R) => boolean;

const written = /^([a-z_]+)\.([a-z]+)\((.*)\)$/s;

/**
 * `filter=` as the running platform takes it. It fails open: what it cannot read, or a column that it does not know, is
 * left out without a word, and everything matches.
 */
export function readFilters<R>(
  query: URLSearchParams,
  columns: ReadonlySet<string>,
  read: (row: R, column: string) => unknown,
): Test<R> {
  const tests = query.getAll('filter').flatMap((text): Test<R>[] => {
    const [, column = '', word = '', inner = ''] = written.exec(text) ?? [];
    const values = readValues(inner);
    if (!columns.has(column) || values === undefined) return [];
    // The platform's database has this in no column.
    if (values.some((value) => /`|[^\p{ASCII}]/u.test(value))) return [() => false];
    const holds = readTest(word, values);
    return holds === undefined ? [] : [(row) => holds(keyOf(read(row, column)))];
  });
  if (isTrue(query.get('filter_any')) && tests.length > 0) return (row) => tests.some((test) => test(row));
  return (row) => tests.every((test) => test(row));
}

/** Those that a client of ours may use; the platform has some more. */
const comparisons: Readonly<Record<string, (value: string | number, wanted: string | number) => boolean>> = {
  ge: (value, wanted) => value >= wanted,
  gt: (value, wanted) => value > wanted,
  le: (value, wanted) => value <= wanted,
  lt: (value, wanted) => value < wanted,
};

/** Undefined for an operator that there is not, or that takes another number of values. */
function readTest(word: string, wanted: readonly string[]): Test<Key> | undefined {
  const texts = wanted.map(fold);
  if (texts.length === 0) return undefined;
  const numbers = texts.map((text) => (text === 'TRUE' ? 1 : Number.parseFloat(text) || 0));
  /** As the database reads a text: where the column is a number, as one. */
  const wantedOf = (value: Key): readonly Key[] => (typeof value === 'number' ? numbers : texts);
  if (word === 'in' || word === 'equals') return (value = '') => wantedOf(value).includes(value);
  const holds = texts.length === 1 ? comparisons[word] : undefined;
  return holds && ((value) => value !== undefined && holds(value, wantedOf(value)[0]!));
}

const malformed = 'Malformed multi value string';
const value = /^ *(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^"',:\n][^,:\n]*)) *(,|$)/s;

/** What stands between the brackets. Text behind a quotation mark that closes is more than the platform can bear. */
function readValues(inner: string): readonly string[] | undefined {
  const values: string[] = [];
  let rest = inner;
  while (rest !== '') {
    const found = value.exec(rest);
    if (found === null && /^ *["']/.test(rest))
      throw new Refusal(500, 'InternalServerError', `Internal server error: ${malformed}: ${inner}`);
    if (found === null) return undefined;
    const [whole, double, single, bare] = found;
    values.push(bare?.trim() ?? (double ?? single ?? '').replace(/\\(.)/gs, '$1'));
    rest = rest.slice(whole.length);
  }
  return values;
}

export function isTrue(asked: string | null): boolean {
  return asked === 'true' || asked === '1';
}
