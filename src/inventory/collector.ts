import type { Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { Log } from '../log.ts';
import { Failure, failureAdvice, type FailureReason } from '../transport/failure.ts';
import type { Snapshot } from './snapshot.ts';

/** What a scrape may know of one cloud. */
export interface CloudView {
  readonly cloud: string;
  /** Whether the latest finished collection succeeded. */
  readonly up: boolean;
  readonly durationSeconds: number | undefined;
  readonly failure: Failure | undefined;
  /** The last good snapshot, unless it is too old to be served. */
  readonly snapshot: Snapshot | undefined;
  readonly token: Token | undefined;
  /** When the latest successful collection ended; 0 if there was none since the start. */
  readonly lastSuccessAt: number;
}

export interface CollectionObserver {
  collecting(): void;
  collectionFailed(reason: FailureReason, message: string): void;
  answeredStale(): void;
}

export interface Collector {
  readonly cloud: string;
  /** Collects, or joins the collection that runs, and tells what is known when it ends or patience does. */
  answer(options: { patienceMs: number; acceptAgeMs?: number; withServers?: boolean }): Promise<CloudView>;
  /** What is known now, without asking the platform. */
  view(): CloudView;
  stop(): void;
}

export interface CollectionTask {
  readonly deadline: number;
  readonly keepServers: boolean;
  readonly signal: AbortSignal;
}

export interface CollectorInput {
  readonly cloud: string;
  readonly collect: (task: CollectionTask) => Promise<Snapshot>;
  readonly token: () => Token | undefined;
  readonly clock: Clock;
  readonly observer: CollectionObserver;
  readonly log: Log;
  readonly maxAgeMs: number;
  readonly maxStaleMs: number;
  readonly timeoutMs: number;
}

/** One collection at a time per cloud, shared by all who wait for it. */
export function createCollector(input: CollectorInput): Collector {
  const { cloud, clock, observer, log } = input;
  const stopped = new AbortController();
  /** From the first request for them on. */
  let keepServers = false;
  let snapshot: Snapshot | undefined;
  let latest: { failure: Failure | undefined; durationSeconds: number } | undefined;
  let running: Promise<void> | undefined;
  let lastSuccessAt = 0;

  async function collectOnce(): Promise<void> {
    const startedAt = clock.now();
    observer.collecting();
    let failure: Failure | undefined;
    try {
      const task = { deadline: startedAt + input.timeoutMs, keepServers, signal: stopped.signal };
      snapshot = await input.collect(task);
      lastSuccessAt = clock.now();
    } catch (error) {
      if (!(error instanceof Failure)) {
        log.error(
          { err: error instanceof Error ? error.stack : String(error) },
          'a bug broke the collection',
        );
        throw error;
      }
      failure = error;
      observer.collectionFailed(error.reason, error.message);
    }
    report(failure);
    latest = { failure, durationSeconds: (clock.now() - startedAt) / 1000 };
  }

  /** A cloud that stays down says so once; each scrape after that would only repeat it. */
  function report(failure: Failure | undefined): void {
    if (!failure) {
      if (latest?.failure) log.info({ servers: snapshot?.received }, 'collection succeeded again');
      return;
    }
    const { reason, operation, requestId, message } = failure;
    const fields = { reason, operation, requestId, err: message, cure: failureAdvice[reason].cure };
    if (latest?.failure?.reason === reason) log.debug(fields, 'collection failed again');
    else log.warn(fields, 'collection failed');
  }

  function start(): Promise<void> {
    running ??= collectOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  function isYoungEnough(ageMs: number): boolean {
    return snapshot !== undefined && clock.now() - snapshot.takenAt < ageMs;
  }

  function view(): CloudView {
    if (snapshot && clock.now() - snapshot.takenAt > input.maxStaleMs) snapshot = undefined;
    const { failure, durationSeconds } = latest ?? {};
    const up = latest !== undefined && failure === undefined;
    return { cloud, up, durationSeconds, failure, snapshot, token: input.token(), lastSuccessAt };
  }

  return {
    cloud,
    view,
    stop: () =>
      stopped.abort(new Failure('network', 'the exporter is stopping', { operation: 'list_servers' })),
    async answer({ patienceMs, acceptAgeMs = input.maxAgeMs, withServers = false }) {
      const lacksServers = withServers && snapshot?.servers === undefined;
      if (isYoungEnough(acceptAgeMs) && !lacksServers) return view();
      const before = snapshot;
      const joinsLesser = withServers && !keepServers && running !== undefined;
      keepServers ||= withServers;
      // Who asks for single servers while a collection without them runs, needs the next one.
      const ended = joinsLesser ? start().then(start) : start();
      await endsWithin(ended, patienceMs, clock);
      const known = view();
      if (known.snapshot && known.snapshot === before) observer.answeredStale();
      return known;
    },
  };
}

async function endsWithin(work: Promise<void>, patienceMs: number, clock: Clock): Promise<void> {
  const patience = new AbortController();
  try {
    await Promise.race([work, clock.wait(Math.max(0, patienceMs), patience.signal)]);
  } finally {
    patience.abort();
  }
}
