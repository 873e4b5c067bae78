import type { PlatformApi, ReadContext } from '../platform/api.ts';
import type { ListFacts, ListPlan } from '../platform/list-servers.ts';
import type { Unread } from '../platform/record-text.ts';
import type { Suspicion, SuspicionMemory } from '../platform/suspicion.ts';
import type { SnapshotSink } from './snapshot.ts';
import type { Progress } from './trace.ts';

/** What every way to list the servers of a cloud needs, for one collection. */
export interface ListTask {
  readonly api: PlatformApi;
  readonly plan: ListPlan;
  readonly memory: SuspicionMemory;
  readonly context: ReadContext;
  /** The fields of a detailed record to ask for; all if there are none. */
  readonly fields: readonly string[];
  /** Fields that nobody reads, where the platform sends them all the same. */
  readonly unread: readonly Unread[];
  /** Whether single servers are wanted, and not only their sums. */
  readonly keepsServers: boolean;
  /** Which hosts are up, by their id, once the list of hosts is there; undefined where there is none. */
  readonly hostsUp?: (() => Promise<ReadonlyMap<string, boolean> | undefined>) | undefined;
  createSnapshotSink(): SnapshotSink;
  onReading(how: string): void;
  onDoubt(lacks: readonly Suspicion[]): void;
  onPage(progress: Progress): void;
}

/** A list that was read to its end. */
export interface Collected {
  readonly sink: SnapshotSink;
  readonly facts: ListFacts;
  /** When the oldest of the details was read, on the monotonic clock; undefined if all of them just now. */
  readonly oldestDetail?: number;
  /** When the whole list was read last, on the same clock; undefined if just now. */
  readonly wholeAt?: number;
  /** The collection succeeded: what was learned is known from now on, and the servers of this list are those that count. */
  keep(): void;
}
