/** What every table has. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

export type Order<R> = (one: R, other: R) => number;

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

export function createTable<R extends Row>(born: readonly R[] = []): Table<R> {
  const known = new Map(born.map((row) => [row.id, row]));
  let rows: readonly R[] = born.toSorted(newestFirst);
  let byId: readonly R[] | undefined;

  return {
    get rows() {
      return rows;
    },
    get byId() {
      return (byId ??= sortById(rows));
    },
    find: (id) => known.get(id),
    add(added) {
      for (const row of added) known.set(row.id, row);
      rows = [...added, ...rows].toSorted(newestFirst);
      byId &&= [...byId, ...added].toSorted(byText);
    },
    remove(ids) {
      const removed = new Set<R>();
      for (const id of ids) {
        const row = known.get(id);
        if (row !== undefined) removed.add(row);
        known.delete(id);
      }
      rows = rows.filter((row) => !removed.has(row));
      byId &&= byId.filter((row) => !removed.has(row));
      return [...removed];
    },
    replace(ids, after) {
      const pairs: (readonly [before: R, after: R])[] = [];
      for (const id of new Set(ids)) {
        const before = known.get(id);
        if (before === undefined) continue;
        const changed = after(before);
        known.delete(id);
        known.set(changed.id, changed);
        pairs.push([before, changed]);
      }
      if (pairs.length === 0) return;
      rows = replaceIn(rows, pairs, newestFirst);
      byId &&= replaceIn(byId, pairs, byText);
    },
  };
}

function replaceIn<R extends Row>(
  sorted: readonly R[],
  pairs: readonly (readonly [before: R, after: R])[],
  order: Order<R>,
): readonly R[] {
  const copy = [...sorted];
  let inOrder = true;
  for (const [before, after] of pairs) {
    copy[positionOf(sorted, (row) => order(row, before) >= 0)] = after;
    inOrder &&= order(before, after) === 0;
  }
  return inOrder ? copy : copy.toSorted(order);
}

/** The first for which it holds, as it does for all behind that one. */
export function positionOf<R>(sorted: readonly R[], holds: (row: R) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(sorted[middle]!)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The platform's order: created_at, name, id, all descending. */
export function newestFirst(one: Row, other: Row): number {
  return (
    descending(one.created_at, other.created_at) ||
    descending(one.name, other.name) ||
    descending(one.id, other.id)
  );
}

function descending(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? 1 : -1;
}

function sortById<R extends Row>(rows: readonly R[]): readonly R[] {
  const keyed = rows.map((row) => ({ key: row.id.toUpperCase().trimEnd(), row }));
  return keyed.toSorted((one, other) => descending(other.key, one.key)).map(({ row }) => row);
}

function byText(one: Row, other: Row): number {
  return compareText(one.id, other.id);
}

const blank = 32;

/** As the platform's database compares texts: by code, letters folded to upper case, blanks at the end do not count. */
export function compareText(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  for (let position = 0; position < longest; position += 1) {
    const difference = foldedAt(one, position) - foldedAt(other, position);
    if (difference !== 0) return difference;
  }
  return 0;
}

function foldedAt(text: string, position: number): number {
  const code = position < text.length ? text.charCodeAt(position) : blank;
  return code >= 97 && code <= 122 ? code - 32 : code;
}
