/** What every table has. */
export type Row = Readonly<Record<'id' | 'name' | 'created_at', string>>;

export type Table<R extends Row> = ReturnType<typeof createTable<R>>;

/** The rows of one table in the two orders that are asked for. Neither array is ever changed: another takes its place. */
export function createTable<R extends Row>(born: readonly R[]) {
  /** Nearly in order, and sorted when it is asked for: a row that is replaced keeps its place. */
  const known = new Map(born.toSorted(newestFirst).map((row) => [row.id, row]));
  let rows: readonly R[] | undefined;
  let byId: readonly R[] | undefined;
  const forget = () => (rows = byId = undefined);

  return {
    /** As the platform lists them: newest first. */
    get rows(): readonly R[] {
      return (rows ??= [...known.values()].toSorted(newestFirst));
    },
    /** As its database sorts ids. */
    get byId(): readonly R[] {
      return (byId ??= inOrderOfIds([...known.values()]));
    },
    find: (id: string): R | undefined => known.get(id),
    add(added: readonly R[]): void {
      for (const row of added) known.set(row.id, row);
      forget();
    },
    /** Gives those that were there. */
    remove(ids: Iterable<string>): R[] {
      const removed = [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
      for (const { id } of removed) known.delete(id);
      forget();
      return removed;
    },
    /** Many at once, for the price of one; who is not there stays away. */
    replace(ids: Iterable<string>, after: (row: R) => R): void {
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

function inOrderOfIds<R extends Row>(rows: readonly R[]): readonly R[] {
  const keyed = rows.map((row) => ({ row, key: fold(row.id) }));
  return keyed.toSorted((one, other) => compare(one.key, other.key)).map(({ row }) => row);
}

/** The platform's order: created_at, name, id, all descending. */
export function newestFirst(one: Row, { created_at, name, id }: Row): number {
  return compare(created_at, one.created_at) || compare(name, one.name) || compare(id, one.id);
}

export function compare(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** What is compared of a value; undefined where there is none. */
export type Key = string | number | undefined;

export function keyOf(value: unknown): Key {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : fold(String(value));
}

/** As the platform's database reads a text: letters of either size are one, blanks at the end do not count. */
export function fold(text: string): string {
  return text.toUpperCase().trimEnd();
}

/** How many of the rows, in the order of their ids, are not behind that id. */
export function countUpTo(byId: readonly Row[], bound: string): number {
  let [from, to] = [0, byId.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(fold(byId[middle]!.id), fold(bound)) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}
