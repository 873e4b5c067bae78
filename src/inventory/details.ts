import { isSame, type Plain } from '../platform/plain-server.ts';
import type { ListSink, Rejected } from '../platform/register.ts';
import { isDetail, type Detail, type DetailReading } from './detail.ts';

/** What was read in detail, by id. */
export type Details = ReadonlyMap<string, Detail | Rejected>;

/** The rows of a list, with what is known of each. */
interface Rows {
  readonly offsets: readonly number[];
  readonly found: readonly (Detail | Rejected | undefined)[];
  readonly fresh: Details;
}

export interface RowCounts {
  received: number;
  oldestDetail: number;
  /** Rows of which there are no details. */
  readonly uncounted: number[];
}

// By themselves: what the engine compiles for a function within another one is lost with it, list by list.

export function detailsOf(
  listed: readonly Plain[],
  details: ReadonlyMap<string, Detail>,
): (Detail | undefined)[] {
  const found: (Detail | undefined)[] = [];
  found.length = listed.length;
  for (let row = 0; row < listed.length; row += 1) found[row] = details.get(listed[row]!.id);
  return found;
}

export function addRows(
  sink: ListSink<Detail>,
  { offsets, found, fresh }: Rows,
  counts: RowCounts,
  start: number,
  end: number,
): void {
  for (let row = start; row < end; row += 1) {
    const detail = found[row];
    if (!isDetail(detail)) {
      counts.uncounted.push(row);
      continue;
    }
    counts.received += 1;
    const { at } = detail.reading;
    // Of what was found as it was, the reading is noted when all has gone well.
    if (at < counts.oldestDetail && !fresh.has(detail.id)) counts.oldestDetail = at;
    sink.add(detail, offsets[row]!);
  }
}

/** Adds what was read of these rows. */
export function takeFound(
  fresh: Map<string, Detail | Rejected>,
  found: Details,
  listed: readonly Plain[],
  rows: readonly number[],
): void {
  for (const row of rows) {
    const plain = listed[row]!;
    const detail = found.get(plain.id);
    if (!detail) continue;
    fresh.set(plain.id, detail);
    // Of all that is read in detail, sooner or later a second copy would be kept.
    if (isDetail(detail) && isSame(detail.plain, plain)) detail.plain = plain;
  }
}

/** In place: a new map of a large fleet at each scrape would be most of the garbage. */
export function updateDetails(
  details: Map<string, Detail>,
  learned: {
    fresh: Details;
    reading: DetailReading;
    uncounted: readonly string[];
    listed: readonly { readonly id: string }[];
    received: number;
  },
): void {
  for (const [id, detail] of learned.fresh) {
    if (!isDetail(detail)) continue;
    // One that is as it was is the same object.
    detail.reading = learned.reading;
    details.set(id, detail);
  }
  for (const id of learned.uncounted) details.delete(id);
  if (details.size === learned.received) return;
  const present = new Set(learned.listed.map(({ id }) => id));
  for (const id of details.keys()) if (!present.has(id)) details.delete(id);
}
