import type { Block } from '../metrics/exposition.ts';
import type { ServerText } from '../metrics/server-text.ts';
import type { Sink, Listing } from '../platform/list-servers.ts';
import type { Rejection, Server } from '../platform/server.ts';
import { createFold } from './fold.ts';
import type { Sums } from './group.ts';
import { createKeeper } from './keep.ts';
import { createProblemList, type Problems, type ProblemSettings } from './problems.ts';

/** What one collection of one cloud learned; everything that is exported about its servers comes from here. */
export interface Snapshot extends Sums {
  readonly cloud: string;
  readonly takenAt: number;
  readonly extraLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
  readonly problems: Problems;
  readonly reported: number | undefined;
  readonly received: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
  /** How many series this cloud may have in all. */
  readonly seriesLimit: number;
  /** The lines of single servers by family, where these are exported. */
  readonly serverText: ReadonlyMap<string, Block> | undefined;
  /** Each server by itself, in the platform's order; kept only where somebody asks for them. */
  readonly servers: readonly Server[] | undefined;
}

export interface SnapshotSettings {
  readonly cloud: string;
  readonly extraLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
  readonly problems: ProblemSettings;
  readonly seriesLimit: number;
}

/** A label set of the fleet becomes about this many series, one in each family. */
const seriesPerGroup = 8;

export interface SnapshotSink extends Sink {
  finish(takenAt: number, listing: Omit<Listing<SnapshotSink>, 'intake' | 'layout'>): Snapshot;
}

export function createSnapshotSink(
  settings: SnapshotSettings,
  now: number,
  options: { keepServers: boolean; serverText: ServerText | undefined },
): SnapshotSink {
  const fold = createFold({ now, limit: Math.max(1, Math.floor(settings.seriesLimit / seriesPerGroup)) });
  const problems = createProblemList(settings.problems, now);
  const keeper = options.keepServers ? createKeeper() : undefined;
  return {
    add(server, offset) {
      fold.add(server);
      problems.add(server);
      keeper?.keep(server, offset);
      options.serverText?.add(server, offset);
    },
    finish(takenAt, { reported, received, rejected, pages }) {
      return {
        cloud: settings.cloud,
        takenAt,
        extraLabels: settings.extraLabels,
        bytesPer: settings.bytesPer,
        seriesLimit: settings.seriesLimit,
        ...fold.finish(),
        problems: problems.finish(),
        reported,
        received,
        rejected,
        pages,
        servers: keeper?.finish(),
        serverText: options.serverText?.finish(),
      };
    },
  };
}
