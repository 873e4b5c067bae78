import { createHostChanges, type HostChanges } from './host-changes.ts';
import type { HostRecord } from './host-record.ts';
import { countHosts, type HostTruth } from './host-truth.ts';
import { createHosts } from './hosts.ts';
import { createLandscape, type Project } from './landscape.ts';
import { createLife } from './life.ts';
import { createPopulation, type Population } from './population.ts';
import { countServers, type Truth } from './truth.ts';

export interface FleetPlan {
  readonly servers: number;
  readonly seed?: number;
  readonly now?: () => number;
  /** With cases that are rare: failed tasks, ends in the year 1, every status in the recycle bin. */
  readonly rareCases?: boolean;
}

export interface Fleet extends Population, HostChanges {
  readonly hosts: readonly HostRecord[];
  /** Every project that identity knows. */
  readonly projects: readonly Project[];
  /** Lets the time until then pass: the same seed and moments give the same life. */
  live(nowMs: number): void;
  truth(view?: { readonly pendingDeleted: boolean }): Truth;
  hostTruth(): HostTruth;
}

export function createFleet(plan: FleetPlan): Fleet {
  const { servers: size, seed = 1, now = Date.now, rareCases = false } = plan;
  const landscape = createLandscape(size, seed);
  const population = createPopulation({
    landscape,
    size,
    seed,
    rareCases,
    now,
    placeNew: (server, servers) => hosts.placeNew(server, servers),
  });
  const hosts = createHosts({ landscape, servers: population.servers, seed, now });
  const changes = createHostChanges(hosts, population);
  const life = createLife({ population, hosts, changes, seed });
  return {
    ...population,
    ...changes,
    get hosts() {
      return hosts.hosts;
    },
    get servers() {
      return population.servers;
    },
    get tombstones() {
      return population.tombstones;
    },
    projects: landscape.projects,
    live: (nowMs) => life.live(nowMs),
    truth: ({ pendingDeleted } = { pendingDeleted: true }) =>
      countServers(
        pendingDeleted ? population.servers : population.servers.filter((server) => !server.pending_deleted),
      ),
    hostTruth: () => countHosts(hosts.hosts, population.servers),
  };
}
