import type { HostPlace } from '../platform/host.ts';
import type { Server } from '../platform/server.ts';
import { states, type State } from '../platform/state.ts';
import type { Counted, HostName } from './counted.ts';
import { addNumbers, zeros } from './group.ts';

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
    finish: () => [...hosts.values()],
    places() {
      const places = new Map<string, HostPlace>();
      for (const host of hosts.values()) {
        const { id, zone } = host;
        if (id === '' || zone === '') continue;
        const known = places.get(id);
        // Servers that disagree must not make it move from scrape to scrape.
        if (!known || isBefore(known, host)) places.set(id, host);
      }
      return places;
    },
  };
}

function isBefore(a: HostPlace, b: HostPlace): boolean {
  return a.region === b.region ? a.zone < b.zone : a.region < b.region;
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
