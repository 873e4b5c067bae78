import { isEmpty } from '../answer.ts';
import type { Columns } from '../fleet/columns.ts';

export type Readers<R> = Readonly<Record<string, (row: R) => unknown>>;

/** What of a record is sent. */
export interface View {
  readonly details: boolean;
  /** One record asked for by its id has more than a record in a list. */
  readonly alone: boolean;
  /** Some fields are for administrators only. */
  readonly privileged: boolean;
  /** The names after `field=`; all fields if none was named. */
  readonly fields: ReadonlySet<string> | undefined;
}

/** How the records of a table are told. */
export interface Telling<R extends object> {
  readonly columns: Columns;
  /** What the table says otherwise than the row, or beside it. */
  readonly readers: Readers<R>;
  /** Sums over other tables, made anew for each list, for details only. */
  readonly sums?: () => Readers<R>;
  readonly never?: ReadonlySet<string>;
  readonly onlyAlone?: ReadonlySet<string>;
  readonly forAdministrators?: ReadonlySet<string>;
  /** Whether a field that was named is sent: some have to be named together with another. */
  readonly grants?: (fields: ReadonlySet<string>, field: string) => boolean;
  /** What is read otherwise where these fields are named. */
  readonly blanks?: (fields: ReadonlySet<string>) => Readers<R>;
  /** Told though it is empty. */
  readonly always?: string;
}

const mostViews = 24;

/** A record never changes, only its place in the table is taken by another: what was written once stays right. */
export function createTeller<R extends object>(telling: Telling<R>): (view: View) => (row: R) => Buffer {
  const views = new Map<string, (row: R) => Buffer>();
  return (view) => {
    if (view.details && telling.sums !== undefined) {
      const write = createWriter(telling, view, telling.sums());
      return (row) => Buffer.from(write(row));
    }
    const key = JSON.stringify({ ...view, fields: view.fields && [...view.fields].toSorted() });
    const found = views.get(key) ?? remember(createWriter(telling, view));
    // The one that was used last is the last to go.
    views.delete(key);
    views.set(key, found);
    const [oldest] = views.keys();
    if (views.size > mostViews && oldest !== undefined) views.delete(oldest);
    return found;
  };
}

function remember<R extends object>(write: (row: R) => string): (row: R) => Buffer {
  const known = new WeakMap<R, Buffer>();
  return (row) => {
    const remembered = known.get(row);
    if (remembered !== undefined) return remembered;
    const text = Buffer.from(write(row));
    known.set(row, text);
    return text;
  };
}

/** Field by field: an object of so many keys put together at run time costs ten times as much. */
function createWriter<R extends object>(telling: Telling<R>, view: View, sums: Readers<R> = {}) {
  const { columns, always } = telling;
  const readers = { ...telling.readers, ...(view.fields && telling.blanks?.(view.fields)), ...sums };
  const isTold = (field: string) =>
    telling.never?.has(field) !== true &&
    (view.details || columns.has(field)) &&
    (view.alone || telling.onlyAlone?.has(field) !== true) &&
    (view.privileged || telling.forAdministrators?.has(field) !== true) &&
    (view.fields === undefined || (view.fields.has(field) && telling.grants?.(view.fields, field) !== false));
  let fields: readonly string[] | undefined;

  return (row: R): string => {
    fields ??= [...new Set([...Object.keys(row), ...Object.keys(readers)])].filter(isTold).toSorted();
    const parts = always === undefined ? [] : [always];
    for (const field of fields) {
      const read = readers[field];
      const value = read === undefined ? (row as Readonly<Record<string, unknown>>)[field] : read(row);
      if (!isEmpty(value)) parts.push(`"${field}":${JSON.stringify(value)}`);
    }
    return `{${parts.join(',')}}`;
  };
}
