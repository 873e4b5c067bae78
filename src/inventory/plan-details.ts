import { countUpTo } from '../platform/id-ranges.ts';
import { inSlices, type Slices } from '../yield-to-event-loop.ts';
import type { Known } from './known.ts';
import type { ChangedRecord, Row } from './row.ts';

/** More of the servers than this, and one list in detail is the cheaper one. */
export const maxShareInDetail = 1 / 2;
/** Of what is right meanwhile, so many are read again before their turn: the platform is weak just then. */
const maxKeptReadAgain = 50;

export type PlainItem = Row | ChangedRecord;

export interface DetailPlan {
  /** Those to read in detail, in order. */
  readonly wanted: readonly PlainItem[];
  /** Plain records whose details could not be read, and have not changed since. */
  readonly stillRejected: readonly string[];
  readonly cursor: string | undefined;
  readonly changed: number;
}

/** The part of the servers to read at this list, so that no detail is older than `maxAgeMs` when it ends, whatever the gaps. */
export function shareInDetail(sinceLastMs: number, maxAgeMs: number): number {
  return sinceLastMs < maxAgeMs ? sinceLastMs / (maxAgeMs - sinceLastMs) : Infinity;
}

/** What is new or changed, what is not settled, and the next ones behind the cursor, which goes round. */
export async function planDetails(
  items: readonly PlainItem[],
  known: Known,
  share: number,
  slices: Slices,
): Promise<DetailPlan> {
  const turns = Math.min(items.length, Math.ceil(items.length * share));
  const first = known.cursor === undefined ? 0 : countUpTo(items, known.cursor) % (items.length || 1);
  const plan: Planning = { items, known, first, turns, wanted: [], stillRejected: [], kept: 0, changed: 0 };
  await inSlices(slices, items.length, plan, planOne);
  const { wanted, stillRejected, changed } = plan;
  const last = turns === 0 ? undefined : items[(first + turns - 1) % items.length];
  return { wanted, stillRejected, changed, cursor: last?.id ?? known.cursor };
}

interface Planning {
  readonly items: readonly PlainItem[];
  readonly known: Known;
  readonly first: number;
  readonly turns: number;
  readonly wanted: PlainItem[];
  readonly stillRejected: string[];
  kept: number;
  changed: number;
}

function planOne(plan: Planning, at: number): void {
  const { items, first, turns } = plan;
  const item = items[at]!;
  const isItsTurn = (at - first + items.length) % items.length < turns;
  if (item.kind === 'changed') {
    const rejected = plan.known.rejected.get(item.id);
    if (rejected && rejected.version === item.plain.version && !isItsTurn) plan.stillRejected.push(item.id);
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
