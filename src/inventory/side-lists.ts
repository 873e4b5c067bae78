import { within } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { Log } from '../log.ts';
import type { FailureReason } from '../transport/advice.ts';
import { failureOf, listFailure, type Failure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import { readSideList, type ByOffsetUntil, type SideContext, type SideList } from './side-list.ts';
import {
  sideResources,
  type ItemOf,
  type SideItem,
  type SideResource,
  type SideResourceOf,
  type SideSettings,
} from './side-resources.ts';
import type { ListFacts } from './snapshot.ts';

/** What is known of one resource from list to list. */
interface SideKnown<Item> {
  readonly good: SideList<Item> | undefined;
  readonly latest: SideFailure | undefined;
  readonly byOffset: ByOffsetUntil | undefined;
}

interface SideFailure {
  readonly failure: Failure;
  readonly inRow: number;
  readonly pausedUntil: number;
}

export type SideLists = { readonly [Resource in SideResource]?: SideKnown<ItemOf<Resource>> };
export const noSideLists: SideLists = {};

/** After a reload: what was refused before is asked for again. */
export function forgetPauses(lists: SideLists): SideLists {
  const forgotten = Object.entries(lists).map(([resource, { good, latest }]) => [
    resource,
    { good, latest: latest && { ...latest, pausedUntil: -Infinity }, byOffset: undefined },
  ]);
  return Object.fromEntries(forgotten) as SideLists;
}

type Served = { readonly [Resource in SideResource]?: SideList<ItemOf<Resource>> | undefined };

/** What a collection has of the lists beside the servers. */
export interface SideResult {
  readonly known: SideLists;
  /** The good lists that are not too old. */
  readonly served: Served;
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
  readonly maxStaleMs: number;
  readonly known: SideLists;
  /** Whether these lists have all that the servers of this cloud are on. */
  readonly isOfEverybody: () => boolean;
  readonly heldToken: () => Token | undefined;
  readonly log: Log;
}

type Outcome = Awaited<ReturnType<typeof readOne>>;

/** Reads what is due beside the servers, each list by itself. */
export function beginSideLists(input: SideInput) {
  const { clock, signal, settings, known } = input;
  const over = new AbortController();
  const context = { ...input, signal: AbortSignal.any([signal, over.signal]) };
  const wanted = (Object.keys(sideResources) as SideResource[]).filter(
    (resource) => sideResources[resource].maxAgeMs(settings) !== undefined,
  );
  const readings = new Map<SideResource, Promise<void>>();
  const outcomes = new Map<SideResource, Outcome>();
  let token: Token | undefined;

  /** To be called when the platform has taken the token: a refusal is then one of the list alone. */
  function start(): void {
    if (token || !input.isOfEverybody()) return;
    token = input.heldToken();
    if (token)
      for (const resource of wanted)
        if (isDue(resource, context))
          readings.set(
            resource,
            readOne(resource, context).then((outcome) => void outcomes.set(resource, outcome)),
          );
  }

  return {
    start,
    /** When the servers are there; waits a few seconds at most, never fails. */
    async finish(): Promise<SideResult> {
      start();
      if (readings.size > 0)
        await within<unknown>({ clock, ms: maxWaitMs }, Promise.all(readings.values()), () =>
          over.abort(new Error('servers do not wait any longer')),
        );
      signal.throwIfAborted();
      // With another token than at the start, a refusal may have been meant for that one.
      const isProven = input.heldToken() === token;
      const all = wanted.map((resource) => {
        const outcome = readings.has(resource) ? (outcomes.get(resource) ?? tooLate(resource)) : undefined;
        return [resource, outcome ? learn(resource, outcome, isProven, context) : known[resource]] as const;
      });
      const lists = Object.fromEntries(all.filter(([, one]) => one)) as SideLists;
      const served = input.isOfEverybody() ? servedOf(lists, input) : undefined;
      return {
        known: lists,
        served: served ?? {},
        facts: served ? factsOf(lists, served) : new Map(),
        losses: [...outcomes.values()].reduce((sum, one) => sum + (one.kind === 'read' ? one.losses : 0), 0),
      };
    },
  };
}

function isDue(resource: SideResource, { known, settings, startedAt }: SideInput): boolean {
  const { good, latest } = known[resource] ?? {};
  if (startedAt < (latest?.pausedUntil ?? -Infinity)) return false;
  const maxAgeMs = sideResources[resource].maxAgeMs(settings)!;
  return latest !== undefined || !good || good.doubts.size > 0 || startedAt - good.at >= maxAgeMs;
}

/** Ends with its outcome; never fails. */
async function readOne(resource: SideResource, input: SideInput) {
  const { good: before, byOffset } = (input.known[resource] ?? {}) as Partial<SideKnown<SideItem>>;
  const isByOffset = byOffset && input.startedAt < byOffset.until;
  const kind = sideResources[resource] as SideResourceOf<SideItem>;
  try {
    const list = await readSideList<SideItem>(
      { ...input, resource, kind },
      { before, byOffset: isByOffset ? byOffset : undefined },
    );
    input.signal.throwIfAborted();
    return { kind: 'read', ...list } as const;
  } catch (error) {
    if (input.signal.aborted) return tooLate(resource);
    // An extra: even a mistake of this program in such a list leaves the servers alone.
    return { kind: 'failed', failure: failureOf(error, `list_${resource}`) } as const;
  }
}

function tooLate(resource: SideResource) {
  const words = `the list did not end within ${maxWaitMs / 1000} s after that of the servers`;
  return { kind: 'failed', failure: listFailure(resource, 'timeout', words) } as const;
}

function learn(
  resource: SideResource,
  outcome: Outcome,
  isProven: boolean,
  { known, startedAt, log }: SideInput,
): SideKnown<SideItem> {
  const { good, latest, byOffset } = (known[resource] ?? {}) as Partial<SideKnown<SideItem>>;
  if (outcome.kind === 'read') {
    if (latest) log.info({ resource, listed: outcome.list.items.length }, `${resource} can be listed again`);
    return { good: outcome.list, latest: undefined, byOffset: outcome.byOffset };
  }
  const { failure } = outcome;
  const inRow = (latest?.inRow ?? 0) + 1;
  const isLasting = isProven && lasting.has(failure.reason) && failure.operation === `list_${resource}`;
  // One failure may be chance. More of them in a row, and the platform is left alone for longer and longer.
  const shortMs = inRow === 1 ? 0 : Math.min(hourMs, minuteMs * 2 ** (inRow - 2));
  const { reason, operation, requestId, message, cause } = failure;
  const stack = cause instanceof Error ? cause.stack : undefined;
  const fields = { resource, reason, operation, requestId, err: message, stack };
  const { setting } = sideResources[resource] as { readonly setting?: string };
  const words = `${resource} cannot be listed${setting === undefined ? '' : `; ${setting}: false ends this`}`;
  if (latest?.failure.reason === reason) log.debug(fields, words);
  else if (lasting.has(reason)) log.info(fields, words);
  else log.warn(fields, words);
  const pausedUntil = startedAt + (isLasting ? hourMs : shortMs);
  return { good, latest: { failure, inRow, pausedUntil }, byOffset };
}

function servedOf(lists: SideLists, { settings, maxStaleMs, startedAt }: SideInput): Served {
  const served = Object.entries(lists).flatMap(([resource, { good }]) => {
    const maxAgeMs = sideResources[resource as SideResource].maxAgeMs(settings)!;
    return good && startedAt - good.at <= maxAgeMs + maxStaleMs ? [[resource, good] as const] : [];
  });
  return Object.fromEntries(served);
}

function factsOf(lists: SideLists, served: Served): ReadonlyMap<Resource, ListFacts> {
  const facts = new Map<Resource, ListFacts>();
  for (const [resource, { latest }] of Object.entries(lists)) {
    const list = served[resource as SideResource];
    if (!list && !latest) continue;
    facts.set(resource as SideResource, {
      failure: latest?.failure,
      reported: list?.reported,
      received: list?.items.length,
      rejected: new Map([['not_usable', list?.rejected ?? 0]]),
      pages: list?.pages,
      listedAt: list?.listedAt,
    });
  }
  return facts;
}
