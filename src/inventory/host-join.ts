import type { HostPlace, ListedHost } from '../platform/host.ts';
import type { State } from '../platform/state.ts';
import type { ToldHost } from './hosts.ts';
import { createTree } from './tree.ts';
import type { PlacedHost } from './zone-names.ts';

/** What a host has, where the platform lists hosts. */
export type Capacity = Omit<ListedHost, 'id' | 'name' | 'zoneId' | 'isUp'>;

/** One host, as its servers and the list of hosts tell of it. */
export interface Host extends HostPlace {
  readonly name: string;
  readonly isUp: boolean;
  /** Sums over its servers, one for each measure, by the state of the servers. */
  readonly sums: ReadonlyMap<State, readonly number[]>;
  /** Undefined for a host that only servers name. */
  readonly capacity: Capacity | undefined;
}

interface Draft extends HostPlace {
  readonly name: string;
  isUp: boolean | undefined;
  sums: ReadonlyMap<State, readonly number[]>;
  capacity: Capacity | undefined;
}

const none: Draft['sums'] = new Map();

/**
 * Every host once, in the order of its labels. The list is newer than what servers say of their hosts, so its names
 * and its word on who is up count; a host that is not listed is as its servers tell.
 */
export function joinHosts(told: readonly ToldHost[], listed: readonly PlacedHost[]): readonly Host[] {
  const drafts = createTree<Draft>();
  const find = findListed(listed);

  function draftOf({ region, zone }: HostPlace, name: string): Draft {
    return drafts.leaf([region, zone, name], () => ({
      region,
      zone,
      name,
      isUp: undefined,
      sums: none,
      capacity: undefined,
    }));
  }

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
  return drafts.leaves().map(({ region, zone, name, isUp = true, sums, capacity }) => {
    return { region, zone, name, isUp, sums, capacity };
  });
}

/** By id where servers have that of their host, else by its name, if only one host has it. */
function findListed(listed: readonly PlacedHost[]): (host: ToldHost) => PlacedHost | undefined {
  const byId = new Map(listed.map((placed) => [placed.host.id, placed]));
  const byName = new Map<string, PlacedHost | undefined>();
  for (const placed of listed) {
    const { name } = placed.host;
    byName.set(name, byName.has(name) ? undefined : placed);
  }
  return ({ id, name }) => (id === '' ? byName.get(name) : byId.get(id));
}

function addSums(one: Draft['sums'], other: Draft['sums']): Draft['sums'] {
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
