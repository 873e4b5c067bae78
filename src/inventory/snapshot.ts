import type { Server } from '../platform/server.ts';
import type { Failure } from '../transport/failure.ts';
import type { Resource } from '../transport/resources.ts';
import type { Hosts } from './hosts.ts';
import type { SideSeries } from './side-series.ts';
import type { Sums } from './sums.ts';

/** What there is to say of one list beside its records. */
export interface ListFacts {
  /** Why the latest one failed, if it did: then the others are of the last good one, where that is still served. */
  readonly failure: Failure | undefined;
  /** Undefined where none is served. */
  readonly reported: number | undefined;
  readonly received: number | undefined;
  readonly rejected: ReadonlyMap<string, number>;
  readonly pages: number | undefined;
  /** When the full list was read, by the wall clock. */
  readonly listedAt: number | undefined;
}

/** What one collection of one cloud learned; everything that is exported about it comes from here. Never changed. */
export interface Snapshot
  extends
    Omit<Sums, 'hosts' | 'oldestReadAt' | 'devicesInUse' | 'toReadAgain' | 'groupsInUse'>,
    Omit<SideSeries, 'from'> {
  readonly cloud: string;
  readonly takenAt: number;
  readonly extraLabels: readonly string[];
  /** Those of single servers only. */
  readonly infoLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
  /** Undefined where hosts are not exported. */
  readonly hosts: Hosts | undefined;
  /** Of what is listed, servers included. */
  readonly lists: ReadonlyMap<Resource, ListFacts>;
  /** When the oldest detail in use was read; undefined where every list is detailed. */
  readonly detailsAt: number | undefined;
  /** How many series this cloud may have in all. */
  readonly seriesLimit: number;
  /** Each server by itself, under the names of this snapshot, where discovery or `per_server` wants them. */
  readonly servers: readonly Server[] | undefined;
  /** Whether they are exported (`per_server`). */
  readonly exportsServers: boolean;
}
