import type { HostPlace } from '../platform/host.ts';
import type { ListFacts } from '../platform/list-servers.ts';
import type { ListSink } from '../platform/register.ts';
import type { Rejection, Server } from '../platform/server.ts';
import { Failure } from '../transport/failure.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { Counted, Note } from './counted.ts';
import { foldEntries } from './fold.ts';
import type { Breakdown, Measure, Sums } from './group.ts';
import type { Host, JoinHosts } from './host-join.ts';
import type { HostList } from './host-list.ts';
import { placesOf } from './hosts.ts';
import { createKeeper } from './keep.ts';
import type { Leavers, Ledger } from './ledger.ts';
import { createProblemList, type Problems, type ProblemSettings } from './problems.ts';

/** What one collection of one cloud learned; everything that is exported about its servers comes from here. */
export interface Snapshot extends Sums {
  readonly cloud: string;
  readonly takenAt: number;
  readonly extraLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
  readonly problems: Problems;
  /** The hosts that are listed and those that servers name, where these are exported. */
  readonly hosts: readonly Host[] | undefined;
  /** How many hosts the platform listed, or why it did not; undefined where it is not asked. */
  readonly hostsListed: number | Failure | undefined;
  readonly reported: number | undefined;
  readonly received: number;
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly pages: number;
  /** When the oldest detail in use was read; undefined where every list is detailed. */
  readonly detailsAt: number | undefined;
  /** When the whole list was read last; undefined where every list is whole. */
  readonly listedAt: number | undefined;
  /** How many series this cloud may have in all. */
  readonly seriesLimit: number;
  /** What was written of single servers while they arrived, where that is wanted. */
  readonly written: readonly TextBlock[] | undefined;
  /** Each server by itself, in the platform's order; kept only where somebody asks for them. */
  readonly servers: readonly Server[] | undefined;
}

/** Lines of text, in pieces, and how many lines they are. */
export interface TextBlock {
  readonly chunks: readonly Buffer[];
  readonly series: number;
}

/** Writes down single servers as they arrive, so that a large fleet need not be kept. */
export interface ServerWriter extends ListSink<Server> {
  finish(): readonly TextBlock[];
}

export interface SnapshotSettings {
  readonly cloud: string;
  readonly extraLabels: readonly string[];
  readonly bytesPer: { readonly memory: number; readonly disk: number };
  readonly problems: ProblemSettings;
  readonly seriesLimit: number;
  /** Label sets beyond this are counted under `other`. */
  readonly groupLimit: number;
  readonly measures: readonly Measure[];
  readonly breakdowns: readonly Breakdown[];
  /** Undefined where hosts are not exported. */
  readonly hostMeasures: readonly Measure[] | undefined;
}

/** What there is to say beside the servers. */
export interface SnapshotFacts {
  readonly takenAt: number;
  readonly listing: ListFacts;
  readonly hostList?: HostList | undefined;
  readonly detailsAt?: number | undefined;
  readonly listedAt?: number | undefined;
}

export interface SnapshotSink {
  /** A server that came, or is not as it was; `offset` is that of its page. */
  add(counted: Counted, offset: number): void;
  /** One that is as it was, with what there is to say of it. */
  stay(note: Note | undefined, offset: number): void;
  /** So many are taken within some milliseconds. */
  readonly mostAtOnce: number | undefined;
  /** The list was whole: what comes next is about its servers. */
  keep(leavers: Leavers): void;
  /** Where servers say that their hosts are, by the id of the host. */
  hostPlaces(): ReadonlyMap<string, HostPlace>;
  finish(facts: SnapshotFacts): Promise<Snapshot>;
}

/** So many single servers are written down within some milliseconds. */
const writtenAtOnce = 100;

export function createSnapshotSink(
  settings: SnapshotSettings,
  options: {
    ledger: Ledger;
    joinHosts: JoinHosts;
    keepServers: boolean;
    writer: ServerWriter | undefined;
  },
): SnapshotSink {
  const { cloud, extraLabels, bytesPer, seriesLimit } = settings;
  const { ledger, joinHosts } = options;
  const reading = ledger.begin();
  const problems = createProblemList(settings.problems);
  const keeper = options.keepServers ? createKeeper() : undefined;
  const { writer } = options;

  function take(note: Note | undefined, offset: number): void {
    if (!note) return;
    for (const problem of note.problems) problems.add(problem);
    if (!note.server) return;
    keeper?.keep(note.server, offset);
    writer?.add(note.server, offset);
  }

  return {
    mostAtOnce: writer && writtenAtOnce,
    add(counted, offset) {
      reading.add(counted);
      take(counted.note, offset);
    },
    stay: take,
    keep: reading.keep,
    hostPlaces: () => placesOf(ledger.hosts()),
    async finish({ takenAt, listing, hostList, detailsAt, listedAt }) {
      const { groups, parts, mergedSets, projects } = foldEntries(ledger.entries(), {
        limit: settings.groupLimit,
        breakdowns: settings.breakdowns.length,
      });
      await yieldToEventLoop();
      const listed = hostList instanceof Failure ? undefined : hostList;
      const hosts = settings.hostMeasures && joinHosts(ledger.hosts(), listed ?? []);
      await yieldToEventLoop();
      // Each by its name: objects that are put together from others have a shape of their own each time, and all that
      // reads them is compiled anew.
      return {
        cloud,
        takenAt,
        extraLabels,
        bytesPer,
        seriesLimit,
        groups,
        parts,
        mergedSets,
        projects,
        problems: problems.finish(),
        hosts,
        hostsListed: listed?.length ?? (hostList as Failure | undefined),
        reported: listing.reported,
        received: listing.received,
        rejected: listing.rejected,
        pages: listing.pages,
        detailsAt,
        listedAt,
        servers: keeper?.finish(),
        written: writer?.finish(),
      };
    },
  };
}
