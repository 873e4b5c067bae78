import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { createListMemory } from '../platform/list-memory.ts';
import { isAsListed, listedFields, readListed, type Listed } from '../platform/listed.ts';
import { ordinaryListOf } from '../platform/ordinary-list.ts';
import { isRecord } from '../platform/server.ts';
import type { FailureReason } from '../transport/advice.ts';
import { Failure, listFailure } from '../transport/failure.ts';
import { createTrust, sizeOf, type Drift } from './change-trust.ts';
import { countRejected, listServers, type FeedTask } from './feed.ts';
import { asKnown, listPlainly, type Changed, type ListPlain, type PlainList } from './light-list.ts';
import type { Mirror } from './mirror.ts';
import type { Row } from './row.ts';

type Query = readonly (readonly [string, string])[];

/** A change may wait behind a lock for seconds after its own time, and clocks differ. */
const overlapSeconds = 90;
/** Scrapes do not come to the millisecond: a list is not read sooner for that. */
const toleranceMs = 1000;
/** The platform's largest page; a record without details is small. */
const rowsPerPage = 2048;
const changeFields = [...listedFields, 'deleted', 'deleted_at', 'is_system', 'is_emulated'];
/** Of these the request itself may be the reason, so the full list may be had nevertheless. */
const refusals: ReadonlySet<FailureReason> = new Set([
  'forbidden',
  'rejected',
  'upstream',
  'malformed',
  'oversized',
  'truncated',
]);

/** What the last list that was committed leaves for the next one; times are of the monotonic clock. */
interface Base {
  readonly listedAt: number;
  readonly committedAt: number;
  /** Records of the last full list that were not counted. */
  readonly rejected: PlainList['rejected'];
  /** The latest change that was seen, in seconds of the platform's clock. */
  readonly latestChange: number;
}

/** What the platform told of changes, after which everything adds up. */
interface Changes {
  /** By id; undefined for what the ordinary list does not show any more. */
  readonly rows: ReadonlyMap<string, Row | Changed | undefined>;
  readonly total: number;
  readonly pages: number;
  /** From which second on what changed is told again by the next list. */
  readonly second: number;
  readonly latestChange: number;
}

interface Doubt {
  readonly doubt: string;
  /** True enough, but longer than it is worth. */
  readonly isLong?: boolean;
}

/**
 * Between two full plain lists, only what changed and the total are asked for. Whatever does not add up, on a second look
 * either, is followed by the full list in the same collection.
 */
