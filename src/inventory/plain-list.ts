import { createKnownRecords } from '../platform/known-records.ts';
import { listServers, type ListFacts } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import { createPlainReader, hasDetails, isSame, plainFields, type Plain } from '../platform/plain-server.ts';
import type { Rejected } from '../platform/register.ts';
import { createRoll } from '../platform/roll.ts';
import type { ListTask } from './list-task.ts';

/** Who is there: the list without details. */
export interface PlainList {
  readonly listed: readonly Plain[];
  /** Of the page of each; rows of their own would be a hundred thousand objects at each scrape. */
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
    const { sink, rollCall, ...facts } = await listServers({
      ...task,
      known: reading,
      roll,
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
        return createPlainSink();
      },
    });
    if (unheeded !== undefined) return unheeded;
    return {
      ...sink.finish(),
      facts,
      answeredAt: facts.answeredAt,
      keep() {
        layout = facts.layout;
        reading.keep();
        rollCall.keep();
      },
    };
  };
}

interface Block {
  readonly offset: number;
  readonly plains: Plain[];
}

/** In the platform's order, in whichever the pages arrive: so the next list is in much the same one. */
function createPlainSink() {
  const blocks: Block[] = [];
  let block: Block = { offset: -1, plains: [] };
  return {
    add(plain: Plain, offset: number): void {
      if (offset !== block.offset) {
        block = { offset, plains: [] };
        blocks.push(block);
      }
      block.plains.push(plain);
    },
    finish: () => inOrder(blocks),
  };
}

function inOrder(blocks: readonly Block[]): Pick<PlainList, 'listed' | 'offsets'> {
  const listed: Plain[] = [];
  const offsets: number[] = [];
  // With room for all from the start: what grows to a hundred thousand leaves twice as much garbage behind.
  listed.length = offsets.length = blocks.reduce((sum, { plains }) => sum + plains.length, 0);
  let row = 0;
  for (const { offset, plains } of blocks.toSorted((one, other) => one.offset - other.offset))
    for (const plain of plains) {
      listed[row] = plain;
      offsets[row] = offset;
      row += 1;
    }
  return { listed, offsets };
}
