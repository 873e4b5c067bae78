import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Marked, RollCall, Seat } from './roll.ts';
import { rejections, type Rejection } from './server.ts';

/** A record that is not counted; with its id, if it has one, by which it is known again. */
export interface Rejected extends Marked {
  readonly rejection: Rejection;
  readonly telling?: undefined;
}

export function isRejected(record: Marked | Rejected | Seat): record is Rejected {
  return typeof record === 'object' && (record as Partial<Rejected>).rejection !== undefined;
}

/** Takes what was made of the records of one reading of the list, each once; `offset` is that of their page. */
export interface ListSink<Item> {
  add(item: Item, offset: number): void;
  /** For one that takes long: so many are taken within some milliseconds; then others have their turn. */
  readonly mostAtOnce?: number | undefined;
}

export interface Register<Item> {
  /** Counts the records of a page that was read to its end; says whether one of them was new. */
  addPage(records: readonly (Item | Rejected)[], offset: number): Promise<boolean>;
  /** Servers that were counted. */
  received(): number;
  /** Records that count against the platform's total, the rejected ones too. */
  arrived(): number;
  readonly rejected: ReadonlyMap<Rejection, number>;
}

interface Entries<Item> {
  readonly rollCall: RollCall<Item | Rejected>;
  readonly sink: ListSink<Item>;
  /** Rows of the list whose record has no id; pages share rows. */
  readonly namelessRows: Set<number>;
  readonly rejected: Map<Rejection, number>;
  received: number;
}

/** So many are taken within some milliseconds where each is only added up. */
export const usuallyAtOnce = 2500;

/** Who has arrived: each server once, however often the platform shows it. */
export function createRegister<Item extends Marked | Seat>(
  rollCall: RollCall<Item | Rejected>,
  sink: ListSink<Item>,
  pause: () => Promise<void> = yieldToEventLoop,
): Register<Item> {
  const rejected = new Map<Rejection, number>(rejections.map((reason) => [reason, 0]));
  const entries: Entries<Item> = { rollCall, sink, namelessRows: new Set(), rejected, received: 0 };

  return {
    async addPage(records, offset) {
      const { mostAtOnce = usuallyAtOnce } = sink;
      let isNew = false;
      for (let start = 0; start < records.length; start += mostAtOnce) {
        if (start > 0) await pause();
        const end = Math.min(records.length, start + mostAtOnce);
        if (addRecords(entries, records, start, end, offset)) isNew = true;
      }
      return isNew;
    },
    received: () => entries.received,
    arrived: () => rollCall.size + entries.namelessRows.size,
    rejected,
  };
}

/** By itself: what the engine compiles for a function within another one is lost with it, list by list. */
function addRecords<Item extends Marked | Seat>(
  entries: Entries<Item>,
  records: readonly (Item | Rejected)[],
  start: number,
  end: number,
  offset: number,
): boolean {
  const { rollCall, sink } = entries;
  let isNew = false;
  for (let index = start; index < end; index += 1) {
    const record = records[index]!;
    if (isRejected(record) && record.id === '') addNameless(entries, record.rejection, offset + index);
    else if (rollCall.isFirst(record)) {
      isNew = true;
      if (isRejected(record)) reject(entries, record.rejection);
      else {
        entries.received += 1;
        sink.add(record, offset);
      }
    }
  }
  return isNew;
}

function addNameless<Item>(entries: Entries<Item>, rejection: Rejection, row: number): void {
  if (entries.namelessRows.has(row)) return;
  entries.namelessRows.add(row);
  reject(entries, rejection);
}

function reject<Item>({ rejected }: Entries<Item>, reason: Rejection): void {
  rejected.set(reason, rejected.get(reason)! + 1);
}
