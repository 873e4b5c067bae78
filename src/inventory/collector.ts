import { within, type Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { TokenSource } from '../identity/token.ts';
import type { Log } from '../log.ts';
import { scopeInUse, type ScopeInUse } from '../platform/scope.ts';
import { Failure, failureOf } from '../transport/failure.ts';
import type { Operation } from '../transport/resources.ts';
import { inTime } from '../transport/in-time.ts';
import type { Collected, CollectionTask } from './collect.ts';
import { forgetRefusals, nothingKnown, type Known } from './known.ts';
import type { Snapshot } from './snapshot.ts';
import type { CollectionObserver } from './trace.ts';

/** What a scrape may know of one cloud. */
export interface CloudView {
  readonly cloud: string;
  /** Whether the latest finished collection succeeded. */
  readonly up: boolean;
  readonly durationSeconds: number | undefined;
  readonly failure: Failure | undefined;
  /** The last good snapshot, unless it is too old to be served. */
  readonly snapshot: Snapshot | undefined;
  /** How old that snapshot is, however the wall clock was set meanwhile. */
  readonly snapshotAgeMs: number | undefined;
  /** When a collection succeeded last, by the wall clock; 0 if none has since the start. */
  readonly lastSuccessAt: number;
  readonly token: Token | undefined;
  /** Incomplete answers since the start, by what was missing. */
  readonly incomplete: Known['incomplete'];
  /** Undefined before the first login. */
  readonly scope: ScopeInUse | undefined;
}

/** What was done for an answer: a collection was started or joined, or a young snapshot was enough. */
export interface CollectorAnswer extends CloudView {
  readonly how: 'started' | 'joined' | 'reused';
}

export type Collector = ReturnType<typeof createCollector>;

export interface CollectorInput {
  readonly cloud: string;
  readonly collect: (known: Known, task: CollectionTask) => Promise<Collected>;
  readonly tokens: Pick<TokenSource, 'held' | 'isAwaited'>;
  readonly query: readonly (readonly [string, string])[];
  readonly clock: Clock;
  readonly observer: CollectionObserver;
  readonly log: Log;
  readonly maxAgeMs: number;
  readonly maxStaleMs: number;
  readonly timeoutMs: number;
}

/** No fault of the cloud, so that it is neither counted nor logged. */
const stopping = new Failure('network', 'the exporter is stopping', { operation: 'list_servers' });

/** The reason with which what a collection still asks for is ended. */
const ended = new Error('the collection is over');

/** So long after the last request for single servers, collections keep them: about a kilobyte each. */
const serversKeptMs = 600_000;

/** A cloud that stays down for the same reason says so again after this long: who watches may have come meanwhile. */
const toldAgainMs = 3_600_000;

/** One collection at a time per cloud, shared by all who wait for it. */
export function createCollector(input: CollectorInput) {
  const { cloud, tokens, clock, observer, log } = input;
  /** What should have been renewed and cannot be is served so much longer than it would have been. */
  const servedForMs = input.maxAgeMs + input.maxStaleMs;
  let known = nothingKnown();
  /** When single servers were asked for last. */
  let serversAskedAt = -Infinity;
  let good: { readonly snapshot: Snapshot; readonly at: number } | undefined;
  let lastSuccessAt = 0;
  let latest: { readonly failure: Failure | undefined; readonly durationSeconds: number } | undefined;
  let running: { readonly ended: Promise<void>; readonly keepsServers: boolean } | undefined;
  /** What the log was told aloud last of the failure that lasts: its reason, when that was, and since when it fails. */
  let told: { readonly reason: string; readonly at: number; readonly since: string } | undefined;
  /** Ends the collection that runs. */
  let over = new AbortController();
  let waiting = 0;
  let isDraining = false;
  let isStopped = false;

  async function collectOnce(keepServers: boolean): Promise<void> {
    const startedAt = clock.monotonic();
    const deadline = startedAt + input.timeoutMs;
    let failure: Failure | undefined;
    try {
      observer.collecting();
      if (isStopped) throw stopping;
      const before = known;
      over = new AbortController();
      const limit = { clock, ms: input.timeoutMs, timeoutError, controller: over };
      const work = (signal: AbortSignal) => input.collect(known, { deadline, keepServers, signal });
      const collected = await inTime(work, limit);
      // A reload in the course of a collection counts for what that one learns, too.
      known = known === before ? collected.known : forgetRefusals(collected.known);
      good = { snapshot: collected.snapshot, at: clock.monotonic() };
      lastSuccessAt = clock.now();
    } catch (error) {
      failure = failureOf(error, operation());
      if (ageOfGood() > servedForMs) good = undefined;
      if (failure !== stopping) observer.collectionFailed(failure);
    }
    if (failure !== stopping) report(failure);
    // What it still asks for is of no use to anybody, however it ended.
    over.abort(ended);
    latest = { failure, durationSeconds: (clock.monotonic() - startedAt) / 1000 };
  }

  /** What a collection waits for now: told when it does not end in time. */
  function operation(): Operation {
    return tokens.isAwaited() ? 'login' : 'list_servers';
  }

  function timeoutError(): Failure {
    const words = `${operation()} did not end within the ${input.timeoutMs / 1000} s of collection_timeout`;
    const more = 'a secret file, a name server or the platform hangs';
    return new Failure('timeout', `${words}: ${more}`, { operation: operation() });
  }

  /** A cloud that stays down says so once an hour; each scrape in between would only repeat it. */
  function report(failure: Failure | undefined): void {
    if (!failure) {
      if (told)
        log.info({ servers: good?.snapshot.lists.get('servers')?.received }, 'collection succeeded again');
      told = undefined;
      return;
    }
    const { reason, operation, requestId, message, cure, cause } = failure;
    const fields = { reason, operation, requestId, err: message, cure };
    const stack = cause instanceof Error ? cause.stack : String(cause);
    const since = told?.since ?? new Date(clock.now()).toISOString();
    const isKnown = told?.reason === reason;
    const isDue = !told || !isKnown || clock.monotonic() - told.at >= toldAgainMs;
    if (isDue) told = { reason, at: clock.monotonic(), since };
    if (!isDue) log.debug(fields, 'collection failed again');
    else if (isKnown) log.warn({ ...fields, since }, 'the cloud is still down');
    else if (reason === 'bug') log.error({ ...fields, stack }, 'a bug broke the collection');
    else log.warn(fields, 'collection failed');
  }

  function start(): Promise<void> {
    if (running) return running.ended;
    const keepsServers = clock.monotonic() - serversAskedAt < serversKeptMs;
    const ended = collectOnce(keepsServers).finally(() => (running = undefined));
    running = { keepsServers, ended };
    return ended;
  }

  function ageOfGood(): number {
    return good ? clock.monotonic() - good.at : Infinity;
  }

  /** What was just collected, or is young enough for who asks, is never too old, however short `max_stale` is. */
  function view(isYoung = false): CloudView {
    const { failure, durationSeconds } = latest ?? {};
    const served = isYoung || ageOfGood() <= servedForMs ? good : undefined;
    const token = tokens.held();
    return {
      cloud,
      up: latest !== undefined && failure === undefined,
      durationSeconds,
      failure,
      snapshot: served?.snapshot,
      snapshotAgeMs: served && ageOfGood(),
      lastSuccessAt,
      token,
      incomplete: known.incomplete,
      scope: token && scopeInUse(input.query, token, known.scope),
    };
  }

  return {
    cloud,
    /** What is known now, without asking the platform. */
    view: () => view(),
    /** Ends the collection when nobody waits for it, now or later: nobody will come for what it learns. */
    drain(): void {
      isDraining = true;
      if (waiting === 0) over.abort(stopping);
    },
    /** Ends the collection at once. */
    stop(): void {
      isStopped = true;
      over.abort(stopping);
    },
    /** After a reload: what was refused or not heeded is tried again. */
    forgetRefusals(): void {
      known = forgetRefusals(known);
    },
    /** Collects, or joins the collection that runs, and tells what is known when it ends or patience does. */
    async answer({
      patienceMs,
      acceptAgeMs = input.maxAgeMs,
      withServers = false,
    }: {
      patienceMs: number;
      acceptAgeMs?: number;
      withServers?: boolean;
    }): Promise<CollectorAnswer> {
      if (withServers) serversAskedAt = clock.monotonic();
      const before = good?.snapshot;
      const lacksServers = withServers && before?.servers === undefined;
      if (ageOfGood() < acceptAgeMs && !lacksServers) return { ...view(true), how: 'reused' };
      const how = running ? 'joined' : 'started';
      // Who asks for single servers while a collection without them runs, needs the next one: the same for all.
      const end = withServers && running?.keepsServers === false ? running.ended.then(start) : start();
      const ms = Math.max(0, patienceMs);
      waiting += 1;
      await within({ clock, ms }, end, () => undefined).finally(() => (waiting -= 1));
      if (isDraining && waiting === 0) over.abort(stopping);
      const known = view(good?.snapshot !== before);
      if (known.snapshot && known.snapshot === before) observer.answeredStale();
      return { ...known, how };
    },
  };
}
