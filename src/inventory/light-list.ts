import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { listServers, type ListFacts } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import { plainFields } from '../platform/plain-server.ts';
import { canBeAskedFor, readById } from '../platform/read-by-id.ts';
import { usuallyAtOnce, type Rejected } from '../platform/register.ts';
import { createRoll } from '../platform/roll.ts';
import type { ReadServer } from '../platform/server.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { createAttendance, type AttendanceCall } from './attendance.ts';
import type { CountingSettings } from './counting.ts';
import { createDetailReader, onChangedHosts, recordsOf, type Detail, type DetailReader } from './detail.ts';
import {
  addRows,
  detailsOf,
  knownDetails,
  plainsOf,
  takeFound,
  type Details,
  type RowCounts,
} from './details.ts';
import { planDetails } from './detail-plan.ts';
import { mostKinds } from './detailed-list.ts';
import { createOrder } from './in-order.ts';
import type { Collected, ListTask } from './list-task.ts';
import type { ListPlain, PlainList } from './plain-list.ts';
import type { SnapshotSink } from './snapshot.ts';

/** What is known by id; it changes only when a collection has succeeded. */
interface Known {
  readonly reader: DetailReader;
  readonly keepsServers: boolean;
  readonly startedAt: number;
  /** In the order of the latest list. */
  readonly details: readonly Detail[];
  readonly isOfDetailedList: boolean;
}

/**
 * Lists without details, and details for what is new, changed, due or the only news of its host. Whatever does not add
 * up, or is too much, is followed by a detailed list in the same collection.
 */
