import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { addServer, zeros, type Measure } from './group.ts';
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
export function createHostFold(measures: readonly Measure[]): {
  add(server: Server): void;
  finish(): readonly Host[];
} {
  const hosts = createTree<Host & { readonly sums: Map<State, number[]> }>();
  return {
    add(server) {
      const { region, zone, host: name, state } = server;
      if (name === '') return;
      const host = hosts.leaf([region, zone, name], () => ({
        region,
        zone,
        name,
        isUp: true,
        sums: new Map<State, number[]>(),
      }));
      if (isHostDown(server)) host.isUp = false;
      let sums = host.sums.get(state);
      if (!sums) host.sums.set(state, (sums = zeros(measures)));
      addServer(sums, measures, server);
    },
    finish: () => hosts.leaves(),
  };
}

/** The states of a host's servers with their sums, always in the same order. */
export function statesOf({ sums }: Host): [State, readonly number[]][] {
  return states.flatMap((state): [State, readonly number[]][] => {
    const found = sums.get(state);
    return found ? [[state, found]] : [];
  });
}
