import { within } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import type { Log } from '../log.ts';
import type { ScopeChoice } from '../platform/scope.ts';
import type { FailureReason } from '../transport/advice.ts';
import { Failure, failureOf, listFailure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { readSideList, type SideContext, type SideList } from './side-list.ts';
import {
  maxAgeMsOf,
  sideResources,
  type ItemOf,
  type SideItem,
  type SideResource,
  type SideKind,
  type SideSettings,
} from './side-resources.ts';
import type { ListFacts } from './snapshot.ts';

/** What is known of one resource from list to list. */
interface SideKnown<Item = SideItem> {
  readonly good: SideList<Item> | undefined;
  /** Why the latest list failed, if it did, as so many before it, and until when none is asked for. */
  readonly latest:
    | { readonly failure: Failure; readonly inRow: number; readonly pausedUntil: number }
    | undefined;
}

export type SideLists = { readonly [Resource in SideResource]?: SideKnown<ItemOf<Resource>> };

/** After a reload: what was refused or not heeded before is asked for again. */
export function forgetRefusedLists(lists: SideLists): SideLists {
  const forgotten = Object.entries(lists).map(([resource, { good, latest }]): [string, SideKnown] => [
    resource,
    {
      good: good && { ...good, byOffset: undefined },
      latest: latest && { ...latest, pausedUntil: -Infinity },
    },
  ]);
  return Object.fromEntries(forgotten);
}

/** What a collection has of the lists beside the servers. */
export interface SideResult {
  readonly known: SideLists;
  /** The good lists that are not too old. */
  readonly served: { readonly [Resource in SideResource]?: SideList<ItemOf<Resource>> };
  readonly facts: ReadonlyMap<Resource, ListFacts>;
  /** Lists that had lost too many records. */
  readonly losses: number;
}

/** How long servers that are all there wait for all others together. */
export const maxWaitMs = 5000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The account may not see them, or the platform has none to list: that seldom changes. */
const lasting: ReadonlySet<FailureReason> = new Set(['forbidden', 'unauthorized', 'rejected', 'malformed']);

export interface SideInput extends SideContext {
  readonly settings: SideSettings;
  readonly known: { readonly sideLists: SideLists };
  readonly tokens: Pick<TokenSource, 'held'>;
  readonly scope: Pick<ScopeChoice, 'inUse'>;
  readonly log: Log;
}

/** Reads what is due beside the servers, each list by itself. */
export function beginSideLists(input: SideInput) {
  const { clock, signal, settings, known, tokens, startedAt } = input;
  const over = new AbortController();
  const context = { ...input, signal: AbortSignal.any([signal, over.signal]) };
  const all = Object.keys(sideResources) as SideResource[];
  const wanted = all.filter((resource) => maxAgeMsOf(resource, settings) !== undefined);
  const readings: Promise<void>[] = [];
  /** Undefined until it has come. */
  const outcomes = new Map<SideResource, SideList | Failure | undefined>();
  let token: Token | undefined;

  /** Ends with its list, or with why there is none; never fails. */
  async function read(resource: SideResource): Promise<void> {
    outcomes.set(resource, undefined);
    const before = known.sideLists[resource]?.good;
    try {
      const list = await readSideList({ ...context, resource, kind: sideResources[resource], before });
      context.signal.throwIfAborted();
      outcomes.set(resource, list);
    } catch (error) {
      // An extra: even a mistake of this program in such a list leaves the servers alone.
      if (!context.signal.aborted) outcomes.set(resource, failureOf(error, `list_${resource}`));
    }
  }

  /** To be called when the platform has taken the token: a refusal is then one of the list alone. */
  function start(): void {
    if (token || !isOfEverybody(input)) return;
    token = tokens.held();
    for (const resource of wanted) if (isDue(resource, input)) readings.push(read(resource));
  }

  return {
    start,
    /** When the servers are there; waits a few seconds at most, never fails. */
    async finish(): Promise<SideResult> {
      start();
      if (readings.length > 0)
        await within<unknown>({ clock, ms: maxWaitMs }, Promise.all(readings), () =>
          over.abort(new Error('servers do not wait any longer')),
        );
      signal.throwIfAborted();
      // With another token than at the start, a refusal may have been meant for that one.
      const isProven = tokens.held() === token;
      const isServed = isOfEverybody(input);
      const lists: Partial<Record<SideResource, SideKnown>> = {};
      const served: Partial<Record<SideResource, SideList>> = {};
      const facts = new Map<Resource, ListFacts>();
      let losses = 0;
      for (const resource of wanted) {
        const outcome = outcomes.has(resource) ? (outcomes.get(resource) ?? tooLate(resource)) : undefined;
        if (outcome && !(outcome instanceof Failure)) losses += outcome.losses;
        const list = outcome ? learn(resource, outcome, isProven, input) : known.sideLists[resource];
        if (!list) continue;
        lists[resource] = list;
        if (!isServed) continue;
        const maxAgeMs = maxAgeMsOf(resource, settings)! + settings.max_stale;
        const good = list.good && startedAt - list.good.at <= maxAgeMs ? list.good : undefined;
        if (good) served[resource] = good;
        if (good || list.latest) facts.set(resource, factsOf(good, list.latest?.failure));
      }
      return { known: lists as SideLists, served: served as SideResult['served'], facts, losses };
    },
  };
}

/** Else servers of other projects are not seen: what they leave of a host would be too much. */
function isOfEverybody({ tokens, scope }: SideInput): boolean {
  const token = tokens.held();
  return token !== undefined && scope.inUse(token).scope === 'system';
}

function isDue(resource: SideResource, { known, settings, startedAt }: SideInput): boolean {
  const { good, latest } = known.sideLists[resource] ?? {};
  if (latest) return startedAt >= latest.pausedUntil;
  return !good || good.doubts.size > 0 || startedAt - good.at >= maxAgeMsOf(resource, settings)!;
}

function tooLate(resource: SideResource): Failure {
  const words = `the list did not end within ${maxWaitMs / 1000} s after that of the servers`;
  return listFailure(resource, 'timeout', words);
}

function learn(
  resource: SideResource,
  outcome: SideList | Failure,
  isProven: boolean,
  { known, startedAt, log }: SideInput,
): SideKnown {
  const { good, latest } = known.sideLists[resource] ?? {};
  if (!(outcome instanceof Failure)) {
    if (latest) log.info({ resource, listed: outcome.items.length }, `${resource} can be listed again`);
    return { good: outcome, latest: undefined };
  }
  const { reason, operation, requestId, message, cause } = outcome;
  const stack = cause instanceof Error ? cause.stack : undefined;
  const fields = { resource, reason, operation, requestId, err: message, stack };
  const { setting }: SideKind = sideResources[resource];
  const words = `${resource} cannot be listed${setting === undefined ? '' : `; ${setting}: false ends this`}`;
  if (latest?.failure.reason === reason) log.debug(fields, words);
  else if (lasting.has(reason)) log.info(fields, words);
  else log.warn(fields, words);
  const inRow = (latest?.inRow ?? 0) + 1;
  const isLasting = isProven && lasting.has(reason) && operation === `list_${resource}`;
  // One failure may be chance. More of them in a row, and the platform is left alone for longer and longer.
  const shortMs = inRow === 1 ? 0 : Math.min(hourMs, minuteMs * 2 ** (inRow - 2));
  const pausedUntil = startedAt + (isLasting ? hourMs : shortMs);
  return { good, latest: { failure: outcome, inRow, pausedUntil } };
}

function factsOf(list: SideList | undefined, failure: Failure | undefined): ListFacts {
  const { reported, items, rejected = 0, pages, listedAt } = list ?? {};
  const rejections = new Map([['not_usable', rejected]]);
  return { failure, reported, received: items?.length, rejected: rejections, pages, listedAt };
}