export function createChangeLists(input: {
  readonly query: Query;
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDrift: (servers: number) => void;
}): ListPlain {
  const { clock, log, maxAgeMs } = input;
  const shows = ordinaryListOf(input.query);
  const trust = createTrust(log);
  const memory = createListMemory(clock);
  let base: Base | undefined;
  let rejectedBefore: PlainList['rejected'] = new Map();

  return async (task) => {
    const { startedAt, mirror } = task;
    if (typeof shows === 'string')
      trust.disable(`${shows} in query chooses servers by what a record does not tell`);
    const objection = trust.objection(startedAt);
    if (objection !== undefined || !base) return readFull(objection ?? 'to begin with');
    const changes = await lookTwice(base);
    if ('doubt' in changes) return readFull(changes.doubt, changes);
    if (task.mustBeFull) return readFull('too many servers are gone', changes);
    const untilNextMs = startedAt - base.committedAt;
    if (startedAt - base.listedAt + untilNextMs > maxAgeMs + toleranceMs)
      return readFull('it is due', changes);
    return asPlainList(changes, base);

    function asPlainList({ rows, total, pages, latestChange }: Changes, known: Base): PlainList {
      task.onPage({ received: mirror.size, reported: total });
      return {
        kind: 'changes',
        items: [...rows.values()].filter((row) => row !== undefined),
        gone: [...rows].flatMap(([id, row]) => (row === undefined ? id : [])),
        isAscending: true,
        reported: total,
        rejected: known.rejected,
        pages,
        listedAt: known.listedAt,
        answeredAt: undefined,
        committed() {
          trust.agreed();
          base = { ...known, latestChange, committedAt: startedAt };
        },
      };
    }

    async function readFull(why: string, looked?: Changes | Doubt): Promise<PlainList | string> {
      const full = await listPlainly({
        ...task,
        onReading: (how) => task.onReading(`${how}: ${why}`),
      });
      if (typeof full === 'string') return full;
      const drift = looked && 'rows' in looked ? driftBetween(mirror, looked, full) : undefined;
      const next = baseOf(full);
      return {
        ...full,
        committed() {
          full.committed();
          base = next;
          rejectedBefore = full.rejected;
          if (drift && sizeOf(drift) > 0) {
            input.onDrift(sizeOf(drift));
            trust.drifted(drift, startedAt);
          } else if (drift) trust.agreed();
          else if (looked && 'doubt' in looked && !looked.isLong) trust.mismatch(why, startedAt);
        },
      };
    }

    /** Nothing to go on from if no change has a time, or if records were rejected that may be well the next time. */
    function baseOf({ items, rejected, answeredAt = 0 }: PlainList): Base | undefined {
      const begunAt = Math.floor((answeredAt - (clock.monotonic() - startedAt)) / 1000);
      const times = items.map((item) =>
        secondOf('listed' in item ? item.listed.updatedAt : item.server.updatedAt),
      );
      const latestChange = latestOf(times, begunAt, 0);
      const isSettled = [...rejected].every(
        ([reason, count]) => count === 0 || count === rejectedBefore.get(reason),
      );
      if (latestChange === 0 || !isSettled) return undefined;
      return { listedAt: startedAt, committedAt: startedAt, rejected, latestChange };
    }

    async function lookTwice(known: Base): Promise<Changes | Doubt> {
      try {
        const first = await lookOnce(known);
        // Things may have changed between the two requests.
        const isFinal = !('doubt' in first) || first.isLong || trust.objection(startedAt) !== undefined;
        return isFinal ? first : await lookOnce(known);
      } catch (error) {
        if (error instanceof Failure && refusals.has(error.reason)) return { doubt: error.message };
        throw error;
      }
    }

    async function lookOnce(known: Base): Promise<Changes | Doubt> {
      const begunAt = clock.monotonic();
      // First the total: who comes in between is one too many then, and never hides one that has gone unseen.
      const { total, answeredAt: date } = await readTotal(task);
      if (total === undefined || date === undefined) {
        const lacking = total === undefined ? 'no total' : 'no Date';
        trust.disable(`the platform's answers have ${lacking}`);
        return { doubt: lacking };
      }
      const answeredAt = Math.floor((date - (clock.monotonic() - begunAt)) / 1000);
      // Changes are stamped by the clock of the database and deletions by that of the service: before both of them.
      const second = Math.min(known.latestChange, answeredAt) - overlapSeconds;
      task.onReading(`changes since ${new Date(second * 1000).toISOString()}`);
      const read = await readChanges(task, second);
      if ('doubt' in read) return read;
      const { rows, times, pages } = read;
      const latestChange = latestOf(times, answeredAt, known.latestChange);
      const doubt = mismatchOf(rows, { second, total, rejected: known.rejected });
      if (doubt !== undefined) return { doubt };
      // Who goes in between would hide another one, known or not: then the total has to be the same once more.
      const hasLosses = [...rows.values()].includes(undefined);
      if (hasLosses && (await readTotal(task)).total !== total)
        return { doubt: 'servers come and go while they are counted' };
      return { rows, total, pages: pages + 1, second, latestChange };
    }

    /** Why what is known, with these changes, is not what the platform has. */
    function mismatchOf(
      rows: Changes['rows'],
      { second, total, rejected }: { second: number; total: number; rejected: PlainList['rejected'] },
    ): string | undefined {
      let counted = [...rejected.values()].reduce((sum, count) => sum + count, mirror.size);
      for (const [id, row] of rows) {
        if (row && !mirror.get(id)) counted += 1;
        if (!row && mirror.get(id)) counted -= 1;
      }
      if (counted !== total) return `${counted} servers are known, the platform has ${total}`;
      // Whatever is known to have changed since then has to be told again, as it is now or as deleted.
      let missing = 0;
      for (const { id, server } of mirror.rows())
        if (secondOf(server.updatedAt) >= second && !rows.has(id)) missing += 1;
      return missing === 0 ? undefined : `${missing} changes that are known are not told any more`;
    }
  };

  /** Asks for what was changed or deleted since that second: two lists by id. */
  async function readChanges(
    task: FeedTask,
    second: number,
  ): Promise<{ rows: Map<string, Row | Changed | undefined>; times: number[]; pages: number } | Doubt> {
    const { mirror } = task;
    const maxRows = Math.max(rowsPerPage, mirror.size / 2);
    const rows = new Map<string, Row | Changed | undefined>();
    const times: number[] = [];
    let [pages, rejected, isOpen, isLong] = [0, 0, false, false];

    function take(record: unknown, column: 'updated_at' | 'deleted_at') {
      const listed = readListed(record);
      if (typeof listed === 'string') return { id: '', rejection: listed };
      const at = secondOf(column === 'updated_at' ? listed.updatedAt : listed.deletedAt);
      isOpen ||= at < second;
      const isShown = typeof shows === 'function' && isRecord(record) && shows(record);
      return { id: listed.id, listed: isShown ? listed : undefined, at: secondOf(listed.updatedAt) };
    }

    async function readSince(column: 'updated_at' | 'deleted_at'): Promise<void> {
      const filters = [`${column}.ge("${new Date(second * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}")`];
      const parameters = task.isOfEverybody() ? ([['delete', 'all']] as const) : [];
      const listing = await listServers<ReturnType<typeof take>>(task, {
        memory,
        ids: [],
        oneRange: true,
        pageSize: Math.max(task.plan.pageSize, rowsPerPage),
        details: false,
        fields: changeFields,
        filters,
        parameters,
        take: (record) => take(record, column),
        onAnswer({ total = 0 }) {
          isLong ||= total > maxRows;
          // Of no use to read on.
          if (isOpen || isLong) throw listFailure('servers', 'rejected', 'the list of changes is of no use');
        },
      });
      pages += listing.pages;
      rejected += [...countRejected(listing.items).values()].reduce((sum, count) => sum + count, 0);
      for (const item of listing.items) {
        if (!('at' in item)) continue;
        times.push(item.at);
        const { id, listed } = item;
        // Deleted in one of the two is deleted.
        if (rows.has(id) && rows.get(id) === undefined) continue;
        rows.set(id, listed && asKnown(mirror.get(id), listed, undefined));
      }
    }

    try {
      await readSince('updated_at');
      if (task.isOfEverybody()) await readSince('deleted_at');
    } catch (error) {
      if (isOpen) {
        trust.disable('platform ignores filter=updated_at.ge(…)');
        return { doubt: 'older changes than were asked for came' };
      }
      if (isLong) return { doubt: 'there are too many changes', isLong };
      throw error;
    }
    if (rejected > 0) return { doubt: 'a record among the changes cannot be counted' };
    return { rows, times, pages };
  }
}

