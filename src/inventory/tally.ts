import type { State } from '../platform/state.ts';
import type { Counted, HostName, Kind } from './counted.ts';
import { addNumbers, zeros } from './group.ts';

/** How many servers there are, and what their numbers add up to. */
export interface Tally {
  servers: number;
  readonly sums: number[];
}

export interface HostTally {
  servers: number;
  /** Servers that say that their host is down. */
  down: number;
  readonly states: Map<State, Tally>;
}

/** Servers added up by kind and by host; what has no servers any more is not there. */
export interface Tallies {
  readonly kinds: ReadonlyMap<Kind, Tally>;
  readonly hosts: ReadonlyMap<HostName, HostTally>;
  add(counted: Counted): void;
  /** Adds what others have added up, or takes it away. */
  merge(others: Tallies, sign: 1 | -1): void;
  /** False once a number was no whole one, or too large: taking it away again does not leave what was there before. */
  isExact(): boolean;
}

export function createTallies({ withHosts }: { withHosts: boolean }): Tallies {
  const kinds = new Map<Kind, Tally>();
  const hosts = new Map<HostName, HostTally>();
  let isExact = true;

  function addTo(tally: Tally, servers: number, numbers: readonly number[]): void {
    tally.servers += servers;
    addNumbers(tally.sums, numbers);
    for (const sum of tally.sums) if (!Number.isSafeInteger(sum)) isExact = false;
  }

  function hostTallyOf(name: HostName): HostTally {
    let host = hosts.get(name);
    if (!host) hosts.set(name, (host = { servers: 0, down: 0, states: new Map() }));
    return host;
  }

  return {
    kinds,
    hosts,
    isExact: () => isExact,
    add({ kind, host: name, numbers, hostNumbers, isHostDown }) {
      if (!numbers.every(Number.isSafeInteger)) isExact = false;
      addTo(tallyOf(kinds, kind, numbers.length), 1, numbers);
      if (!withHosts || !name) return;
      if (!hostNumbers.every(Number.isSafeInteger)) isExact = false;
      const host = hostTallyOf(name);
      host.servers += 1;
      host.down += Number(isHostDown);
      addTo(tallyOf(host.states, kind.state, hostNumbers.length), 1, hostNumbers);
    },
    merge(others, sign) {
      if (!others.isExact()) isExact = false;
      mergeTallies(kinds, others.kinds);
      for (const [name, { servers, down, states }] of others.hosts) {
        const host = hostTallyOf(name);
        host.servers += sign * servers;
        host.down += sign * down;
        mergeTallies(host.states, states);
        if (host.servers === 0) hosts.delete(name);
      }

      function mergeTallies<Key>(into: Map<Key, Tally>, from: ReadonlyMap<Key, Tally>): void {
        for (const [key, { servers, sums }] of from) {
          const tally = tallyOf(into, key, sums.length);
          addTo(tally, sign * servers, sign === 1 ? sums : sums.map((sum) => -sum));
          if (tally.servers === 0) into.delete(key);
        }
      }
    },
  };
}

function tallyOf<Key>(tallies: Map<Key, Tally>, key: Key, measures: number): Tally {
  let tally = tallies.get(key);
  if (!tally) tallies.set(key, (tally = { servers: 0, sums: zeros(measures) }));
  return tally;
}
