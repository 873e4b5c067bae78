import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { isHostUp, type HostNames } from './names.ts';
import { projectOf, type Place } from './places.ts';
import { createProblemList, type Problems, type ProblemSettings } from './problems.ts';
import type { PlacedRow } from './row.ts';
import { byCodeUnit, createTree, type Tree } from './tree.ts';

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

/** Sums over the servers of one place and state, one for each measure of the fleet. */
export interface Group {
  readonly place: Place;
  readonly state: State;
  readonly sums: readonly number[];
}

/** Servers of one place, by the platform's own word. */
export interface StatusCount {
  readonly place: Place;
  readonly state: State;
  readonly status: string;
  readonly servers: number;
}

/** What a breakdown counted in one place under the same values. */
export interface Part {
  readonly place: Place;
  readonly values: readonly string[];
  readonly count: number;
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
  /** Each in the order of its labels. */
  readonly groups: readonly Group[];
  readonly statuses: readonly StatusCount[];
  readonly parts: readonly (readonly Part[])[];
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
  readonly statuses: Map<string, number>;
}

interface Counted extends Part {
  count: number;
}

interface HostSum extends HostServers {
  names: HostNames;
  readonly sums: Map<State, number[]>;
}

/** Adds up all servers, anew each time: nothing can drift, and what depends on time can't be forgotten. */
export function addUp(rows: Iterable<PlacedRow>, settings: SumSettings, now: number): Sums {
  const { measures, breakdowns, hostMeasures } = settings;
  const groups = new Map<Place, Map<State, Sum>>();
  const parts = breakdowns.map(() => new Map<Place, Tree<Counted>>());
  const hosts = new Map<string, HostSum>();
  const problems = createProblemList(settings.problems, now);
  const devicesInUse = new Set<string>();
  let oldestReadAt: number | undefined;
  let place: Place = [];
  const adders = parts.map((trees) => (values: readonly string[], count: number) => {
    let tree = trees.get(place);
    if (!tree) trees.set(place, (tree = createTree()));
    tree.leaf(values, () => ({ place, values, count: 0 })).count += count;
  });

  for (const { server, readAt, at } of rows) {
    ({ place } = at);
    const { sums, statuses } = groupOf(server);
    for (let index = 0; index < measures.length; index += 1) sums[index]! += measures[index]!(server);
    statuses.set(server.status, (statuses.get(server.status) ?? 0) + 1);
    for (let index = 0; index < breakdowns.length; index += 1)
      breakdowns[index]!.parts(server, now, adders[index]!);
    addToHost(server, at.host);
    for (const { id } of server.devices) devicesInUse.add(id);
    problems.add(server, at.host, place);
    if (oldestReadAt === undefined || readAt < oldestReadAt) oldestReadAt = readAt;
  }
  const places = [...groups.keys()].toSorted(comparePlaces);
  return {
    ...fold(
      places.flatMap((one) =>
        [...groups.get(one)!.values()].toSorted((a, b) => byCodeUnit(a.state, b.state)),
      ),
      parts.map((trees) => places.flatMap((one) => trees.get(one)?.leaves() ?? [])),
      settings.groupLimit,
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
    if (!sum) ofPlace.set(state, (sum = { place, state, sums: measures.map(() => 0), statuses: new Map() }));
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

/** By the values, one after the other. */
function comparePlaces(one: Place, other: Place): number {
  for (let index = 0; index < one.length; index += 1) {
    const order = byCodeUnit(one[index]!, other[index]!);
    if (order !== 0) return order;
  }
  return 0;
}

function countProjects(places: readonly Place[]): number {
  const projects = createTree<true>();
  for (const place of places) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}

const other = 'other';
/** Words of the platform are few, unless it makes them up. */
const maxStatuses = 100;

/** Past `limit` label sets the last ones in order count as one place, `other`: every sum stays true, and the same sets stay. */
function fold(
  sums: readonly Sum[],
  parts: readonly (readonly Part[])[],
  limit: number,
): Pick<Sums, 'groups' | 'statuses' | 'parts' | 'mergedSets'> {
  const statuses = sums.flatMap(({ place, state, statuses: counts }) =>
    [...counts]
      .toSorted(([a], [b]) => byCodeUnit(a, b))
      .map(([status, servers]) => ({ place, state, status, servers })),
  );
  const lists = [sums, statuses, ...parts];
  const mergedSets = lists.reduce((sum, { length }) => sum + Math.max(0, length - limit), 0);
  const someStatuses = new Set(statuses.slice(limit, limit + maxStatuses).map(({ status }) => status));
  return {
    mergedSets,
    groups: foldList<Group>(
      sums,
      limit,
      ({ state }) => [state],
      (one, more) => ({
        ...one,
        sums: one.sums.map((sum, index) => sum + more.sums[index]!),
      }),
    ),
    statuses: foldList<StatusCount>(
      statuses.map((one, index) =>
        index < limit || someStatuses.has(one.status) ? one : { ...one, status: other },
      ),
      limit,
      ({ state, status }) => [state, status],
      (one, { servers }) => ({ ...one, servers: one.servers + servers }),
    ),
    parts: parts.map((list) =>
      foldList<Part>(
        list.map((part, index) =>
          index < limit
            ? part
            : { ...part, values: part.values.map((value) => (isState(value) ? value : other)) },
        ),
        limit,
        ({ values }) => values,
        (one, { count }) => ({ ...one, count: one.count + count }),
      ),
    ),
  };
}

function foldList<Item extends { readonly place: Place }>(
  items: readonly Item[],
  limit: number,
  valuesOf: (item: Item) => readonly string[],
  merge: (one: Item, more: Item) => Item,
): readonly Item[] {
  if (items.length <= limit) return items;
  const merged = new Map<string, Item>();
  for (const item of items.slice(limit)) {
    const key = JSON.stringify(valuesOf(item));
    const known = merged.get(key);
    merged.set(key, known ? merge(known, item) : { ...item, place: item.place.map(() => other) });
  }
  return [...items.slice(0, limit), ...merged.values()];
}

function isState(word: string): boolean {
  return states.some((state) => state === word);
}