export function createLightLists(input: {
  readServer: ReadServer;
  settings: CountingSettings;
  share: (text: string) => string;
  listPlain: ListPlain;
  maxAgeMs: number;
  clock: Clock;
  log: Log;
}): (task: ListTask) => Promise<Collected> {
  const { clock, maxAgeMs, listPlain } = input;
  const attendance = createAttendance();
  let known: Known | undefined;
  let layout: Layout | undefined;
  /** What the platform does not heed, if so: then every list is detailed. */
  let unheeded: string | undefined;

  function giveUp(word: string): void {
    unheeded = word;
    input.log.warn(
      { unheeded: word },
      `this platform does not heed ${word}: lists are detailed, as without details_max_age`,
    );
  }

  return async (task) => {
    const startedAt = Math.floor(clock.monotonic());
    const now = clock.now();
    const reading = { at: startedAt, now };
    const { keepsServers } = task;
    const isOfUse = known?.keepsServers === keepsServers && known.reader.size() <= mostKinds;
    if (unheeded !== undefined) return listInDetail('');
    if (!known || !isOfUse) return listInDetail('in detail, to begin with');
    const light = await listLight(known);
    return typeof light === 'string' ? listInDetail(light) : light;

    /** A text says why it has to be a detailed list. */
    async function listLight(before: Known): Promise<Collected | string> {
      const plains = before.isOfDetailedList ? plainsOf(before.details) : undefined;
      const plainList = await listPlain(task, (id) => plains?.get(id));
      if (typeof plainList === 'string') {
        giveUp(plainList);
        return `in detail: the platform does not heed ${plainList}`;
      }
      const { listed } = plainList;
      await yieldToEventLoop();
      const details = detailsOf(listed, before.details);
      await yieldToEventLoop();
      const intervalMs = startedAt - before.startedAt;
      const hostsUp = await task.hostsUp?.();
      const plan = planDetails({
        listed,
        known: details,
        startedAt,
        now,
        intervalMs,
        maxAgeMs,
        hostsUp,
      });
      if (!plan) return 'in detail: too many servers are new, changed or due';
      const { changed, due, forHosts } = plan;
      const words = `${changed.length} new or changed, ${due.length} due, ${forHosts.length} for their hosts`;
      task.onReading(`of some servers in detail: ${words}`);
      const fresh = new Map<string, Detail | Rejected>();
      let requests = 0;
      const readMore = async (rows: readonly number[]) => {
        const ids = rows.map((row) => listed[row]!.id);
        const knownRecords = recordsOf(
          rows.map((row) => details[row]),
          now,
        );
        const read = await readDetails(before.reader, ids, knownRecords);
        if (!read) return false;
        takeFound(fresh, read.found, listed, rows);
        requests += read.requests;
        return true;
      };
      const rows = [...changed, ...due, ...forHosts];
      if (!rows.every((row) => canBeAskedFor(listed[row]!.id)))
        return 'in detail: there are ids that cannot be asked for';
      let onHosts: readonly number[] = [];
      const isHeeded =
        (await readMore(rows)) && (await readMore((onHosts = onChangedHosts(listed, details, fresh))));
      if (!isHeeded) {
        giveUp('filter=id.in');
        return 'in detail: the platform does not heed filter=id.in';
      }
      const found: (Detail | Rejected | undefined)[] = details;
      // One that was asked for and is not there any more is gone.
      for (const row of rows) found[row] = fresh.get(listed[row]!.id);
      for (const row of onHosts) found[row] = fresh.get(listed[row]!.id) ?? found[row];
      return putTogether(before, plainList, { found, fresh, requests });
    }

    function readDetails(
      reader: DetailReader,
      ids: readonly string[],
      knownRecords: ReturnType<typeof recordsOf>,
    ) {
      const read = (record: unknown) => reader.read(record, reading);
      const { concurrency } = task.plan;
      return readById({ ...task, ids, fields: detailFields(), read, known: knownRecords, concurrency });
    }

    function detailFields(): readonly string[] {
      return task.fields.length === 0 ? [] : [...new Set([...task.fields, ...plainFields])];
    }

    /** Each listed server with its newest details, if there are any. */
    async function putTogether(
      before: Known,
      { listed, offsets, facts, wholeAt, keep }: PlainList,
      read: { found: readonly (Detail | Rejected | undefined)[]; fresh: Details; requests: number },
    ): Promise<Collected> {
      const sink = createDetailSink(task.createSnapshotSink(), attendance.begin());
      const { mostAtOnce = usuallyAtOnce } = sink.snapshotSink;
      const counts: RowCounts = { received: 0, oldestDetail: startedAt, uncounted: [] };
      for (let row = 0; row < listed.length; row += mostAtOnce) {
        await yieldToEventLoop();
        const end = Math.min(listed.length, row + mostAtOnce);
        addRows(sink, { offsets, found: read.found, fresh: read.fresh }, counts, row, end);
      }
      const rejected = new Map(facts.rejected);
      let gone = 0;
      for (const row of counts.uncounted) {
        const found = read.found[row] as Rejected | undefined;
        if (found) rejected.set(found.rejection, rejected.get(found.rejection)! + 1);
        else gone += 1;
      }
      const { received, oldestDetail } = counts;
      const reported = facts.reported === undefined ? undefined : facts.reported - gone;
      return {
        sink: sink.snapshotSink,
        facts: { rejected, reported, received, pages: facts.pages + read.requests },
        oldestDetail,
        wholeAt: wholeAt ?? startedAt,
        keep() {
          keep();
          sink.keep();
          const details = knownDetails(read.found, read.fresh, reading);
          known = { ...before, startedAt, details, isOfDetailedList: false };
        },
      };
    }

    async function listInDetail(why: string): Promise<Collected> {
      const reader = known && isOfUse ? known.reader : createDetailReader({ ...input, keepsServers });
      const { sink, ...facts } = await listServers({
        ...task,
        layout,
        fields: detailFields(),
        read: (record) => reader.read(record, reading),
        // None is known, but each gets its digest.
        known: recordsOf([], now),
        createSink() {
          task.onReading(why);
          const details = createOrder<Detail>();
          const detailSink = createDetailSink(task.createSnapshotSink(), attendance.begin());
          const add = (detail: Detail, offset: number) => {
            details.add(detail, offset);
            detailSink.add(detail, offset);
          };
          const { mostAtOnce } = detailSink.snapshotSink;
          return { add, mostAtOnce, details, detailSink, rollCall: createRoll<Detail | Rejected>().begin() };
        },
      });
      return {
        sink: sink.detailSink.snapshotSink,
        facts: facts satisfies ListFacts,
        oldestDetail: startedAt,
        wholeAt: startedAt,
        keep() {
          layout = facts.layout;
          sink.detailSink.keep();
          known = {
            reader,
            keepsServers,
            startedAt,
            details: sink.details.finish().items,
            isOfDetailedList: true,
          };
        },
      };
    }
  };
}

/** Tells who is new from who stays. */
function createDetailSink(snapshotSink: SnapshotSink, call: AttendanceCall) {
  return {
    snapshotSink,
    add(detail: Detail, offset: number): void {
      if (call.isNew(detail)) snapshotSink.add(detail, offset);
      else snapshotSink.stay(detail.note, offset);
    },
    keep: () => snapshotSink.keep(call.keep()),
  };
}
