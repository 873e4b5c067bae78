import { isUnchanged, type Plain } from '../platform/plain-server.ts';
import { isValid, type Validity } from './validity.ts';

/** What is known of a server, and when it was read. */
export interface KnownDetail {
  readonly plain: Plain;
  readonly reading: { readonly at: number };
  readonly isHostDown?: boolean;
  readonly validity: Validity;
}

export interface DetailPlan {
  /** The servers that are read in detail this time, by the reason for it. */
  readonly changed: readonly string[];
  readonly due: readonly string[];
  readonly forHosts: readonly string[];
}

/**
 * Decides which servers of a list without details are read in detail: new and changed ones, so many of the oldest that
 * each is read again before its details are too old while every scrape costs the same, and one server of each host
 * that would not be heard of otherwise, or of which the list of hosts says otherwise than it. Undefined if that is too much: then the whole list had better be detailed.
 */
export function planDetails(input: {
  readonly listed: readonly Plain[];
  readonly known: ReadonlyMap<string, KnownDetail>;
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
  const changed: Plain[] = [];
  const byReading = new Map<KnownDetail['reading'], Plain[]>();
  const oldestOfHost = new Map<string, { plain: Plain; at: number }>();
  for (const plain of listed) {
    const detail = known.get(plain.id);
    if (!detail || !isUnchanged(detail.plain, plain) || !isValid(detail.validity, input.now)) {
      changed.push(plain);
      continue;
    }
    const { reading } = detail;
    const sameReading = byReading.get(reading);
    if (sameReading) sameReading.push(plain);
    else byReading.set(reading, [plain]);
    const oldest = oldestOfHost.get(plain.hostId);
    if (!oldest || reading.at < oldest.at) oldestOfHost.set(plain.hostId, { plain, at: reading.at });
  }
  const due = takeDue();
  const heard = new Set([...changed, ...due].map(({ hostId }) => hostId).concat(''));
  const forHosts = [...oldestOfHost.values()].filter(
    ({ plain }) => !heard.has(plain.hostId) && !isAsListed(plain),
  );
  if (changed.length + due.length + forHosts.length > listed.length / 2) return undefined;
  return { changed: ids(changed), due: ids(due), forHosts: ids(forHosts.map(({ plain }) => plain)) };

  function isAsListed({ id, hostId }: Plain): boolean {
    const isUp = input.hostsUp?.get(hostId);
    return isUp !== undefined && known.get(id)?.isHostDown === !isUp;
  }

  function takeDue(): Plain[] {
    const roundMs = maxAgeMs - intervalMs;
    if (roundMs <= 0) return [...listed];
    const share = Math.ceil((listed.length * intervalMs) / roundMs);
    const oldestFirst = [...byReading].toSorted(([a], [b]) => a.at - b.at);
    const taken: Plain[] = [];
    for (const [{ at }, plains] of oldestFirst) {
      const wouldBeTooOld = startedAt - at + intervalMs > maxAgeMs;
      if (!wouldBeTooOld && taken.length >= share) break;
      taken.push(...(wouldBeTooOld ? plains : plains.slice(0, share - taken.length)));
    }
    return taken;
  }
}

function ids(plains: readonly Plain[]): string[] {
  return plains.map(({ id }) => id);
}
