/** What every table has. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

/** The rows of one table in the two orders that are asked for. Neither array is ever changed: another takes its place. */
export interface Table<R extends Row> {
  /** As the platform lists them: newest first. */
  readonly rows: readonly R[];
  /** As its database sorts ids. */
  readonly byId: readonly R[];
  find(id: string): R | undefined;
  add(rows: readonly R[]): void;
  /** Gives those that were there. */
  remove(ids: Iterable<string>): R[];
  /** Many at once, for the price of one; who is not there stays away. */
  replace(ids: Iterable<string>, after: (row: R) => R): void;
}

export function createTable<R extends Row>(born: readonly R[]): Table<R> {
  /** Nearly in order, and sorted when it is asked for: a row that is replaced keeps its place. */
  const known = new Map(born.toSorted(newestFirst).map((row) => [row.id, row]));
  let rows: readonly R[] | undefined;
  let byId: readonly R[] | undefined;
  const forget = () => (rows = byId = undefined);

  return {
    get rows() {
      return (rows ??= [...known.values()].toSorted(newestFirst));
    },
    get byId() {
      return (byId ??= [...known.values()].toSorted((one, other) => compareText(one.id, other.id)));
    },
    find: (id) => known.get(id),
    add(added) {
      for (const row of added) known.set(row.id, row);
      forget();
    },
    remove(ids) {
      const removed = [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
      for (const { id } of removed) known.delete(id);
      forget();
      return removed;
    },
    replace(ids, after) {
      for (const id of new Set(ids)) {
        const before = known.get(id);
        if (before === undefined) continue;
        const row = after(before);
        if (row.id !== id) known.delete(id);
        known.set(row.id, row);
        forget();
      }
    },
  };
}

/** The platform's order: created_at, name, id, all descending. */
export function newestFirst(one: Row, other: Row): number {
  return (
    compare(other.created_at, one.created_at) || compare(other.name, one.name) || compare(other.id, one.id)
  );
}

export function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const blank = 32;

/** As the platform's database compares texts: by code, letters folded to upper case, blanks at the end do not count. */
export function compareText(one: string, other: string): number {
  for (let position = 0; position < Math.max(one.length, other.length); position += 1) {
    const difference = foldedAt(one, position) - foldedAt(other, position);
    if (difference !== 0) return difference;
  }
  return 0;
}

function foldedAt(text: string, position: number): number {
  const code = position < text.length ? text.charCodeAt(position) : blank;
  return code >= 97 && code <= 122 ? code - 32 : code;
}
