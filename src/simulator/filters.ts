import { Refusal } from './answer.ts';
import { fold } from './fleet/rows.ts';

export type Test<R> = (row: R) => boolean;

export interface Filters<R> {
  readonly texts: readonly string[];
  /** One that holds is enough. */
  readonly any: boolean;
  readonly columns: ReadonlySet<string>;
  readonly read: (row: R, column: string) => unknown;
}

const written = /^([a-z_]+)\.([a-z]+)\((.*)\)$/s;

/**
 * `filter=` as the running platform takes it. It fails open: what it cannot read, or a column that it does not know, is
 * left out without a word, and everything matches.
 */
export function readFilters<R>({ texts, any, columns, read }: Filters<R>): Test<R> {
  const tests = texts.flatMap((text): Test<R>[] => {
    const [, column = '', word = '', inner = ''] = written.exec(text) ?? [];
    const values = readValues(inner);
    if (!columns.has(column) || values === undefined) return [];
    // The platform's database has this in no column.
    if (values.some((value) => /`|[^\p{ASCII}]/u.test(value))) return [() => false];
    const keyOf = column.endsWith('_at') ? timeOf : textOf;
    const holds = readTest(word, values.map(keyOf));
    return holds === undefined ? [] : [(row) => holds(keyOf(read(row, column)))];
  });
  if (any && tests.length > 0) return (row) => tests.some((test) => test(row));
  return (row) => tests.every((test) => test(row));
}

/** What is compared; undefined where there is nothing, or nothing that can be read. */
type Key = string | undefined;

/** Those that a client of ours may use; the platform has some more. */
const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  ge: (value, wanted) => value >= wanted,
  gt: (value, wanted) => value > wanted,
  le: (value, wanted) => value <= wanted,
  lt: (value, wanted) => value < wanted,
};

/** Undefined for an operator that there is not, or that takes another number of values. */
function readTest(word: string, wanted: readonly Key[]): ((value: Key) => boolean) | undefined {
  const [first] = wanted;
  if (first === undefined || wanted.includes(undefined)) return undefined;
  if (word === 'in' || word === 'equals') return (value = '') => wanted.includes(value);
  const holds = wanted.length === 1 ? comparisons[word] : undefined;
  return holds && ((value) => value !== undefined && holds(value, first));
}

const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{3}|\.\d{6})?Z?$/;

/** Numbers too: no client of ours asks which is greater. */
function textOf(value: unknown): Key {
  return value === null || value === undefined ? undefined : fold(String(value));
}

/** As the database reads a text where it wants a time. */
function timeOf(value: unknown): Key {
  const [, day, clock, fraction = ''] = time.exec(String(value)) ?? [];
  return day && `${day}T${clock}.${fraction.slice(1).padEnd(6, '0')}Z`;
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
