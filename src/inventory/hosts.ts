import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import type { Counted, HostPlace } from './counted.ts';
import { addNumbers } from './group.ts';
import { createTree } from './tree.ts';

/** One host, as its servers tell of it. */
export interface Host {
  readonly region: string;
  readonly zone: string;
  readonly name: string;
  isUp: boolean;
  /** Sums over its servers, one for each measure, by the state of the servers. */
  readonly sums: ReadonlyMap<State, number[]>;
}

const offline = 'offline';

export function isHostDown({ hostServiceStatus, hostStatus }: Server): boolean {
  return hostServiceStatus === offline || hostStatus === offline;
}

/** Adds servers up by host; a server without a host belongs to none. */
export function createHostFold(): {
  add(counted: Counted): void;
  finish(): readonly Host[];
} {
  const hosts = new Map<HostPlace, Host & { readonly sums: Map<State, number[]> }>();
  return {
    add({ host: place, kind: { state }, hostNumbers, isHostDown: isDown }) {
      if (!place) return;
      let host = hosts.get(place);
      if (!host) hosts.set(place, (host = { ...place, isUp: true, sums: new Map<State, number[]>() }));
      if (isDown) host.isUp = false;
      let sums = host.sums.get(state);
      if (!sums) host.sums.set(state, (sums = hostNumbers.map(() => 0)));
      addNumbers(sums, hostNumbers);
    },
    finish() {
      const sorted = createTree<Host>();
      for (const host of hosts.values()) sorted.leaf([host.region, host.zone, host.name], () => host);
      return sorted.leaves();
    },
  };
}

/** The states of a host's servers with their sums, always in the same order. */
export function statesOf({ sums }: Host): [State, readonly number[]][] {
  return states.flatMap((state): [State, readonly number[]][] => {
    const found = sums.get(state);
    return found ? [[state, found]] : [];
  });
}
