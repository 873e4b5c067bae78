import { Refusal } from '../answer.ts';
import type { Columns, Kind } from '../fleet/columns.ts';
import { compareText, positionOf, type Row } from '../fleet/rows.ts';

export type Test<R> = (row: R) => boolean;
export type Read<R> = (row: R, column: string) => unknown;

export interface Filter<R> {
  readonly test: Test<R>;
  /** Of rows in the order of their ids those that may match; undefined if ids are not asked for. */
  readonly narrow: ((byId: readonly R[]) => readonly R[]) | undefined;
}

export interface Filters<R> {
  readonly texts: readonly string[];
  /** One that holds is enough. */
  readonly any: boolean;
  readonly columns: Columns;
  readonly read: Read<R>;
}

const written = /^([a-z_]+)\.([a-z]+)\((.*)\)$/s;

/**
 * `filter=` as the running platform takes it. It fails open: what it cannot read, or a column that it does not know, is
 * left out without a word, and everything matches.
 */
export function readFilters<R extends Row>({ texts, any, columns, read }: Filters<R>): Filter<R> {
  const found = texts.flatMap((text) => {
    const [, column = '', operator = '', inner = ''] = written.exec(text) ?? [];
    const [kind, values] = [columns.get(column), readValues(inner)];
    if (kind === undefined || values === undefined) return [];
    const test = values.some(isOutOfReach) ? () => false : operators[operator]?.(values, kind);
    return test === undefined ? [] : [{ column, operator, values, test }];
  });
  const tests = found.map(
    ({ column, test }) =>
      (row: R) =>
        test(read(row, column)),
  );
  const ofIds = found.filter(({ column, operator }) => column === 'id' && operator in bounds);
  return {
    test:
      any && tests.length > 0
        ? (row) => tests.some((test) => test(row))
        : (row) => tests.every((test) => test(row)),
    narrow:
      any || ofIds.length === 0
        ? undefined
        : (byId) => ofIds.reduce((rows, one) => bounds[one.operator]!(rows, one.values), byId),
  };
}

/** What the platform's database has in no column of such a kind: it matches nothing. */
function isOutOfReach(value: string): boolean {
  return value.includes('`') || /[^\p{ASCII}]/u.test(value);
}

/** By operator, how a condition on the id narrows rows that are sorted by it. */
const bounds: Readonly<
  Record<string, <R extends Row>(rows: readonly R[], values: readonly string[]) => readonly R[]>
> = {
  gt: (rows, [bound = '']) => rows.slice(positionOf(rows, ({ id }) => compareText(id, bound) > 0)),
  ge: (rows, [bound = '']) => rows.slice(positionOf(rows, ({ id }) => compareText(id, bound) >= 0)),
  lt: (rows, [bound = '']) =>
    rows.slice(
      0,
      positionOf(rows, ({ id }) => compareText(id, bound) >= 0),
    ),
  le: (rows, [bound = '']) =>
    rows.slice(
      0,
      positionOf(rows, ({ id }) => compareText(id, bound) > 0),
    ),
  in: (rows, values) => {
    const positions = new Set(
      values.map((value) => positionOf(rows, ({ id }) => compareText(id, value) >= 0)),
    );
    return [...positions].toSorted((one, other) => one - other).flatMap((position) => rows[position] ?? []);
  },
};

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
    return time === undefined
      ? undefined
      : (value) => !isNull(value) && test(compareTimes(String(value), time));
  };
}

function compareTimes(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
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
