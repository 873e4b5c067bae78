import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { readChanges, readTotal, type Doubt } from '../platform/changes.ts';
import { ordinaryListOf } from '../platform/ordinary-list.ts';
import { Failure, type FailureReason } from '../transport/failure.ts';
import {
  applyChanges,
  countOf,
  disagreementOf,
  latestOf,
  startOfChanges,
  type KnownList,
} from './change-list.ts';
import { driftBetween, sizeOf, type Drift } from './list-proof.ts';
import type { ListTask } from './list-task.ts';
import { createListTrust } from './list-trust.ts';
import type { ListPlain, ListWhole, PlainList, WholeList } from './plain-list.ts';

/** A list as it was kept by the latest collection that succeeded; moments are of the monotonic clock. */
interface Kept extends KnownList {
  readonly wholeAt: number;
  readonly keptAt: number;
}

/** What the platform told of changes, after which everything adds up. */
interface Look {
  readonly list: KnownList;
  readonly total: number;
  readonly pages: number;
  /** The platform's clock at its beginning, in seconds. */
  readonly answeredAt: number;
}

/** Scrapes do not come to the millisecond: a list is not read sooner for that. */
const toleranceMs = 1000;
/** Of these the request itself may be the reason, so the whole list may be had nevertheless. */
const refusals: ReadonlySet<FailureReason> = new Set([
  'forbidden',
  'rejected',
  'upstream',
  'malformed',
  'oversized',
]);

/**
 * Between two whole lists, only what changed and the total are asked for. Whatever does not add up, on a second look
 * either, is followed by the whole list in the same collection.
 */
export function createListsOfChanges(input: {
  readonly listWhole: ListWhole;
  readonly share: (text: string) => string;
  readonly query: readonly (readonly [string, string])[];
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDrift: (servers: number) => void;
}): ListPlain {
  const { clock, maxAgeMs, listWhole } = input;
  const ordinary = ordinaryListOf(input.query);
  const trust = createListTrust(input.log);
  let kept: Kept | undefined;
  let rejectedBefore: KnownList['rejected'] = new Map();

  return async (task, knownPlain) => {
    const startedAt = clock.monotonic();
    if (typeof ordinary === 'string')
      trust.giveUp(`${ordinary} in query chooses servers by what cannot be checked on a record`);
    const objection = trust.objection(startedAt);
    if (objection !== undefined || !kept) return readWhole(objection ?? 'to begin with');
    const look = await lookTwice(kept);
    if ('doubt' in look) return readWhole(look.doubt, look);
    return isDue(kept) ? readWhole('it is due', look) : told(look, kept.wholeAt);

    function isDue({ wholeAt, keptAt }: Kept): boolean {
      const untilNext = startedAt - keptAt;
      return startedAt - wholeAt + untilNext > maxAgeMs + toleranceMs;
    }

    async function lookTwice(known: Kept): Promise<Look | Doubt> {
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

    async function lookOnce(known: Kept): Promise<Look | Doubt> {
      if (typeof ordinary === 'string') return { doubt: ordinary };
      const begunAt = clock.monotonic();
      // First the total: who comes in between is one too many then, and never hides one that has gone unseen.
      const { total, answeredAt: date } = await readTotal(task);
      if (total === undefined || date === undefined) {
        const lacking = total === undefined ? 'no total' : 'no Date';
        trust.giveUp(`the platform's answers have ${lacking}`);
        return { doubt: lacking };
      }
      const answeredAt = Math.floor((date - (clock.monotonic() - begunAt)) / 1000);
      const second = startOfChanges(known, answeredAt);
      task.onReading(`of changes since ${new Date(second * 1000).toISOString()}`);
      const servers = known.listed.length;
      const changes = await readChanges({ ...listOf(task), ordinary, share: input.share, second, servers });
      if ('doubt' in changes) {
        if (changes.unheeded !== undefined) trust.giveUp(`this platform does not heed ${changes.unheeded}`);
        return changes;
      }
      const list = applyChanges(known, changes, answeredAt);
      const counted = countOf(list);
      const doubt = disagreementOf(known, changes, { second, counted, total });
      if (doubt !== undefined) return { doubt };
      // Who goes in between would hide another one, known or not: then the total has to be the same once more.
      const hasLosses = [...changes.rows.values()].includes(undefined);
      const isSure = !hasLosses || (await readTotal(task)).total === counted;
      return isSure
        ? { list, total, pages: changes.pages + 1, answeredAt }
        : { doubt: 'servers come and go while they are counted' };
    }

    function told({ list, total, pages }: Look, wholeAt: number): PlainList {
      task.onPage({ received: list.listed.length, reported: total });
      const { listed, offsets, rejected } = list;
      return {
        listed,
        offsets,
        facts: { reported: total, received: listed.length, rejected, pages },
        wholeAt,
        keep() {
          trust.agreed();
          kept = { ...list, wholeAt, keptAt: startedAt };
        },
      };
    }

    async function readWhole(why: string, look?: Look | Doubt): Promise<PlainList | string> {
      const onReading = (how: string) => task.onReading(`${how}: ${why}`);
      const whole = await listWhole({ ...task, onReading }, knownPlain);
      if (typeof whole === 'string') return whole;
      const base = baseOf(whole);
      const drift = look && 'list' in look ? driftSince(look, whole) : undefined;
      return {
        ...whole,
        wholeAt: startedAt,
        keep() {
          whole.keep();
          kept = base;
          rejectedBefore = whole.facts.rejected;
          if (drift && sizeOf(drift) > 0) {
            input.onDrift(sizeOf(drift));
            trust.drifted(drift, startedAt);
          } else if (drift) trust.agreed();
          else if (look && 'doubt' in look && !look.isLong) trust.disagreed(why, startedAt);
        },
      };
    }

    /** Nothing to go on from if no change has a time, or if records were rejected that may be well the next time. */
    function baseOf({ listed, offsets, facts, answeredAt = 0 }: WholeList): Kept | undefined {
      const { rejected } = facts;
      const begunAt = Math.floor((answeredAt - (clock.monotonic() - startedAt)) / 1000);
      const times = listed.map(({ changedAt }) => changedAt);
      const latestChange = latestOf(times, begunAt);
      const isSettled = [...rejected].every(
        ([reason, count]) => count === 0 || count === rejectedBefore.get(reason),
      );
      if (latestChange === 0 || !isSettled) return undefined;
      return { listed, offsets, rejected, latestChange, wholeAt: startedAt, keptAt: startedAt };
    }
  };
}

function driftSince({ list, answeredAt }: Look, { listed }: WholeList): Drift {
  return driftBetween(list.listed, listed, startOfChanges(list, answeredAt));
}

function listOf({ api, plan, memory, context }: ListTask) {
  return { api, plan, memory, context };
}
