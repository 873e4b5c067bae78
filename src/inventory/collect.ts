import type { Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { PlatformApi } from '../platform/api.ts';
import { listServers, type ListPlan } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import type { ReadServer } from '../platform/server.ts';
import { createSuspicionMemory } from '../platform/suspicion.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CollectionTask } from './collector.ts';
import type { HostLister } from './host-list.ts';
import type { ListCounter } from './list-counts.ts';
import { createSnapshotSink, type ServerWriter, type Snapshot, type SnapshotSettings } from './snapshot.ts';
import type { Progress, Trace } from './trace.ts';

/** One collection of one cloud, from the first page to the snapshot. */
export function createCollection(input: {
  api: PlatformApi;
  plan: ListPlan;
  readServer: ReadServer;
  settings: SnapshotSettings;
  /** The fields of a server to ask for. */
  fields: (withSingleServers: boolean) => readonly string[];
  /** Absent where single servers are not exported. */
  createWriter: (() => ServerWriter) | undefined;
  /** Absent where hosts are not listed. */
  hostLister: HostLister | undefined;
  heldToken: () => Token | undefined;
  listCounter: ListCounter;
  clock: Clock;
  trace: Trace;
  onPage: ((progress: Progress) => void) | undefined;
}): (task: CollectionTask) => Promise<Snapshot> {
  const { clock, trace } = input;
  const memory = createSuspicionMemory();
  let layout: Layout | undefined;

  return async ({ deadline, signal, keepServers }) => {
    trace.holding(input.heldToken());
    const hosts = input.hostLister?.begin({ deadline, signal });
    const listing = await listServers({
      ...input,
      layout,
      memory,
      fields: input.fields(keepServers),
      onDoubt(lacks) {
        trace.doubting(lacks);
        input.listCounter.pageDoubted(lacks);
      },
      context: { deadline, signal },
      createSink() {
        trace.reading();
        const writer = input.createWriter?.();
        return createSnapshotSink(input.settings, clock.now(), { keepServers, writer });
      },
      onPage(progress) {
        trace.pageRead(progress);
        hosts?.start();
        input.onPage?.(progress);
      },
    }).catch((error: unknown) => {
      hosts?.abandon();
      throw error;
    });
    signal.throwIfAborted();
    layout = listing.layout;
    await yieldToEventLoop();
    const hostList = await hosts?.finish(listing.sink.hostPlaces());
    signal.throwIfAborted();
    if (hostList) trace.hostsRead(hostList);
    const snapshot = listing.sink.finish(clock.now(), listing, hostList);
    trace.collected(snapshot);
    await yieldToEventLoop();
    return snapshot;
  };
}
