import { compareIds } from '../platform/id-ranges.ts';
import type { Expected } from '../platform/records.ts';
import { beginNames, noNames, type KnownNames, type Names } from './names.ts';
import { createPlaces } from './places.ts';
import type { ListedHost } from '../platform/host.ts';
import type { PlacedRow, Row } from './row.ts';

export type Mirror = ReturnType<typeof createMirror>;
export type Reading = ReturnType<Mirror['begin']>;

/** So far from where it is expected a row is looked for before it is looked for among all. */
const maxSteps = 32;

/** The servers of one cloud, by id, as the last collection that succeeded left them. Only a commit changes it. */
export function createMirror() {
  let rows: ReadonlyMap<string, PlacedRow> = new Map();
  let order: readonly PlacedRow[] = [];
  const places = createPlaces();
  let isAscending = true;
  let names: KnownNames = noNames;
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
  function put(row: Row, under: Names): PlacedRow {
    const { server, at } = row;
    // Without an id, its own words are its names.
    const host = at && server.hostId === '' ? at.host : under.hostOf(server);
    const project = at && server.projectId === '' ? at.project : under.projectOf(server);
    if (at?.host === host && at.project === project) return row as PlacedRow;
    return { ...row, at: { host, project, place: places.of(server, host, project) } };
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
    /** Ascending, as the platform compares them. */
    ids(): readonly string[] {
      const ids = order.map(({ id }) => id);
      return isAscending ? ids : ids.toSorted(compareIds);
    },
    /** The records that are expected behind that of an id; from the first one on without an id. */
    expectedAfter<Item extends { readonly id: string }>(after: string | undefined): Expected<Item | Row> {
      const known = order;
      let at = after === undefined ? 0 : placeAfter(after);
      return {
        next: () => known[at],
        came: () => void (at += 1),
        cameInstead({ id }) {
          if (!rows.has(id)) return;
          const end = Math.min(known.length, at + maxSteps);
          let place = at;
          while (place < end && known[place]!.id !== id) place += 1;
          at = place < end ? place + 1 : placeAfter(id);
        },
      };
    },
    /**
     * What one collection learns. It writes to nothing but itself until it is committed: a reading that failed, was
     * abandoned or was overtaken by another leaves no trace.
     */
    begin() {
      const begunAt = commits;
      let seen = new Map<string, Row | undefined>();
      const reading = beginNames(names);

      function isNew(id: string, row: Row | undefined): boolean {
        const before = seen.size;
        seen.set(id, row);
        return seen.size > before;
      }

      return {
        names: reading,
        /** Whether this id is new to the reading; the later word on an id counts. */
        put: (row: Row) => isNew(row.id, row),
        remove: (id: string) => isNew(id, undefined),
        /** How many of the mirror's servers a full list of this reading lacks. */
        lost(): number {
          let lost = 0;
          for (const id of rows.keys()) if (!seen.get(id)) lost += 1;
          return lost;
        },
        /** `full`: what was not put is gone. False if another reading was committed since this one began. */
        commit(
          kind: 'full' | 'changes',
          facts: { readonly isAscending: boolean; readonly hosts: readonly ListedHost[] },
        ): boolean {
          if (commits !== begunAt) return false;
          commits += 1;
          const all = kind === 'full' ? seen : new Map<string, Row | undefined>(rows);
          if (kind === 'full') isAscending = facts.isAscending;
          seen.forEach((row, id) => {
            if (!row) all.delete(id);
            else if (kind === 'changes') {
              if (!rows.has(id)) isAscending = false;
              all.set(id, row);
            }
          });
          seen = new Map();
          const placed: PlacedRow[] = [];
          for (const row of all.values()) {
            const one = put(row!, reading);
            if (one !== row) all.set(one.id, one);
            placed.push(one);
          }
          rows = all as ReadonlyMap<string, PlacedRow>;
          order = placed;
          names = reading.commit(order, facts.hosts);
          places.keep(order);
          return true;
        },
      };
    },
  };
}
