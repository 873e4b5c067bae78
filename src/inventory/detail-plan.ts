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
  const { listed, known, startedAt, intervalMs, maxAgeMs } = input;
  const changed: number[] = [];
  const byAge = new Map<number, number[]>();
  const oldestOfHost = new Map<string, number>();
  for (let row = 0; row < listed.length; row += 1) {
    const [plain, detail] = [listed[row]!, known[row]];
    if (!detail || !isUnchanged(detail.plain, plain) || !isValid(detail.validity, input.now)) {
      changed.push(row);
      continue;
    }
    const { at } = detail.reading;
    const sameAge = byAge.get(at);
    if (sameAge) sameAge.push(row);
    else byAge.set(at, [row]);
    if (isAsListed(plain, detail)) continue;
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

  function isAsListed({ hostId }: Plain, { isHostDown }: KnownDetail): boolean {
    const isUp = input.hostsUp?.get(hostId);
    return isUp !== undefined && isHostDown === !isUp;
  }

  function takeDue(): number[] {
    const roundMs = maxAgeMs - intervalMs;
    if (roundMs <= 0) return [...listed.keys()];
    const share = Math.ceil((listed.length * intervalMs) / roundMs);
    const oldestFirst = [...byAge].toSorted(([a], [b]) => a - b);
    const taken: number[] = [];
    for (const [at, rows] of oldestFirst) {
      const wouldBeTooOld = startedAt - at + intervalMs > maxAgeMs;
      if (!wouldBeTooOld && taken.length >= share) break;
      // One by one: a list of all of them as arguments would be too many for a call.
      for (const row of wouldBeTooOld ? rows : rows.slice(0, share - taken.length)) taken.push(row);
    }
    return taken;
  }
}
