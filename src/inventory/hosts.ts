import type { HostPlace } from '../platform/host.ts';
import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import { addServer, zeros, type Measure } from './group.ts';
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
  add(server: Server): void;
  /** Where servers say that their hosts are, by the id of the host. */
  places(): ReadonlyMap<string, HostPlace>;
  finish(): readonly ToldHost[];
}

const offline = 'offline';

export function isHostDown({ hostServiceStatus, hostStatus }: Server): boolean {
  return hostServiceStatus === offline || hostStatus === offline;
}

/** Adds servers up by host; a server without a host belongs to none. */
export function createHostFold(measures: readonly Measure[]): HostFold {
  const hosts = createTree<ToldHost>();
  return {
    add(server) {
      const { region, zone, host: name, hostId: id, state } = server;
      if (name === '' && id === '') return;
      const host = hosts.leaf([region, zone, name, id], () => ({
        id,
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
    places() {
      const told = hosts.leaves().filter(({ id, zone }) => id !== '' && zone !== '');
      return new Map(told.map(({ id, region, zone }) => [id, { region, zone }]));
    },
    finish: () => hosts.leaves(),
  };
}

/** The states of a host's servers with their sums, always in the same order. */
export function statesOf({ sums }: { readonly sums: ReadonlyMap<State, readonly number[]> }) {
  return states.flatMap((state): [State, readonly number[]][] => {
    const found = sums.get(state);
    return found ? [[state, found]] : [];
  });
}
