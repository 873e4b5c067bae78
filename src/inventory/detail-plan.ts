import { isUnchanged, type Plain } from '../platform/plain-server.ts';
import { isValid, type Validity } from './validity.ts';

/** What is known of a server, and when it was read. */
export interface KnownDetail {
  readonly plain: Plain;
  readonly reading: { readonly at: number };
  readonly isHostDown?: boolean;
  readonly validity: Validity;
}

/** Rows of the list that are read in detail this time, by the reason for it. */
export interface DetailPlan {
  readonly changed: readonly number[];
  readonly due: readonly number[];
  readonly forHosts: readonly number[];
}

/**
 * Decides which servers of a list without details are read in detail: new and changed ones, so many of the oldest that
 * each is read again before its details are too old while every scrape costs the same, and one server of each host
 * that would not be heard of otherwise, or of which the list of hosts says otherwise than it. Undefined if that is too
 * much: then the whole list had better be detailed.
 */
export function planDetails(input: {
  readonly listed: readonly Plain[];
  /** What is known of each of them, in the same order. */
  readonly known: readonly (KnownDetail | undefined)[];
  /** On the monotonic clock, and on the wall. */
  readonly startedAt: number;
  readonly now: number;
  /** From one list to the next. */
  readonly intervalMs: number;
  readonly maxAgeMs: number;
  /** Which hosts are up, by their id, as the list of hosts has it. */
  readonly hostsUp?: ReadonlyMap<string, boolean> | undefined;
}): DetailPlan | undefined {
  const { listed, known, startedAt, intervalMs, maxAgeMs, hostsUp } = input;
  const changed: number[] = [];
  /** How many were read at a time. */
  const readAt = new Map<number, number>();
  const oldestOfHost = new Map<string, number>();
  for (let row = 0; row < listed.length; row += 1) {
    const [plain, detail] = [listed[row]!, known[row]];
    if (!detail || !isUnchanged(detail.plain, plain) || !isValid(detail.validity, input.now)) {
      changed.push(row);
      continue;
    }
    const { at } = detail.reading;
    readAt.set(at, (readAt.get(at) ?? 0) + 1);
    if (isAsListed(plain, detail, hostsUp)) continue;
    const oldest = oldestOfHost.get(plain.hostId);
    if (oldest === undefined || at < known[oldest]!.reading.at) oldestOfHost.set(plain.hostId, row);
  }
  const due = takeDue();
  const heard = new Set([...changed, ...due].map(hostOf).concat(''));
  const forHosts = [...oldestOfHost.values()].filter((row) => !heard.has(hostOf(row)));
  if (changed.length + due.length + forHosts.length > listed.length / 2) return undefined;
  return { changed, due, forHosts };

  function hostOf(row: number): string {
    return listed[row]!.hostId;
  }

  function takeDue(): number[] {
    const roundMs = maxAgeMs - intervalMs;
    if (roundMs <= 0) return [...listed.keys()];
    let share = Math.ceil((listed.length * intervalMs) / roundMs);
    /** How many of those that were read at a time are due, from the oldest on. */
    const dueOf = new Map<number, number>();
    let youngest = -Infinity;
    for (const [at, servers] of [...readAt].toSorted(([a], [b]) => a - b)) {
      const wouldBeTooOld = startedAt - at + intervalMs > maxAgeMs;
      if (!wouldBeTooOld && share <= 0) break;
      youngest = at;
      dueOf.set(at, wouldBeTooOld ? servers : Math.min(servers, share));
      share -= servers;
    }
    return takeRows(known, { dueOf, youngest, others: new Set(changed) });
  }
}

// By themselves: what the engine compiles for a function within another one is lost with it, list by list.

function isAsListed(
  { hostId }: Plain,
  { isHostDown }: KnownDetail,
  hostsUp: ReadonlyMap<string, boolean> | undefined,
): boolean {
  const isUp = hostsUp?.get(hostId);
  return isUp !== undefined && isHostDown === !isUp;
}

/** So many of each age, the first of them. */
function takeRows(
  known: readonly (KnownDetail | undefined)[],
  { dueOf, youngest, others }: { dueOf: Map<number, number>; youngest: number; others: ReadonlySet<number> },
): number[] {
  const taken: number[] = [];
  for (let row = 0; row < known.length; row += 1) {
    const at = known[row]?.reading.at ?? Infinity;
    const left = at > youngest ? 0 : (dueOf.get(at) ?? 0);
    if (left === 0 || others.has(row)) continue;
    dueOf.set(at, left - 1);
    taken.push(row);
  }
  return taken;
}
