import { Refusal } from './answer.ts';
import { compare, compareText } from './fleet/rows.ts';
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
    const [, column = '', operator = '', inner = ''] = written.exec(text) ?? [];
    const [kind, values] = [columns.get(column), readValues(inner)];
    if (kind === undefined || values === undefined) return [];
    const test = values.some(isOutOfReach) ? () => false : operators[operator]?.(values, kind);
    return test === undefined ? [] : [(row) => test(read(row, column))];
  });
  if (any && tests.length > 0) return (row) => tests.some((test) => test(row));
  return (row) => tests.every((test) => test(row));
}

/** What the platform's database has in no column of such a kind: it matches nothing. */
function isOutOfReach(value: string): boolean {
  return value.includes('`') || /[^\p{ASCII}]/u.test(value);
}

type Operator = (values: readonly string[], kind: Kind) => ((value: unknown) => boolean) | undefined;

const operators: Readonly<Record<string, Operator>> = {
  in: anyOf(true),
  equals: anyOf(true),
  notin: anyOf(false),
  notequals: anyOf(false),
  contains: withText((value, text) => value.includes(text)),
  startswith: withText((value, text) => value.startsWith(text)),
  endswith: withText((value, text) => value.endsWith(text)),
  ge: compared((difference) => difference >= 0),
  gt: compared((difference) => difference > 0),
  le: compared((difference) => difference <= 0),
  lt: compared((difference) => difference < 0),
  isnull: () => isNull,
  isnotnull: () => (value) => !isNull(value),
  isnullorempty: () => (value) => isNull(value) || value === '',
};

function anyOf(isWanted: boolean): Operator {
  return (values, kind) => {
    if (values.length === 0) return undefined;
    const wanted = new Set(values.map((value) => keyOf(value, kind)));
    return (value) => wanted.has(keyOf(value, kind)) === isWanted;
  };
}

function withText(test: (value: string, text: string) => boolean): Operator {
  return ([text = '']) => (text === '' ? undefined : (value) => test(fold(value ?? ''), fold(text)));
}

function compared(test: (difference: number) => boolean): Operator {
  return (values, kind) => {
    const [bound] = values;
    if (bound === undefined || values.length > 1) return undefined;
    if (kind === 'number') return (value) => !isNull(value) && test(Number(value) - numberOf(bound));
    if (kind === 'text') return (value) => !isNull(value) && test(compareText(String(value), bound));
    const time = readTime(bound);
    return time === undefined ? undefined : (value) => !isNull(value) && test(compare(String(value), time));
  };
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

function keyOf(value: unknown, kind: Kind): string | number {
  return kind === 'number' ? numberOf(value) : fold(value ?? '').trimEnd();
}

function fold(value: unknown): string {
  return String(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** As the database reads a text where it wants a number. */
function numberOf(value: unknown): number {
  if (value === 'true' || value === true) return 1;
  return Number.parseFloat(String(value)) || 0;
}

const time = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{3}|\.\d{6})?Z?$/;

/** In the form of the columns, so that texts can be compared. */
function readTime(text: string): string | undefined {
  const [, day, clock, fraction = ''] = time.exec(text) ?? [];
  return day === undefined ? undefined : `${day}T${clock}.${fraction.slice(1).padEnd(6, '0')}Z`;
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
