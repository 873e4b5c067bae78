import { Refusal } from './answer.ts';
import { fold } from './fleet/rows.ts';
import type { Columns, Kind } from './text.ts';

export type Test<R> = (row: R) => boolean;

export interface Filters<R> {
  readonly texts: readonly string[];
  /** One that holds is enough. */
  readonly any: boolean;
  readonly columns: Columns;
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
    const [kind, values, operator] = [columns.get(column), readValues(inner), operators[word]];
    if (kind === undefined || values === undefined || operator === undefined) return [];
    if (values.some(isOutOfReach)) return [() => false];
    const wanted = values.map((value) => keyOf(value, kind));
    if (wanted.includes(undefined) || !operator.takes(values)) return [];
    return [(row) => operator.holds(keyOf(read(row, column), kind), wanted)];
  });
  if (any && tests.length > 0) return (row) => tests.some((test) => test(row));
  return (row) => tests.every((test) => test(row));
}

/** What the platform's database has in no column of such a kind: it matches nothing. */
function isOutOfReach(value: string): boolean {
  return value.includes('`') || /[^\p{ASCII}]/u.test(value);
}

/** What is compared; undefined where there is nothing, or nothing that can be read. */
type Key = string | number | undefined;
type Values = readonly Key[];

interface Operator {
  readonly takes: (values: readonly string[]) => boolean;
  readonly holds: (value: Key, wanted: Values) => boolean;
}

const any = (holds: Operator['holds']): Operator => ({ takes: ({ length }) => length > 0, holds });
const none = (holds: Operator['holds']): Operator => ({ takes: () => true, holds });
const one = (holds: (value: string | number, wanted: string | number) => boolean): Operator => ({
  takes: ({ length }) => length === 1,
  holds: (value, [wanted]) => value !== undefined && wanted !== undefined && holds(value, wanted),
});
const part = (holds: (value: string, text: string) => boolean): Operator => ({
  takes: ([text = '']) => text !== '',
  holds: (value = '', [text = '']) => holds(String(value), String(text)),
});

const isAmong = any((value = '', wanted) => wanted.includes(value));
const isNotAmong = any((value = '', wanted) => !wanted.includes(value));

const operators: Readonly<Record<string, Operator>> = {
  in: isAmong,
  equals: isAmong,
  notin: isNotAmong,
  notequals: isNotAmong,
  contains: part((value, text) => value.includes(text)),
  startswith: part((value, text) => value.startsWith(text)),
  endswith: part((value, text) => value.endsWith(text)),
  ge: one((value, wanted) => value >= wanted),
  gt: one((value, wanted) => value > wanted),
  le: one((value, wanted) => value <= wanted),
  lt: one((value, wanted) => value < wanted),
  isnull: none((value) => value === undefined),
  isnotnull: none((value) => value !== undefined),
  isnullorempty: none((value = '') => value === ''),
};

const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{3}|\.\d{6})?Z?$/;

/** As the database reads a text where it wants a text, a number or a time. */
function keyOf(value: unknown, kind: Kind): Key {
  if (value === null || value === undefined) return undefined;
  if (kind === 'text') return fold(String(value));
  if (kind === 'number') return String(value) === 'true' ? 1 : Number.parseFloat(String(value)) || 0;
  const [, day, clock, fraction = ''] = time.exec(String(value)) ?? [];
  return day && `${day}T${clock}.${fraction.slice(1).padEnd(6, '0')}Z`;
}

const value = /^ *(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^"',:\n][^,:\n]*)) *(,|$)/s;

/** What stands between the brackets. Text behind a quotation mark that closes is more than the platform can bear. */
function readValues(inner: string): readonly string[] | undefined {
  const values: string[] = [];
  let rest = inner;
  while (rest !== '') {
    const found = value.exec(rest);
    if (found === null && /^ *["']/.test(rest))
      throw new Refusal(
        500,
        'InternalServerError',
        `Internal server error: Malformed multi value string: ${inner}`,
      );
    if (found === null) return undefined;
    const [whole, double, single, bare] = found;
    values.push(bare?.trim() ?? (double ?? single ?? '').replace(/\\(.)/gs, '$1'));
    rest = rest.slice(whole.length);
  }
  return values;
}
