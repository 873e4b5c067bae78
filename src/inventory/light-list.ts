import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { canBeAskedFor } from '../platform/id-ranges.ts';
import { isAsListed, listedFields, readListed, type Listed } from '../platform/listed.ts';
import type { Print } from '../platform/records.ts';
import type { ReadServer } from '../platform/server.ts';
import { listFailure } from '../transport/failure.ts';
import { lacksOfAnswer } from './complete.ts';
import { isUsable, listInDetail, readFresh, rejectedAs } from './detailed-list.ts';
import { factsOf, listServers, type Fed, type Feed, type FeedTask } from './feed.ts';
import { readById } from './read-by-id.ts';
import type { Fresh, Rejected, Row } from './row.ts';

/** A server of a list without details that is new, or not as its row. */
export interface Changed {
  readonly id: string;
  readonly listed: Listed;
  readonly print: Print | undefined;
}

/** Who is there, without details: all, or what has changed since the last list. */
export interface PlainList extends Omit<Fed, 'entries'> {
  /** Rows are as they were. */
  readonly items: readonly (Row | Changed)[];
  /** `Date` of the first answer, in milliseconds of Unix time. */
  readonly answeredAt: number | undefined;
}

/** A text says what the platform ignores, if it has no such list. */
export type ListPlain = (task: FeedTask) => Promise<PlainList | string>;

const dayMs = 86_400_000;
/** Of the servers: more than this in detail, and the full list had better be detailed. */
const maxShareInDetail = 1 / 2;
const maxShareForHosts = 1 / 3;

/**
 * Lists without details, and details for what is new, changed or due. Whatever the platform does not play along with is
 * followed by a detailed list in the same collection.
 */
export function createLightLists(input: {
  readServer: ReadServer;
  listPlain: ListPlain;
  maxAgeMs: number;
  clock: Clock;
  log: Log;
}): { readonly feed: Feed; forget(): void } {
  const { readServer, maxAgeMs, clock, log } = input;
  let previous: { readonly startedAt: number; readonly fields: string } | undefined;
  /** What the platform does not heed, if so, and until when every list is detailed for that. */
  let ignored: { readonly what: string; readonly until: number } | undefined;
  let isProbed = false;
  let isSaid = false;

  function giveUp(what: string): string {
    ignored = { what, until: clock.monotonic() + dayMs };
    log.warn(
      { ignored: what },
      `platform ignores ${what}; using detailed lists, details_max_age has no effect`,
    );
    return `platform ignores ${what}`;
  }

  return {
    forget() {
      ignored = undefined;
      isProbed = false;
    },
    async feed(asked) {
      const { fields: asDetailed } = asked;
      const task = {
        ...asked,
        fields: asDetailed.length === 0 ? [] : [...new Set([...asDetailed, ...listedFields])],
      };
      const fields = task.fields.join();
      const light = await listLight();
      if (typeof light !== 'string') return light;
      task.onReading(`in detail: ${light}`);
      const detailed = await listInDetail(task, readServer);
      return { ...detailed, committed: () => commit(detailed.isAscending) };

      function commit(isById: boolean): void {
        previous = { startedAt: task.startedAt, fields };
        if (!isById && ignored === undefined && !task.plan.cannotById) giveUp('filter=id.gt');
      }

      /** A text says why it has to be a detailed list. */
      async function listLight(): Promise<Fed | string> {
        const { mirror, plan } = task;
        const { cannotById } = plan;
        if (cannotById !== undefined) {
          if (!isSaid) log.warn({}, `${cannotById}: using detailed lists, details_max_age has no effect`);
          isSaid = true;
          return cannotById;
        }
        if (previous?.fields !== fields || mirror.size === 0) return 'to begin with';
        if (ignored && clock.monotonic() < ignored.until) return `platform ignores ${ignored.what}`;
        ignored = undefined;
        if (!task.areHostsListed && countHosts(mirror.rows()) > mirror.size * maxShareForHosts)
          return 'hosts are not listed, and are too many to ask servers for their state';
        if (!(await isIdHeeded())) return giveUp('filter=id.in');
        const plain = await input.listPlain(task);
        if (typeof plain === 'string') return giveUp(plain);
        const chosen = planDetails(task, plain, task.startedAt - previous.startedAt, maxAgeMs);
        const ids = [...chosen.changed.keys(), ...chosen.due.keys()];
        if (ids.length > mirror.size * maxShareInDetail) return 'too many servers are new, changed or due';
        if (!ids.every(canBeAskedFor)) return 'there are ids that cannot be asked for';
        task.onReading(
          `details of some servers: ${chosen.changed.size} new or changed, ${chosen.due.size} due`,
        );
        const read = await readDetails(ids, chosen);
        if (!read) return giveUp('filter=id.in');
        const fed = putTogether(plain, chosen, read);
        return {
          ...fed,
          committed() {
            plain.committed();
            commit(plain.isAscending);
          },
        };
      }

      /** Once: before a full list is read that would be of no use. */
      async function isIdHeeded(): Promise<boolean> {
        const id = task.mirror.rows()[0]?.id;
        if (isProbed || id === undefined || !canBeAskedFor(id)) return true;
        isProbed = (await readDetails([id], { changed: new Map(), due: new Map() })) !== undefined;
        return isProbed;
      }

      function readDetails(ids: readonly string[], { changed, due }: DetailPlan) {
        const printOf = (id: string) => (changed.get(id) ?? due.get(id))?.print;
        return readById<Fresh | Rejected>(task, ids, {
          take(record) {
            const fresh = readFresh(readServer, record, undefined);
            return 'server' in fresh ? { ...fresh, print: printOf(fresh.id) } : fresh;
          },
          onPage: (items) => task.onIncomplete(lacksOfAnswer(items, task.mirror.get)),
        });
      }
    },
  };
}

