import { openKnownPage, type KnownPages } from '../platform/known-page.ts';
import { createPlainReader, type Plain } from '../platform/plain-server.ts';
import type { Rejected } from '../platform/register.ts';
import type { ReadServer, Rejection, Server } from '../platform/server.ts';
import type { Attending } from './attendance.ts';
import { countRemembered, createCounting, type CountingSettings } from './counting.ts';
import { isValid } from './validity.ts';

/** What was read of a server in detail, and the plain part of the same record, by which a change is noticed. */
export interface Detail extends Attending {
  /** That of the list, once it is known to be the same: one is enough. */
  plain: Plain;
  /** What it says of its host; equal for all servers of a host that were read since the host changed. */
  readonly hostFacts: string;
  /** One object for all that were read at a time. */
  reading: DetailReading;
  /** Of its record; '' where that is not known. */
  digest: string;
}

/** When details were read: on the monotonic clock, and on the wall. */
export interface DetailReading {
  readonly at: number;
  readonly now: number;
}

export interface DetailReader {
  read(record: unknown, reading: DetailReading): Detail | Rejection;
  size(): number;
}

export function createDetailReader(input: {
  readServer: ReadServer;
  settings: CountingSettings;
  share: (text: string) => string;
  keepsServers: boolean;
}): DetailReader {
  const counting = createCounting(input.settings, input);
  const readPlain = createPlainReader(input.share);
  return {
    size: () => countRemembered(counting),
    read(record, reading) {
      const server = input.readServer(record);
      if (typeof server === 'string') return server;
      const plain = readPlain(record);
      if (typeof plain === 'string') return plain;
      const counted = counting.count(server, reading.now);
      // Field by field: what is made by spreading takes more memory, and this is kept of every server.
      return {
        id: plain.id,
        mark: 0,
        telling: counted.telling,
        kind: counted.kind,
        host: counted.host,
        sizes: counted.sizes,
        isHostDown: counted.isHostDown,
        note: counted.note,
        validity: counted.validity,
        countedIn: 0,
        plain,
        hostFacts: input.share(hostFactsOf(server)),
        reading,
        digest: '',
      };
    },
  };
}

/** For reading the same servers again: a record that is as it was gives the detail that was made of it. */
export function recordsOf(details: Iterable<Detail | undefined>, now: number): KnownPages<Detail | Rejected> {
  const byDigest = new Map<string, Detail>();
  for (const detail of details)
    if (detail && isValid(detail.validity, now)) byDigest.set(detail.digest, detail);
  const known = {
    find(digest: string) {
      const item = byDigest.get(digest);
      return item && { item, member: digest };
    },
    learn(digest: string, item: Detail | Rejected) {
      if (isDetail(item)) item.digest = digest;
    },
  };
  return { openPage: (body) => openKnownPage<Detail | Rejected>(body, known) };
}

function hostFactsOf({ host, zone, region, hostStatus, hostServiceStatus }: Server): string {
  return [host, zone, region, hostStatus, hostServiceStatus].join('\n');
}

/** Rows of servers whose host was heard of anew and is not what they say of it: a silent host is in no server's version. */
export function onChangedHosts(
  listed: readonly Plain[],
  known: readonly (Detail | undefined)[],
  fresh: ReadonlyMap<string, object>,
): number[] {
  const newest = new Map<string, string>();
  // Those that are as they were too: in a detailed list, servers may have told of their host before and after it fell silent.
  for (const detail of fresh.values())
    if (isDetail(detail)) newest.set(detail.plain.hostId, detail.hostFacts);
  newest.delete('');
  const rows: number[] = [];
  if (newest.size === 0) return rows;
  for (let row = 0; row < listed.length; row += 1) {
    const { id, hostId } = listed[row]!;
    const facts = newest.get(hostId);
    if (facts !== undefined && known[row]?.hostFacts !== facts && !fresh.has(id)) rows.push(row);
  }
  return rows;
}

export function isDetail(found: object | undefined): found is Detail {
  return found !== undefined && 'hostFacts' in found;
}
