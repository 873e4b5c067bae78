import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { isHostUp, type HostNames } from './names.ts';
import type { Place } from './places.ts';
import { findProblems, summarize, type Problem, type Problems, type ProblemSettings } from './problems.ts';
import type { PlacedRow } from './row.ts';
import { createTree, leafOf, leavesOf, type Tree } from './tree.ts';
import type { Slices } from '../yield-to-event-loop.ts';

/** How one server counts in a sum. Sizes are in the platform's units. */
export type Measure = (server: Server) => number;

/** What a server may have several of: the values of its own labels for each. */
export interface Breakdown {
  parts(server: Server, now: number): readonly (readonly string[])[];
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

/** By the values of their labels, and for these by place: values are few, places many. */
type SumTree = Tree<{ readonly values: readonly string[]; readonly byPlace: Map<Place, Sum> }>;

interface HostSum extends HostServers {
  names: HostNames;
  readonly sums: Map<State, number[]>;
}

/** Adds up all servers, anew each time: nothing can drift, and what depends on time can't be forgotten. */
export async function addUp(
  { rows, places }: { readonly rows: readonly PlacedRow[]; readonly places: readonly Place[] },
  settings: SumSettings,
  now: number,
  slices: Slices,
): Promise<Sums> {
  const { measures, breakdowns, hostMeasures, groupLimit } = settings;
  const groups: SumTree = createTree();
  const parts: readonly SumTree[] = breakdowns.map(() => createTree());
  const zeros = measures.map(() => 0);
  const hosts = new Map<string, HostSum>();
  const problems: Problem[] = [];
  const devicesInUse = new Set<string>();
  const projects = createTree<true>();
  let oldestReadAt: number | undefined;

  for (const row of rows) {
    if (slices.isOver()) await slices.next();
    const { server, readAt, at } = row;
    const { place, project } = at;
    add(sumOf(groups, [server.state], place, zeros), measures, server);
    for (let index = 0; index < breakdowns.length; index += 1)
      for (const values of breakdowns[index]!.parts(server, now))
        sumOf(parts[index]!, values, place, zero).sums[0]! += 1;
    addToHost(hosts, row, hostMeasures);
    for (const { id } of server.devices) devicesInUse.add(id);
    for (const problem of findProblems(row, settings.problems, now)) problems.push(problem);
    leafOf(projects, [project.projectDomain, project.project], isThere);
    if (oldestReadAt === undefined || readAt < oldestReadAt) oldestReadAt = readAt;
  }
  const ranks = new Map(places.map((place, rank) => [place, rank]));
  const byState = inOrder(groups, ranks);
  const byParts = parts.map((tree) => inOrder(tree, ranks));
  return {
    groups: fold(byState, groupLimit),
    parts: byParts.map((list) => fold(list, groupLimit)),
    mergedSets: [byState, ...byParts].reduce(
      (merged, { length }) => merged + Math.max(0, length - groupLimit),
      0,
    ),
    projects: leavesOf(projects).length,
    problems: summarize(problems, settings.problems.limit),
    hosts: [...hosts.values()],
    devicesInUse,
    oldestReadAt,
  };
}

const zero = [0];
const isThere = () => true as const;
const noSums = (values: readonly string[]) => ({ values, byPlace: new Map<Place, Sum>() });

function sumOf(tree: SumTree, labels: readonly string[], place: Place, zeros: readonly number[]): Sum {
  const { values, byPlace } = leafOf(tree, labels, noSums);
  let sum = byPlace.get(place);
  if (!sum) byPlace.set(place, (sum = { place, values, sums: [...zeros] }));
  return sum;
}

function add({ sums }: { readonly sums: number[] }, measures: readonly Measure[], server: Server): void {
  for (let index = 0; index < measures.length; index += 1) sums[index]! += measures[index]!(server);
}

function addToHost(hosts: Map<string, HostSum>, row: PlacedRow, measures: readonly Measure[]): void {
  const { server, at } = row;
  const names = at.host;
  const { hostId: id, hypervisor, state } = server;
  if (id === '' && names.host === '') return;
  const key = id || JSON.stringify([names.region, names.zone, names.host]);
  let host = hosts.get(key);
  if (!host) hosts.set(key, (host = { id, names, hypervisor, sums: new Map() }));
  // Without an id, each of its servers has a word of its own.
  if (id === '' && isHostUp(server) === false) host.names = names;
  let sums = host.sums.get(state);
  if (!sums) host.sums.set(state, (sums = measures.map(() => 0)));
  add({ sums }, measures, server);
}

/** By place, then by the other values. */
function inOrder(tree: SumTree, ranks: ReadonlyMap<Place, number>): Sum[] {
  return leavesOf(tree)
    .flatMap(({ byPlace }) => [...byPlace.values()])
    .toSorted((a, b) => ranks.get(a.place)! - ranks.get(b.place)!);
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