/** The plain list of all servers. */
export const listPlainly: ListPlain = async (task) => {
  const { mirror } = task;
  let ignored: string | undefined;
  task.onReading('without details');
  const listing = await listServers<Row | Changed | Rejected>(task, {
    details: false,
    fields: listedFields,
    take,
    expectedAfter: mirror.expectedAfter,
    onAnswer() {
      // Of no use to read on.
      if (ignored !== undefined) throw listFailure('servers', 'rejected', `${ignored} is ignored`);
    },
    onReading: task.onReading,
    onPage: task.onPage,
  }).catch((error: unknown) => {
    if (ignored === undefined) throw error;
    return undefined;
  });
  if (!listing) return ignored!;
  const { answeredAt } = listing;
  return { ...factsOf(listing, task), items: listing.items.filter(isUsable), answeredAt };

  function take(record: unknown, print: Print): Row | Changed | Rejected {
    const listed = readListed(record);
    if (typeof listed === 'string') return rejectedAs(listed, record);
    if (listed.hasDetails) ignored = 'details=false';
    else if (listed.version === undefined) ignored = 'update_version';
    return asKnown(mirror.get(listed.id), listed, print);
  }
};

/** The row, where nothing has changed that the list tells. */
export function asKnown(row: Row | undefined, listed: Listed, print: Print | undefined): Row | Changed {
  if (!row || !isAsListed(row.server, listed)) return { id: listed.id, listed, print };
  if (!print) return row;
  const { id, server, readAt, kept, at } = row;
  return { id, server, print, readAt, kept, at };
}

function putTogether(plain: PlainList, { changed, due }: DetailPlan, read: DetailsRead): Fed {
  const entries: (Row | Fresh)[] = [];
  const rejected = new Map(plain.rejected);
  const gone = [...plain.gone];
  const asked = new Set([...changed.keys(), ...due.keys()]);
  const beside = new Map(plain.kind === 'full' ? [] : due);
  if (beside.size > 0) for (const { id } of plain.items) beside.delete(id);
  for (const item of [...plain.items, ...beside.values()]) {
    const found = asked.has(item.id) ? read.found.get(item.id) : (item as Row);
    if (!found) gone.push(item.id);
    else if ('server' in found) entries.push(found);
    else rejected.set(found.rejection, rejected.get(found.rejection)! + 1);
  }
  const lost = gone.length - plain.gone.length;
  return {
    ...plain,
    entries,
    gone,
    rejected,
    reported: plain.reported === undefined ? undefined : plain.reported - lost,
    pages: plain.pages + read.requests,
  };
}

type DetailsRead = NonNullable<Awaited<ReturnType<typeof readById<Fresh | Rejected>>>>;

/** By id, what is read in detail this time, with the print of its plain record. */
interface DetailPlan {
  readonly changed: ReadonlyMap<string, { readonly print: Print | undefined }>;
  readonly due: ReadonlyMap<string, Row>;
}

/**
 * New and changed servers; those that live on something kept; so many of the oldest that each is read again before its
 * details are too old while every scrape costs the same; and, where hosts are not listed, one server of each host that
 * would not be heard of otherwise.
 */
function planDetails(
  { mirror, areHostsListed, startedAt }: FeedTask,
  plain: PlainList,
  sinceLastMs: number,
  maxAgeMs: number,
): DetailPlan {
  const changed = new Map<string, Changed>();
  const stay: Row[] = [];
  for (const item of plain.items)
    if ('listed' in item) changed.set(item.id, item);
    else if (plain.kind === 'full') stay.push(item);
  if (plain.kind === 'changes') {
    const gone = new Set(plain.gone);
    for (const row of mirror.rows()) if (!changed.has(row.id) && !gone.has(row.id)) stay.push(row);
  }

  const due = new Map<string, Row>();
  for (const row of oldestOf(stay, startedAt, sinceLastMs, maxAgeMs)) due.set(row.id, row);
  for (const row of stay) if (row.kept) due.set(row.id, row);
  if (!areHostsListed) for (const row of oneForEachHost()) due.set(row.id, row);
  return { changed, due };

  function oneForEachHost(): Iterable<Row> {
    const heard = new Set(['', ...[...due.values()].map(({ server }) => server.hostId)]);
    for (const { listed } of changed.values()) heard.add(listed.hostId);
    const oldest = new Map<string, Row>();
    for (const row of stay) {
      const { hostId } = row.server;
      const known = oldest.get(hostId);
      if (!heard.has(hostId) && (!known || row.readAt < known.readAt)) oldest.set(hostId, row);
    }
    return oldest.values();
  }
}

function oldestOf(rows: readonly Row[], startedAt: number, sinceLastMs: number, maxAgeMs: number): Row[] {
  const roundMs = maxAgeMs - sinceLastMs;
  if (roundMs <= 0) return [...rows];
  let share = Math.ceil((rows.length * sinceLastMs) / roundMs);
  const byAge = new Map<number, Row[]>();
  for (const row of rows) {
    const ofAge = byAge.get(row.readAt);
    if (ofAge) ofAge.push(row);
    else byAge.set(row.readAt, [row]);
  }
  let taken: Row[] = [];
  for (const [readAt, ofAge] of [...byAge].toSorted(([a], [b]) => a - b)) {
    const wouldBeTooOld = startedAt - readAt + sinceLastMs > maxAgeMs;
    if (!wouldBeTooOld && share <= 0) break;
    taken = taken.concat(wouldBeTooOld ? ofAge : ofAge.slice(0, share));
    share -= ofAge.length;
  }
  return taken;
}

function countHosts(rows: Iterable<Row>): number {
  const hosts = new Set<string>();
  for (const { server } of rows) hosts.add(server.hostId);
  return hosts.size;
}
