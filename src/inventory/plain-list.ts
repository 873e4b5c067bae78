import { createKnownRecords } from '../platform/known-records.ts';
import { listServers, type ListFacts } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import { createPlainReader, hasDetails, isSame, plainFields, type Plain } from '../platform/plain-server.ts';
import type { Rejected } from '../platform/register.ts';
import { createRoll } from '../platform/roll.ts';
import { createOrder } from './in-order.ts';
import type { ListTask } from './list-task.ts';

/** Who is there: the list without details. */
export interface PlainList {
  readonly listed: readonly Plain[];
  /** Of the page of each. */
  readonly offsets: readonly number[];
  readonly facts: ListFacts;
  /** When the whole list was read last, on the monotonic clock, where not every list is whole. */
  readonly wholeAt?: number;
  /** The collection succeeded. */
  keep(): void;
}

export interface WholeList extends PlainList {
  /** `Date` of its first answer. */
  readonly answeredAt: number | undefined;
}

/** A text says why the platform has no such list. `known` is what was told of a server before, if so. */
type List<Result> = (task: ListTask, known: (id: string) => Plain | undefined) => Promise<Result | string>;
export type ListPlain = List<PlainList>;
export type ListWhole = List<WholeList>;

/** Reads whole lists without details. */
export function createPlainLists(share: (text: string) => string): ListWhole {
  const records = createKnownRecords<Plain | Rejected>();
  const readPlain = createPlainReader(share);
  const roll = createRoll<Plain | Rejected>();
  let layout: Layout | undefined;

  return async (task, known) => {
    const reading = records.begin();
    /** What the platform does not heed, or does not have. */
    let unheeded: string | undefined;
    const { sink, ...facts } = await listServers({
      ...task,
      known: reading,
      layout,
      details: false,
      fields: plainFields,
      read(record) {
        const plain = readPlain(record);
        if (typeof plain === 'string') return plain;
        if (hasDetails(record)) unheeded = 'details=false';
        else if (plain.version === undefined) unheeded = 'update_version';
        const before = known(plain.id);
        // Its details hold on to an equal one: one is enough.
        return before && isSame(before, plain) ? before : plain;
      },
      createSink() {
        task.onReading('without details');
        return { ...createOrder<Plain>(), rollCall: roll.begin() };
      },
    });
    if (unheeded !== undefined) return unheeded;
    const { items: listed, offsets } = sink.finish();
    return {
      listed,
      offsets,
      facts,
      answeredAt: facts.answeredAt,
      keep() {
        layout = facts.layout;
        reading.keep();
        sink.rollCall.keep();
      },
    };
  };
}
