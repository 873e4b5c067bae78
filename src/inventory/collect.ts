import type { Clock } from '../clock.ts';
import type { Token } from '../identity/issue.ts';
import type { PlatformApi } from '../platform/api.ts';
import { createKnownRecords, type KnownRecords } from '../platform/known-records.ts';
import { listServers, type ListPlan } from '../platform/list-servers.ts';
import type { Layout } from '../platform/page-plan.ts';
import type { Rejected } from '../platform/register.ts';
import type { ReadServer } from '../platform/server.ts';
import { createSuspicionMemory } from '../platform/suspicion.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { CollectionTask } from './collector.ts';
import type { Counted } from './counted.ts';
import { createCounting, type Counting } from './counting.ts';
import type { ListCounter } from './list-counts.ts';
import { createSnapshotSink, type ServerWriter, type Snapshot, type SnapshotSettings } from './snapshot.ts';
import type { Progress, Trace } from './trace.ts';

/** What was made of records, and whether their servers were kept. */
interface Known {
  readonly keepsServers: boolean;
  readonly counting: Counting;
  readonly records: KnownRecords<Counted | Rejected>;
}

/** A cloud with more kinds of servers than this, over time, is learned anew now and then. */
const mostKinds = 200_000;

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
  heldToken: () => Token | undefined;
  listCounter: ListCounter;
  clock: Clock;
  trace: Trace;
  onPage: ((progress: Progress) => void) | undefined;
}): (task: CollectionTask) => Promise<Snapshot> {
  const { clock, trace } = input;
  const memory = createSuspicionMemory();
  let known: Known | undefined;
  let layout: Layout | undefined;

  function createKnown(keepsServers: boolean): Known {
    const counting = createCounting(input.settings, { keepsServers });
    return { keepsServers, counting, records: createKnownRecords() };
  }

  return async ({ deadline, signal, keepServers }) => {
    trace.holding(input.heldToken());
    const keepsServers = keepServers || input.createWriter !== undefined;
    if (known?.keepsServers !== keepsServers || known.counting.size() > mostKinds)
      known = createKnown(keepsServers);
    const { records, counting } = known;
    const reading = records.begin();
    const listing = await listServers({
      ...input,
      layout,
      memory,
      known: reading,
      read(record) {
        const server = input.readServer(record);
        return typeof server === 'string' ? server : counting.count(server);
      },
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
        input.onPage?.(progress);
      },
    });
    signal.throwIfAborted();
    reading.keep();
    layout = listing.layout;
    await yieldToEventLoop();
    const snapshot = listing.sink.finish(clock.now(), listing);
    trace.collected(snapshot);
    await yieldToEventLoop();
    return snapshot;
  };
}
