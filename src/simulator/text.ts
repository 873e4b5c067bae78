import { isEmpty } from './answer.ts';

export type Readers<R> = Readonly<Record<string, (row: R) => unknown>>;

const usual = 'id name status created_at updated_at deleted_at deleted is_emulated update_version progress';

/** What a table holds itself: a list without details has these, and filters know these; everything else is looked up. */
export function columnsOf(names: string): ReadonlySet<string> {
  return new Set(`${usual} ${names}`.split(' '));
}

/** Fields that are the same in every record. */
export function same(value: unknown, names: string): Readers<object> {
  return fixed(Object.fromEntries(names.split(' ').map((name) => [name, value])));
}

export function fixed(fields: object): Readers<object> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, () => value as unknown]));
}

/** Told of what a managed cloud has, and not of own machines. */
export const ofManaged: Readers<{ readonly account: string }> = Object.fromEntries(
  Object.entries({
    account_health_status: 'normal',
    account_status: 'connected',
    manager_domain: 'Default',
    manager_project: 'system',
  }).map(([field, value]) => [field, ({ account }) => account && value]),
);

/** What of a record is sent. */
export interface View {
  readonly details: boolean;
  /** Some fields are for administrators only. */
  readonly privileged: boolean;
  /** The names after `field=`; all fields if none was named. */
  readonly fields: ReadonlySet<string> | undefined;
}

/** How the records of a table are told. */
export interface Telling<R extends object> {
  readonly columns: ReadonlySet<string>;
  /** What the table says otherwise than the row, or beside it. */
  readonly readers: Readers<R>;
  /** Sums over other tables, made anew for each list, for details only. */
  readonly sums?: () => Readers<R>;
  readonly forAdministrators?: ReadonlySet<string>;
  /** Whether a field that was named is sent: some have to be named together with another. */
  readonly grants?: (fields: ReadonlySet<string>, field: string) => boolean;
  /** What is read otherwise where these fields are named. */
  readonly blanks?: (fields: ReadonlySet<string>) => Readers<R>;
  /** Told though it is empty. */
  readonly always?: string;
}

/** A record never changes, only its place in the table is taken by another: what was written once stays right. */
export function createTeller<R extends object>(telling: Telling<R>): (view: View) => (row: R) => string {
  const known = new WeakMap<R, Map<string, string>>();
  return (view) => {
    const sums = view.details ? telling.sums?.() : undefined;
    const write = createWriter(telling, view, sums);
    if (sums !== undefined) return write;
    const key = JSON.stringify({ ...view, fields: view.fields && [...view.fields].toSorted() });
    return (row) => {
      const texts = known.get(row) ?? new Map<string, string>();
      const text = texts.get(key) ?? write(row);
      known.set(row, texts.set(key, text));
      return text;
    };
  };
}

/** Field by field: an object of so many keys put together at run time costs ten times as much. */
function createWriter<R extends object>(telling: Telling<R>, view: View, sums: Readers<R> = {}) {
  const { columns, always, grants = () => true } = telling;
  const named = view.fields;
  const readers = { ...telling.readers, ...(named && telling.blanks?.(named)), ...sums };
  const isTold = (field: string) =>
    (view.details || columns.has(field)) &&
    (view.privileged || telling.forAdministrators?.has(field) !== true) &&
    (named === undefined || (named.has(field) && grants(named, field)));
  let fields: readonly string[] | undefined;

  return (row: R): string => {
    fields ??= [...new Set([...Object.keys(row), ...Object.keys(readers)])].filter(isTold).toSorted();
    const parts = always === undefined ? [] : [always];
    for (const field of fields) {
      const value = valueOf(readers, row, field);
      if (!isEmpty(value)) parts.push(`"${field}":${JSON.stringify(value)}`);
    }
    return `{${parts.join(',')}}`;
  };
}

export function valueOf<R extends object>(readers: Readers<R>, row: R, field: string): unknown {
  const read = readers[field];
  return read === undefined ? (row as Readonly<Record<string, unknown>>)[field] : read(row);
}
