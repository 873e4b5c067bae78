import { compareIds } from '../platform/id-ranges.ts';
import type { Expected } from '../platform/records.ts';
import { copyNames, hostOf, namesInUse, projectOf, type Names } from './names.ts';
import { createPlaces } from './places.ts';
import type { ListedHost } from '../platform/host.ts';
import type { PlacedRow, Row } from './row.ts';

export type Mirror = ReturnType<typeof createMirror>;
export type Reading = ReturnType<Mirror['begin']>;

/** What a reading was told of: undefined for what is gone. */
type Seen = Map<string, Row | undefined>;

/** The servers of one cloud, by id, as the last collection that succeeded left them. Only a commit changes it. */
export function createMirror() {
  let rows = new Map<string, PlacedRow>();
  let order: readonly PlacedRow[] = [];
  const places = createPlaces();
  let isAscending = true;
  let names = copyNames();
  let commits = 0;
  /** Made where it is needed first: in a list that is not in the order of ids. */
  let index: { readonly of: readonly Row[]; readonly places: ReadonlyMap<string, number> } | undefined;

  function placeOf(id: string): number {
    if (!isAscending) {
      if (index?.of !== order) index = { of: order, places: new Map(order.map((row, at) => [row.id, at])) };
      return index.places.get(id) ?? -1;
    }
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareIds(order[middle]!.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return order[low]?.id === id ? low : -1;
  }

  /** The same row, where it stands under the same names. */
  function place(row: Row, under: Names): PlacedRow {
    const { id, server, print, readAt, kept, at } = row;
    // Without an id, its own words are its names.
    const host = at && server.hostId === '' ? at.host : hostOf(under, server);
    const project = at && server.projectId === '' ? at.project : projectOf(under, server);
    if (at?.host === host && at.project === project) return row as PlacedRow;
    const placed = { host, project, place: places.of(server, host, project) };
    return { id, server, print, readAt, kept, at: placed };
  }

  /** In a list of changes, what was not seen stays. */
  function apply(seen: Seen, kind: 'full' | 'changes'): void {
    const all: Seen = kind === 'full' ? seen : rows;
    for (const [id, row] of seen) {
      if (kind === 'changes' && row && !rows.has(id)) isAscending = false;
      if (row) all.set(id, row);
      else all.delete(id);
    }
    rows = all as Map<string, PlacedRow>;
  }

  /** Where no name has changed, only rows that are new have to be placed. */
  function placeAll(under: Names): void {
    const placed: PlacedRow[] = [];
    for (const row of rows.values()) {
      const one = row.at && !under.hasNews ? row : place(row, under);
      if (one !== row) rows.set(one.id, one);
      placed.push(one);
    }
    order = placed;
  }

  function countLost(seen: Seen): number {
    let lost = 0;
    for (const id of rows.keys()) if (!seen.get(id)) lost += 1;
    return lost;
  }

  /** Nothing is expected behind one that is not known. */
  function placeAfter(id: string): number {
    const place = placeOf(id);
    return place < 0 ? order.length : place + 1;
  }

  return {
    get size() {
      return rows.size;
    },
    /** Known to have no servers: not merely that nothing is known yet. */
    get isEmpty() {
      return commits > 0 && rows.size === 0;
    },
    get: (id: string): Row | undefined => rows.get(id),
    /** In the order of the last full list. */
    rows: () => order,
    /** Where they stand, in order. */
    places: places.inOrder,
    /** Ascending, as the platform compares them. */
    ids(): readonly string[] {
      const ids = order.map(({ id }) => id);
      return isAscending ? ids : ids.toSorted(compareIds);
    },
    /** The records that are expected behind that of an id; from the first one on without an id. */
    expectedAfter<Item extends { readonly id: string }>(after: string | undefined): Expected<Item | Row> {
      const items = order;
      return {
        items,
        at: after === undefined ? 0 : placeAfter(after),
        behind({ id }, there) {
          if (items[there]?.id === id) return there + 1;
          return rows.has(id) ? placeAfter(id) : there;
        },
      };
    },
    /**
     * What one collection learns. It writes to nothing but itself until it is committed: a reading that failed, was
     * abandoned or was overtaken by another leaves no trace.
     */
    begin() {
      const begunAt = commits;
      let seen: Seen = new Map();
      const reading = copyNames(names);
      return {
        names: reading,
        /** The later word on an id counts. */
        put: (row: Row) => void seen.set(row.id, row),
        remove: (id: string) => void seen.set(id, undefined),
        /** How many of the mirror's servers a full list of this reading lacks. */
        lost: () => countLost(seen),
        /** `full`: what was not put is gone. False if another reading was committed since this one began. */
        commit(
          kind: 'full' | 'changes',
          facts: { readonly isAscending: boolean; readonly hosts: readonly ListedHost[] },
        ): boolean {
          if (commits !== begunAt) return false;
          commits += 1;
          if (kind === 'full') isAscending = facts.isAscending;
          apply(seen, kind);
          // What is put from now on by whoever does not know that it is over goes nowhere.
          seen = new Map();
          placeAll(reading);
          names = namesInUse(reading, order, facts.hosts);
          places.keep(order);
          return true;
        },
      };
    },
  };
}