/** How many servers the ordinary list has, and the platform's clock. */
async function readTotal({ api, deadline, signal }: FeedTask) {
  const ask = { limit: 1, expectAfter: undefined };
  const { items, total, answeredAt } = await api.listPage(
    { resource: 'servers', ask, details: false, fields: ['id'] },
    { deadline, signal },
    () => ({ take: () => undefined }),
  );
  return { total: total ?? (items.length === 0 ? 0 : undefined), answeredAt };
}

/** What lists of changes had missed. What changed after the last one began is not judged: the next one would tell it. */
function driftBetween(mirror: Mirror, { rows, second }: Changes, full: PlainList): Drift {
  const altered: string[] = [];
  const unknown: string[] = [];
  const seen = new Set<string>();
  for (const item of full.items) {
    const { id } = item;
    seen.add(id);
    const listed: Omit<Listed, 'hasDetails' | 'deletedAt'> = 'listed' in item ? item.listed : item.server;
    const told = rows.has(id) ? rows.get(id) : mirror.get(id);
    const before = told && ('listed' in told ? told.listed : told.server);
    if (secondOf(listed.updatedAt) >= second || (before && isAsListed(before, listed))) continue;
    (before ? altered : unknown).push(id);
  }
  const gone: string[] = [];
  for (const { id } of mirror.rows())
    if (!seen.has(id) && (!rows.has(id) || rows.get(id) !== undefined)) gone.push(id);
  // The total agreed: who is gone unseen is so beside somebody who came unseen. Others have gone just now.
  return { altered, unknown, gone: gone.slice(0, unknown.length) };
}

/** Of Unix time; 0 if there is none. */
function secondOf(moment = 0): number {
  return Math.floor(moment / 1000);
}

/** None from the future: one such row would hide all that changes until then. */
function latestOf(times: Iterable<number>, answeredAt: number, before: number): number {
  let latest = before;
  for (const time of times) if (time > latest && time <= answeredAt) latest = time;
  return latest;
}
