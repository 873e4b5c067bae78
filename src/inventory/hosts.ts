import type { HostPlace } from '../platform/host.ts';
import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import type { Counted, HostName } from './counted.ts';
import { addNumbers, zeros } from './group.ts';
import { createTree } from './tree.ts';

/** What the servers on one host say of it, and add up to. */
export interface ToldHost extends HostPlace {
  /** '' where servers do not say. */
  readonly id: string;
  readonly name: string;
  isUp: boolean;
  /** Sums over its servers, one for each measure, by the state of the servers. */
  readonly sums: Map<State, number[]>;
}

export interface HostFold {
  add(counted: Counted): void;
  /** Where servers say that their hosts are, by the id of the host. */
  places(): ReadonlyMap<string, HostPlace>;
  finish(): readonly ToldHost[];
}

const offline = 'offline';

export function isHostDown({ hostServiceStatus, hostStatus }: Server): boolean {
  return hostServiceStatus === offline || hostStatus === offline;
}

/** Adds servers up by host; a server without a host belongs to none. */
export function createHostFold(): HostFold {
  const hosts = new Map<HostName, ToldHost>();
  const sorted = () => {
    const tree = createTree<ToldHost>();
    for (const host of hosts.values()) tree.leaf([host.region, host.zone, host.name, host.id], () => host);
    return tree.leaves();
  };
  return {
    add({ host: name, kind: { state }, hostNumbers, isHostDown: isDown }) {
      if (!name) return;
      let host = hosts.get(name);
      if (!host) hosts.set(name, (host = emptyHost(name)));
      if (isDown) host.isUp = false;
      let sums = host.sums.get(state);
      if (!sums) host.sums.set(state, (sums = zeros(hostNumbers.length)));
      addNumbers(sums, hostNumbers);
    },
    finish: sorted,
    places() {
      const told = sorted().filter(({ id, zone }) => id !== '' && zone !== '');
      return new Map(told.map(({ id, region, zone }) => [id, { region, zone }]));
    },
  };
}

function emptyHost({ id, region, zone, name }: HostName): ToldHost {
  return { id, region, zone, name, isUp: true, sums: new Map() };
}

/** The states of a host's servers with their sums, always in the same order. */
export function statesOf({ sums }: { readonly sums: ReadonlyMap<State, readonly number[]> }) {
  return states.flatMap((state): [State, readonly number[]][] => {
    const found = sums.get(state);
    return found ? [[state, found]] : [];
  });
}
