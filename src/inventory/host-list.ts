import type { Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { Log } from '../log.ts';
import type { PlatformApi } from '../platform/api.ts';
import { readHostPlace, type HostPlace } from '../platform/host.ts';
import { createKnownRecords } from '../platform/known-records.ts';
import { listHosts, type KnownHosts } from '../platform/list-hosts.ts';
import type { PlanSettings } from '../platform/page-plan.ts';
import { Failure, type FailureReason } from '../transport/failure.ts';
import { createZoneNames, type PlacedHost } from './zone-names.ts';

/** Every host of the cloud, or why they are not known but from their servers. */
export type HostList = readonly PlacedHost[] | Failure;

export interface HostLister {
  /** For one collection; nothing is asked before `start`. */
  begin(task: { readonly deadline: number; readonly signal: AbortSignal }): HostReading;
  /** What was refused before is asked for again. */
  forgive(): void;
}

export interface HostReading {
  /** To be called when the platform has taken the token: a refusal is then one of the hosts alone. */
  start(): void;
  /** Which hosts are up, by their id; undefined if they cannot be listed. Waits as `finish` does. */
  up(): Promise<ReadonlyMap<string, boolean> | undefined>;
  /** When the servers are there; `told` is where they say that hosts are. Waits a few seconds at most, never fails. */
  finish(told: ReadonlyMap<string, HostPlace>): Promise<HostList>;
  abandon(): void;
}

/** How long servers that are all there wait for the hosts. */
export const longestWaitMs = 5000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The account may not see hosts, or the platform has none to list: that seldom changes. */
const lasting: ReadonlySet<FailureReason> = new Set(['forbidden', 'unauthorized', 'rejected', 'malformed']);

export function createHostLister(input: {
  api: PlatformApi;
  plan: PlanSettings;
  fields: readonly string[];
  heldToken: () => Token | undefined;
  clock: Clock;
  log: Log;
}): HostLister {
  const { api, plan, fields, clock, log, heldToken } = input;
  const zones = createZoneNames(clock);
  const known: KnownHosts = createKnownRecords();
  let latest: { readonly failure: Failure; readonly inRow: number; readonly pausedUntil: number } | undefined;

  /** One failure may be chance. More of them in a row, and the platform is left alone for longer and longer. */
  function pauseAfter({ reason, operation }: Failure, inRow: number, isProven: boolean): number {
    if (isProven && operation === 'list_hosts' && lasting.has(reason)) return hourMs;
    return inRow === 1 ? 0 : Math.min(hourMs, minuteMs * 2 ** (inRow - 2));
  }

  function learn(outcome: HostList, isProven: boolean): void {
    if (!(outcome instanceof Failure)) {
      if (latest) log.info({ hosts: outcome.length }, 'hosts can be listed again');
      latest = undefined;
      return;
    }
    const inRow = (latest?.inRow ?? 0) + 1;
    const pausedUntil = clock.monotonic() + pauseAfter(outcome, inRow, isProven);
    const { reason, operation, requestId, message } = outcome;
    const fieldsOf = { reason, operation, requestId, err: message, ...stackOf(outcome) };
    const words =
      'hosts cannot be listed, and are known only as their servers tell; list_hosts: false ends this';
    if (latest?.failure.reason === reason) log.debug(fieldsOf, words);
    else if (lasting.has(reason)) log.info(fieldsOf, words);
    else log.warn(fieldsOf, words);
    latest = { failure: outcome, inRow, pausedUntil };
  }

  return {
    forgive() {
      if (latest) latest = { ...latest, pausedUntil: -Infinity };
    },
    begin({ deadline, signal }) {
      const over = new AbortController();
      const context = { deadline, signal: AbortSignal.any([signal, over.signal]) };
      let token: Token | undefined;
      let listing: ReturnType<typeof listHosts> | undefined;

      function start(): void {
        if (listing || clock.monotonic() < (latest?.pausedUntil ?? -Infinity)) return;
        token = heldToken();
        listing = listHosts({ api, plan, fields, context, known });
        // Who abandons a reading does not look at its end.
        listing.catch(() => undefined);
      }

      async function inTime<Result>(work: Promise<Result>): Promise<Result | Failure> {
        const timer = new AbortController();
        const late = clock.wait(longestWaitMs, timer.signal).then(
          () => over.abort(tooLate()),
          () => undefined,
        );
        try {
          return await Promise.race([work.catch(failureOf), late.then(tooLate)]);
        } finally {
          timer.abort();
        }
      }

      async function place(told: ReadonlyMap<string, HostPlace>): Promise<HostList> {
        const readPlace = async (id: string) => readHostPlace(await api.getHost(id, context));
        return zones.place({ hosts: await listing!, told, readPlace });
      }

      return {
        start,
        async up() {
          start();
          const hosts = await (listing && inTime(listing));
          if (!hosts || hosts instanceof Failure) return undefined;
          return new Map(hosts.flatMap(({ id, isUp }) => (isUp === undefined ? [] : [[id, isUp]])));
        },
        async finish(told) {
          start();
          if (!listing) return latest!.failure;
          const outcome = await inTime(place(told));
          // With another token than at the start, the refusal may have been meant for that one.
          if (!signal.aborted) learn(outcome, heldToken() === token);
          return outcome;
        },
        abandon: () => over.abort(tooLate()),
      };
    },
  };
}

function tooLate(): Failure {
  const words = `the list did not end within ${longestWaitMs / 1000} s after that of the servers`;
  return new Failure('timeout', `GET /hosts: ${words}`, { operation: 'list_hosts' });
}

/** Hosts are an extra: even a mistake of this program in their list leaves the servers alone. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const name = error instanceof Error ? error.name : typeof error;
  const message = `${name} in the exporter itself; its log has the stack`;
  return new Failure('bug', message, { operation: 'list_hosts', cause: error });
}

function stackOf({ cause }: Failure): { stack?: string } {
  return cause instanceof Error && cause.stack ? { stack: cause.stack } : {};
}
