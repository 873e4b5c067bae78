import type { HostPlace, ListedHost } from '../platform/host.ts';
import { states, type State } from '../platform/state.ts';
import type { ToldHost } from './hosts.ts';
import { createTree } from './tree.ts';
import type { PlacedHost } from './zone-names.ts';

/** What a host has, where the platform lists hosts. */
export type Capacity = Omit<ListedHost, 'id' | 'name' | 'zoneId' | 'isUp'>;

/** What is to be said of a host beside its servers. One object for as long as it stays the same. */
export interface HostFacts extends HostPlace {
  readonly name: string;
  readonly isUp: boolean;
  /** Undefined for a host that only servers name. */
  readonly capacity: Capacity | undefined;
}

/** One host, as its servers and the list of hosts tell of it. */
export interface Host {
  readonly facts: HostFacts;
  /** Sums over its servers, one for each measure, by the state of the servers. */
  readonly sums: ReadonlyMap<State, readonly number[]>;
  /** The same in the order of states, for who writes them down. */
  readonly states: readonly HostState[];
}

/** One object for as long as it stays the same. */
export interface HostState {
  readonly facts: HostFacts;
  readonly state: State;
  readonly numbers: readonly number[];
}

export type JoinHosts = (told: readonly ToldHost[], listed: readonly PlacedHost[]) => readonly Host[];

/** A name in a place, and what was told of it in the latest join. */
interface Draft extends HostPlace {
  readonly name: string;
  joinedIn: number;
  isUp: boolean | undefined;
  sums: Host['sums'];
  capacity: Capacity | undefined;
  host: Host | undefined;
}

const none: Host['sums'] = new Map();

/**
 * Every host once, in the order of its labels. The list is newer than what servers say of their hosts, so its names
 * and its word on who is up count; a host that is not listed is as its servers tell.
 *
 * Hosts seldom come and go, so names are found and sorted once.
 */
export function createHostJoin(): JoinHosts {
  let names = createTree<Draft>();
  let ordered: readonly Draft[] = [];
  let joins = 0;
  let found = 0;

  function draftOf({ region, zone }: HostPlace, name: string): Draft {
    const draft = names.leaf([region, zone, name], () => newDraft(region, zone, name));
    if (draft.joinedIn === joins) return draft;
    found += 1;
    draft.joinedIn = joins;
    draft.isUp = undefined;
    draft.sums = none;
    draft.capacity = undefined;
    return draft;
  }

  function join(told: readonly ToldHost[], listed: readonly PlacedHost[]): readonly Host[] {
    const find = findListed(listed);
    joins += 1;
    found = 0;
    for (const placed of listed) {
      const { host } = placed;
      const draft = draftOf(placed, host.name);
      draft.isUp = both(draft.isUp, host.isUp);
      draft.capacity = draft.capacity ? addCapacity(draft.capacity, host) : host;
    }
    for (const host of told) {
      const known = find(host);
      if (!known && host.name === '') continue;
      const draft = known ? draftOf(known, known.host.name) : draftOf(host, host.name);
      if (known?.host.isUp === undefined) draft.isUp = both(draft.isUp, host.isUp);
      draft.sums = draft.sums === none ? host.sums : addSums(draft.sums, host.sums);
    }
    if (found !== ordered.length || ordered.some(({ joinedIn }) => joinedIn !== joins))
      ordered = names.leaves();
    if (found === ordered.length) return ordered.map(hostOf);
    // Some have gone.
    names = createTree();
    return join(told, listed);
  }

  return join;
}

function newDraft(region: string, zone: string, name: string): Draft {
  return {
    region,
    zone,
    name,
    joinedIn: 0,
    isUp: undefined,
    sums: none,
    capacity: undefined,
    host: undefined,
  };
}

function hostOf(draft: Draft): Host {
  const { host, sums } = draft;
  const facts = factsOf(draft);
  if (host?.facts === facts && host.sums === sums) return host;
  return (draft.host = { facts, sums, states: statesOf(facts, sums, host?.states) });
}

function statesOf(facts: HostFacts, sums: Host['sums'], before: readonly HostState[] = []): HostState[] {
  const found: HostState[] = [];
  for (const state of states) {
    const numbers = sums.get(state);
    if (!numbers) continue;
    const known = before.find((one) => one.facts === facts && one.state === state);
    const isSame = known?.numbers.every((number, index) => number === numbers[index]);
    found.push(isSame ? known! : { facts, state, numbers });
  }
  return found;
}

function factsOf({ region, zone, name, isUp = true, capacity, host }: Draft): HostFacts {
  const before = host?.facts;
  if (before?.isUp === isUp && before.capacity === capacity) return before;
  return { region, zone, name, isUp, capacity };
}

/** By id where servers have that of their host, else by its name, if only one host has it. */
function findListed(listed: readonly PlacedHost[]): (host: ToldHost) => PlacedHost | undefined {
  const byId = new Map<string, PlacedHost>();
  for (const placed of listed) byId.set(placed.host.id, placed);
  let byName: ReadonlyMap<string, PlacedHost | undefined> | undefined;
  return ({ id, name }) => (id === '' ? (byName ??= namesOf(listed)).get(name) : byId.get(id));
}

function namesOf(listed: readonly PlacedHost[]): ReadonlyMap<string, PlacedHost | undefined> {
  const byName = new Map<string, PlacedHost | undefined>();
  for (const placed of listed) {
    const { name } = placed.host;
    byName.set(name, byName.has(name) ? undefined : placed);
  }
  return byName;
}

function addSums(one: Host['sums'], other: Host['sums']): Host['sums'] {
  const sums = new Map(one);
  for (const [state, numbers] of other) {
    const before = sums.get(state);
    sums.set(state, before ? before.map((sum, index) => sum + numbers[index]!) : numbers);
  }
  return sums;
}

function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one && other;
}

/** Two hosts of one name in one zone are one series: together they have what both have. */
function addCapacity(one: Capacity, other: ListedHost): Capacity {
  const { cpuOvercommit, memoryOvercommit } = one;
  return {
    cpuOvercommit,
    memoryOvercommit,
    isEnabled: both(one.isEnabled, other.isEnabled),
    cpus: add(one.cpus, other.cpus),
    memory: add(one.memory, other.memory),
    storage: add(one.storage, other.storage),
  };
}

function add(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one + other;
}
