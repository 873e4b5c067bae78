import type { Changes } from '../platform/changes.ts';
import { isSame, type Plain } from '../platform/plain-server.ts';
import type { Rejection } from '../platform/server.ts';

/** The list as it is known: a whole one, and what has changed since. */
export interface KnownList {
  readonly listed: readonly Plain[];
  /** Of the page of each, in the latest whole list. */
  readonly offsets: readonly number[];
  /** Records of the latest whole list that were not counted. */
  readonly rejected: ReadonlyMap<Rejection, number>;
  /** The latest change that was seen, in seconds of the clock by which the platform stamps changes. */
  readonly latestChange: number;
}

/** A change may wait behind a lock for seconds after its own time, and clocks differ. */
export const overlapSeconds = 90;

/**
 * From which second on changes have to be asked for. Changes are stamped by the clock of the database and deletions by
 * that of the service, whose time `answeredAt` is: the start is before both of them.
 */
export function startOfChanges({ latestChange }: KnownList, answeredAt: number): number {
  return Math.min(latestChange, answeredAt) - overlapSeconds;
}

/** The latest of the times, but none from the future: one such row would hide all that changes until then. */
export function latestOf(times: Iterable<number>, answeredAt: number, before = 0): number {
  let latest = before;
  for (const time of times) if (time > latest && time <= answeredAt) latest = time;
  return latest;
}

export function applyChanges(known: KnownList, changes: Changes, answeredAt: number): KnownList {
  const { rows } = changes;
  const fresh = new Map(rows);
  const listed: Plain[] = [];
  const offsets: number[] = [];
  for (const [index, before] of known.listed.entries()) {
    const plain = rows.has(before.id) ? rows.get(before.id) : before;
    fresh.delete(before.id);
    if (!plain) continue;
    listed.push(isSame(before, plain) ? before : plain);
    offsets.push(known.offsets[index]!);
  }
  // The platform lists its newest servers first.
  const created = [...fresh.values()].filter((plain) => plain !== undefined);
  return {
    listed: [...created, ...listed],
    offsets: [...created.map(() => 0), ...offsets],
    rejected: known.rejected,
    latestChange: latestOf(changes.times, answeredAt, known.latestChange),
  };
}

/** Why the known list, with these changes, is not the one that the platform has; undefined if all adds up. */
export function disagreementOf(
  known: KnownList,
  changes: Changes,
  facts: { readonly second: number; readonly counted: number; readonly total: number },
): string | undefined {
  const { second, counted, total } = facts;
  if (counted !== total) return `${counted} servers are known, the platform has ${total}`;
  // Whatever is known to have changed since then has to be told again, as it is now or as deleted.
  const untold = known.listed.filter(({ id, changedAt }) => changedAt >= second && !changes.rows.has(id));
  return untold.length === 0 ? undefined : `${untold.length} changes that are known are not told any more`;
}

/** Records that count against the platform's total. */
export function countOf({ listed, rejected }: Pick<KnownList, 'listed' | 'rejected'>): number {
  return [...rejected.values()].reduce((sum, count) => sum + count, listed.length);
}
