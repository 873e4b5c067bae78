import type { Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { PlatformApi } from '../platform/api.ts';
import type { ListPlan } from '../platform/list-servers.ts';
import type { Unread } from '../platform/record-text.ts';
import { createSuspicionMemory } from '../platform/suspicion.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CollectionTask } from './collector.ts';
import { createHostJoin } from './host-join.ts';
import type { HostLister } from './host-list.ts';
import { createLedger } from './ledger.ts';
import type { ListCounter } from './list-counts.ts';
import type { Collected, ListTask } from './list-task.ts';
import { createSnapshotSink, type ServerWriter, type Snapshot, type SnapshotSettings } from './snapshot.ts';
import type { Progress, Trace } from './trace.ts';

/** One collection of one cloud, from the first page to the snapshot. */
export function createCollection(input: {
  api: PlatformApi;
  plan: ListPlan;
  /** How the servers are listed. */
  list: (task: ListTask) => Promise<Collected>;
  settings: SnapshotSettings;
  /** The fields of a server to ask for. */
  fields: (withSingleServers: boolean) => readonly string[];
  unread: (withSingleServers: boolean) => readonly Unread[];
  /** Absent where single servers are not exported. */
  createWriter: (() => ServerWriter) | undefined;
  /** Absent where hosts are not listed. */
  hostLister: HostLister | undefined;
  heldToken: () => Token | undefined;
  listCounter: ListCounter;
  /** Whether some lists are of changes only. */
  hasChanges: boolean;
  clock: Clock;
  trace: Trace;
  onPage: ((progress: Progress) => void) | undefined;
}): (task: CollectionTask) => Promise<Snapshot> {
  const { api, plan, clock, trace } = input;
  const memory = createSuspicionMemory();
  const ledger = createLedger({ withHosts: input.settings.hostMeasures !== undefined });
  const joinHosts = createHostJoin();

  return async ({ deadline, signal, keepServers }) => {
    trace.holding(input.heldToken());
    const hosts = input.hostLister?.begin({ deadline, signal });
    const listing = input.list({
      api,
      plan,
      memory,
      context: { deadline, signal },
      fields: input.fields(keepServers),
      unread: input.unread(keepServers),
      keepsServers: keepServers || input.createWriter !== undefined,
      hostsUp: hosts?.up,
      createSnapshotSink() {
        const writer = input.createWriter?.();
        return createSnapshotSink(input.settings, { ledger, joinHosts, keepServers, writer });
      },
      onReading: trace.reading,
      onDoubt(lacks) {
        trace.doubting(lacks);
        input.listCounter.pageDoubted(lacks);
      },
      onPage(progress) {
        trace.pageRead(progress);
        hosts?.start();
        input.onPage?.(progress);
      },
    });
    const collected = await listing.catch((error: unknown) => {
      hosts?.abandon();
      throw error;
    });
    signal.throwIfAborted();
    collected.keep();
    await yieldToEventLoop();
    const hostList = await hosts?.finish(collected.sink.hostPlaces());
    signal.throwIfAborted();
    if (hostList) trace.hostsRead(hostList);
    const snapshot = await collected.sink.finish({
      takenAt: clock.now(),
      listing: collected.facts,
      hostList,
      detailsAt: onWallClock(collected.oldestDetail, clock),
      listedAt: input.hasChanges ? onWallClock(collected.wholeAt, clock) : undefined,
    });
    trace.collected(snapshot);
    await yieldToEventLoop();
    return snapshot;
  };
}

function onWallClock(moment: number | undefined, clock: Clock): number | undefined {
  return moment === undefined ? undefined : clock.now() - (clock.monotonic() - moment);
}
