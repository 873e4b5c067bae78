import { countUpTo } from '../platform/id-ranges.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Known, RejectedDetails } from './known.ts';
import type { ChangedRecord, Row } from './row.ts';

/** More of the servers than this, and one list in detail is the cheaper one. */
export const maxShareInDetail = 1 / 2;
/** Of what is right meanwhile, so many are read again before their turn: the platform is weak just then. */
const maxKeptReadAgain = 50;

export type PlainItem = Row | ChangedRecord;

/** The part of the servers to read at this list, so that no detail is older than `maxAgeMs` when it ends, whatever the gaps. */
export function shareInDetail(sinceLastMs: number, maxAgeMs: number): number {
  return sinceLastMs < maxAgeMs ? sinceLastMs / (maxAgeMs - sinceLastMs) : Infinity;
}

/** What is read of a plain list in detail, on the way through it. */
interface Planning {
  readonly items: readonly PlainItem[];
  readonly known: Known;
  /** Whose turn it is: so many, from the first one on. */
  readonly first: number;
  readonly turns: number;
  /** In order. */
  readonly wanted: PlainItem[];
  /** Plain records whose details could not be read, and have not changed since. */
  readonly stillRejected: Map<string, RejectedDetails>;
  kept: number;
  changed: number;
}

/** What is new or changed, what is not settled, and the next ones behind the cursor, which goes round. */
export async function planDetails(items: readonly PlainItem[], known: Known, share: number, slices: Slices) {
  const turns = Math.min(items.length, Math.ceil(items.length * share));
  const first = known.cursor === undefined ? 0 : countUpTo(items, known.cursor) % (items.length || 1);
  const found = { wanted: [], stillRejected: new Map(), kept: 0, changed: 0 };
  const plan: Planning = { items, known, first, turns, ...found };
  await inSlices(slices, items.length, plan, planOne);
  const last = turns === 0 ? undefined : items[(first + turns - 1) % items.length];
  return { ...plan, cursor: last?.id ?? known.cursor };
}

function planOne(plan: Planning, at: number): void {
  const { items, first, turns } = plan;
  const item = items[at]!;
  const isItsTurn = (at - first + items.length) % items.length < turns;
  if (item.kind === 'changed') {
    const rejected = plan.known.rejected.get(item.id);
    if (rejected && rejected.version === item.plain.version && !isItsTurn)
      plan.stillRejected.set(item.id, rejected);
    else plan.wanted.push(item);
    plan.changed += 1;
  } else if (isItsTurn || isToReadAgain(plan, item)) plan.wanted.push(item);
}

function isToReadAgain(plan: Planning, { unsettled }: Row): boolean {
  if (!unsettled) return false;
  if (!unsettled.isKept) return true;
  plan.kept += 1;
  return plan.kept <= maxKeptReadAgain;
}
