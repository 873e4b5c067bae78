import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { isHostUp, type HostNames } from './names.ts';
import { projectOf, type Place } from './places.ts';
import { createProblemList, type Problems, type ProblemSettings } from './problems.ts';
import type { PlacedRow } from './row.ts';
import { compareLists, createTree, type Tree } from './tree.ts';
import type { Slices } from '../yield-to-event-loop.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export type Measure = (server: Server) => number;

/** What a server may have several of: `add` is called for each, with the values of its own labels. */
export interface Breakdown {
  parts(server: Server, now: number, add: (values: readonly string[], count: number) => void): void;
}

export interface SumSettings {
  readonly measures: readonly Measure[];
  readonly breakdowns: readonly Breakdown[];
  readonly hostMeasures: readonly Measure[];
  readonly problems: ProblemSettings;
  /** Label sets beyond this are counted under `other`. */
  readonly groupLimit: number;
}

/** Servers of one place that have the same values of some other labels. */
export interface Group {
  readonly place: Place;
  readonly values: readonly string[];
  /** One for each measure; of a breakdown there is one alone. */
  readonly sums: readonly number[];
}

/** What the servers on one host say of it, and add up to. */
export interface HostServers {
  /** '' where servers do not say. */
  readonly id: string;
  readonly names: HostNames;
  readonly hypervisor: string;
  /** One for each measure of the hosts, by the state of the servers. */
  readonly sums: ReadonlyMap<State, readonly number[]>;
}

/** What the servers of a mirror add up to. */
export interface Sums {
  /** By state, in the order of the labels. */
  readonly groups: readonly Group[];
  /** Those of each breakdown, in the order of their labels. */
  readonly parts: readonly (readonly Group[])[];
  /** Label sets beyond the limit, which are counted under `other`. */
  readonly mergedSets: number;
  /** Distinct projects, those counted under `other` too. */
  readonly projects: number;
  readonly problems: Problems;
  readonly hosts: readonly HostServers[];
  /** The ids of devices that servers have. */
  readonly devicesInUse: ReadonlySet<string>;
  /** When the oldest details in use were read, on the monotonic clock. */
  readonly oldestReadAt: number | undefined;
}

interface Sum extends Group {
  readonly sums: number[];
}

interface HostSum extends HostServers {
  names: HostNames;
  readonly sums: Map<State, number[]>;
}

/** Adds up all servers, anew each time: nothing can drift, and what depends on time can't be forgotten. */
export async function addUp(
  rows: readonly PlacedRow[],
  settings: SumSettings,
  now: number,
  slices: Slices,
): Promise<Sums> {
  const { measures, breakdowns, hostMeasures } = settings;
  const groups = new Map<Place, Map<State, Sum>>();
  const parts = breakdowns.map(() => new Map<Place, Tree<Sum>>());
  const hosts = new Map<string, HostSum>();
  const problems = createProblemList(settings.problems, now);
  const devicesInUse = new Set<string>();
  let oldestReadAt: number | undefined;
  let place: Place = [];
  const adders = parts.map((trees) => (values: readonly string[], count: number) => {
    let tree = trees.get(place);
    if (!tree) trees.set(place, (tree = createTree()));
    tree.leaf(values, () => ({ place, values, sums: [0] })).sums[0]! += count;
  });

  for (const { server, readAt, at } of rows) {
    if (slices.isOver()) await slices.next();
    ({ place } = at);
    const { sums } = groupOf(server);
    for (let index = 0; index < measures.length; index += 1) sums[index]! += measures[index]!(server);
    for (let index = 0; index < breakdowns.length; index += 1)
      breakdowns[index]!.parts(server, now, adders[index]!);
    addToHost(server, at.host);
    for (const { id } of server.devices) devicesInUse.add(id);
    problems.add(server, at.host, place);
    if (oldestReadAt === undefined || readAt < oldestReadAt) oldestReadAt = readAt;
  }
  const places = [...groups.keys()].toSorted(compareLists);
  const byState = places.flatMap((one) =>
    [...groups.get(one)!.values()].toSorted((a, b) => compareLists(a.values, b.values)),
  );
  const byParts = parts.map((trees) => places.flatMap((one) => trees.get(one)?.leaves() ?? []));
  const { groupLimit } = settings;
  return {
    groups: fold(byState, groupLimit),
    parts: byParts.map((list) => fold(list, groupLimit)),
    mergedSets: [byState, ...byParts].reduce(
      (merged, { length }) => merged + Math.max(0, length - groupLimit),
      0,
    ),
    projects: countProjects(places),
    problems: problems.finish(),
    hosts: [...hosts.values()],
    devicesInUse,
    oldestReadAt,
  };

  function groupOf({ state }: Server): Sum {
    let ofPlace = groups.get(place);
    if (!ofPlace) groups.set(place, (ofPlace = new Map()));
    let sum = ofPlace.get(state);
    if (!sum) ofPlace.set(state, (sum = { place, values: [state], sums: measures.map(() => 0) }));
    return sum;
  }

  function addToHost(server: Server, host: HostNames): void {
    if (server.hostId === '' && host.host === '') return;
    const key = server.hostId || JSON.stringify([host.region, host.zone, host.host]);
    let sum = hosts.get(key);
    if (!sum)
      hosts.set(
        key,
        (sum = { id: server.hostId, names: host, hypervisor: server.hypervisor, sums: new Map() }),
      );
    // Without an id, each of its servers has a word of its own.
    if (server.hostId === '' && isHostUp(server) === false) sum.names = host;
    let numbers = sum.sums.get(server.state);
    if (!numbers) sum.sums.set(server.state, (numbers = hostMeasures.map(() => 0)));
    for (let index = 0; index < hostMeasures.length; index += 1)
      numbers[index]! += hostMeasures[index]!(server);
  }
}

function countProjects(places: readonly Place[]): number {
  const projects = createTree<true>();
  for (const place of places) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}

const other = 'other';
const stateWords: readonly string[] = states;
/** So many sets of values keep their words past the limit: those of the platform are few, unless it makes them up. */
const maxMergedValues = 100;

/** Past `limit` label sets the last ones in order count as one place, `other`: every sum stays true, and the same sets stay. */
function fold(groups: readonly Group[], limit: number): readonly Group[] {
  if (groups.length <= limit) return groups;
  const merged = new Map<string, Group>();
  for (const { place, values, sums } of groups.slice(limit)) {
    const isKept = merged.size < maxMergedValues || merged.has(JSON.stringify(values));
    const words = isKept ? values : values.map((value) => (stateWords.includes(value) ? value : other));
    const known = merged.get(JSON.stringify(words));
    merged.set(JSON.stringify(words), {
      place: place.map(() => other),
      values: words,
      sums: known ? sums.map((sum, index) => sum + known.sums[index]!) : sums,
    });
  }
  return [...groups.slice(0, limit), ...merged.values()];
}
