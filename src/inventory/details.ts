import { isSame, type Plain } from '../platform/plain-server.ts';
import type { ListSink, Rejected } from '../platform/register.ts';
import { isDetail, type Detail, type DetailReading } from './detail.ts';

/** What was read in detail, by id. */
export type Details = ReadonlyMap<string, Detail | Rejected>;

/** Whatever is known of a server, with what the list told of it. */
interface KnownServer {
  readonly id: string;
  plain: Plain;
}

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

/** So far apart may a server be in two lists, counted in those between, and still be found at once. */
const farthest = 32;
/** Where more than these and than every other one are not found so, the rest is not looked for in this way. */
const mostMissing = 1000;

// By themselves: what the engine compiles for a function within another one is lost with it, list by list.

/** What is known of each listed server. Both lists are in much the same order: a table by id would be slow and large. */
export function detailsOf<Known extends KnownServer>(
  listed: readonly Plain[],
  details: readonly Known[],
): (Known | undefined)[] {
  const found: (Known | undefined)[] = [];
  found.length = listed.length;
  const missing: number[] = [];
  const passed: Known[] = [];
  let next = 0;
  for (let row = 0; row < listed.length; row += 1) {
    const plain = listed[row]!;
    const isInOrder = missing.length < mostMissing || 2 * missing.length < row;
    const at = isInOrder ? placeOf(plain.id, details, next) : undefined;
    if (at === undefined) {
      missing.push(row);
      continue;
    }
    while (next < at) passed.push(details[next++]!);
    next += 1;
    found[row] = onePlain(details[at]!, plain);
  }
  if (missing.length === 0) return found;
  const others = new Map<string, Known>();
  for (const detail of passed) others.set(detail.id, detail);
  for (; next < details.length; next += 1) others.set(details[next]!.id, details[next]!);
  for (const row of missing) {
    const detail = others.get(listed[row]!.id);
    if (detail) found[row] = onePlain(detail, listed[row]!);
  }
  return found;
}

function placeOf(id: string, details: readonly KnownServer[], next: number): number | undefined {
  const end = Math.min(details.length, next + farthest);
  for (let at = next; at < end; at += 1) if (details[at]!.id === id) return at;
  return undefined;
}

/** Of all that is listed, sooner or later a second copy would be kept. */
function onePlain<Known extends KnownServer>(detail: Known, plain: Plain): Known {
  if (detail.plain !== plain && isSame(detail.plain, plain)) detail.plain = plain;
  return detail;
}

/** For the list after a detailed one, in which every server has to be read for the first time without details. */
export function plainsOf(details: readonly KnownServer[]): ReadonlyMap<string, Plain> {
  const plains = new Map<string, Plain>();
  for (const { id, plain } of details) plains.set(id, plain);
  return plains;
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
    if (detail) fresh.set(plain.id, isDetail(detail) ? onePlain(detail, plain) : detail);
  }
}

/** What is known from now on, in the order of the list. */
export function knownDetails(
  found: Rows['found'],
  fresh: Details,
  reading: DetailReading,
): readonly Detail[] {
  // One that is as it was is the same object.
  for (const detail of fresh.values()) if (isDetail(detail)) detail.reading = reading;
  return found.every(isDetail) ? found : found.filter(isDetail);
}
