export type Row = Readonly<Record<string, unknown>>;
export type Test = (row: Row) => boolean;
type Value = string | number | boolean;

export interface Filters {
  readonly texts: readonly string[];
  /** One that holds is enough. */
  readonly any: boolean;
}

const written = /^([a-z_]+)\.([a-z]+)\((.*)\)$/s;

/**
 * `filter=` as the running platform takes it. It fails open: what it cannot read, or a column that it does not know, is
 * left out without a word, and everything matches. Undefined if no filter is left.
 */
export function readFilters({ texts, any }: Filters, isKnown: (column: string) => boolean): Test | undefined {
  const tests = texts.flatMap((text) => {
    const [, column = '', operator = '', inner = ''] = written.exec(text) ?? [];
    if (!isKnown(column)) return [];
    const test = operators[operator]?.(column, splitValues(inner));
    return test === undefined ? [] : [test];
  });
  if (tests.length === 0) return undefined;
  return any ? (row) => tests.some((test) => test(row)) : (row) => tests.every((test) => test(row));
}

type Operator = (column: string, texts: readonly string[]) => Test | undefined;

const operators: Readonly<Record<string, Operator>> = {
  in: anyOf((values, value) => values.has(String(value))),
  notin: anyOf((values, value) => !values.has(String(value))),
  equals: anyOf((values, value) => values.has(String(value))),
  notequals: anyOf((values, value) => !values.has(String(value))),
  contains: withText((value, text) => value.includes(text)),
  startswith: withText((value, text) => value.startsWith(text)),
  endswith: withText((value, text) => value.endsWith(text)),
  ge: compared((value, bound) => value >= bound),
  gt: compared((value, bound) => value > bound),
  le: compared((value, bound) => value <= bound),
  lt: compared((value, bound) => value < bound),
  isnull: (column) => (row) => isNull(row[column]),
  isnotnull: (column) => (row) => !isNull(row[column]),
  isnullorempty: (column) => (row) => isNull(row[column]) || row[column] === '',
};

function anyOf(test: (values: ReadonlySet<string>, value: unknown) => boolean): Operator {
  return (column, texts) => {
    const values = new Set(texts.map(unquoted).filter((text) => text !== ''));
    return values.size === 0 ? undefined : (row) => test(values, row[column]);
  };
}

function withText(test: (value: string, text: string) => boolean): Operator {
  return (column, [text = '']) => {
    const wanted = unquoted(text);
    return wanted === '' ? undefined : (row) => test(String(row[column] ?? ''), wanted);
  };
}

function compared(test: (value: Value, bound: Value) => boolean): Operator {
  return (column, [text = '']) => {
    const bound = column.endsWith('_at') ? readTime(text) : readPlain(unquoted(text));
    if (bound === undefined) return undefined;
    return (row) => {
      const value = row[column] as Value | null | undefined;
      return !isNull(value) && test(value as Value, bound);
    };
  };
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

function readPlain(text: string): Value | undefined {
  if (text === '') return undefined;
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

const time = /^(["'])(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{3}|\.\d{6})?Z?\1$/;

/** In the form of the columns, so that texts can be compared; only a time in quotes is one. */
function readTime(text: string): string | undefined {
  const [, , day, clock, fraction = ''] = time.exec(text) ?? [];
  if (day === undefined) return undefined;
  return `${day}T${clock}.${fraction.slice(1).padEnd(6, '0')}Z`;
}

function splitValues(inner: string): string[] {
  return inner.split(',').map((text) => text.trim());
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text;
}
