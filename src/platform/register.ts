import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Marked, RollCall } from './roll.ts';
import { rejections, type Rejection } from './server.ts';

/** A record that is not counted; with its id, if it has one, by which it is known again. */
export interface Rejected extends Marked {
  readonly rejection: Rejection;
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

/** So many single servers are written down within some milliseconds; then others have their turn. */
const recordsAtOnce = 100;

/** Who has arrived: each server once, however often the platform shows it. */
export function createRegister<Item extends Marked>(
  rollCall: RollCall<Item | Rejected>,
  onServer: (server: Item, offset: number) => void,
  pause: () => Promise<void> = yieldToEventLoop,
): Register<Item> {
  /** Rows of the list whose record has no id; pages share rows. */
  const namelessRows = new Set<number>();
  const rejected = new Map<Rejection, number>(rejections.map((reason) => [reason, 0]));
  let received = 0;

  function reject(reason: Rejection): void {
    rejected.set(reason, rejected.get(reason)! + 1);
  }

  function addNameless(rejection: Rejection, row: number): void {
    if (namelessRows.has(row)) return;
    namelessRows.add(row);
    reject(rejection);
  }

  return {
    async addPage(records, offset) {
      let isNew = false;
      for (let index = 0; index < records.length; index += 1) {
        if (index % recordsAtOnce === recordsAtOnce - 1) await pause();
        const record = records[index]!;
        const isRejected = 'rejection' in record;
        if (isRejected && record.id === '') {
          addNameless(record.rejection, offset + index);
          continue;
        }
        if (!rollCall.isFirst(record)) continue;
        isNew = true;
        if (isRejected) {
          reject(record.rejection);
        } else {
          received += 1;
          onServer(record, offset);
        }
      }
      return isNew;
    },
    received: () => received,
    arrived: () => rollCall.size + namelessRows.size,
    rejected,
  };
}
