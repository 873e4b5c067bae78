import type { HostPlace } from '../platform/host.ts';
import type { Server } from '../platform/server.ts';
import type { State } from '../platform/state.ts';

/** What the servers on one host say of it, and add up to. */
export interface ToldHost extends HostPlace {
  /** '' where servers do not say. */
  readonly id: string;
  readonly name: string;
  readonly isUp: boolean;
  /** Sums over its servers, one for each measure, by the state of the servers. */
  readonly sums: ReadonlyMap<State, readonly number[]>;
}

const offline = 'offline';

export function isHostDown({ hostServiceStatus, hostStatus }: Server): boolean {
  return hostServiceStatus === offline || hostStatus === offline;
}

/** Where servers say that their hosts are, by the id of the host. */
export function placesOf(hosts: readonly ToldHost[]): ReadonlyMap<string, HostPlace> {
  const places = new Map<string, HostPlace>();
  for (const host of hosts) {
    const { id, zone } = host;
    if (id === '' || zone === '') continue;
    const known = places.get(id);
    // Servers that disagree must not make it move from scrape to scrape.
    if (!known || isBefore(known, host)) places.set(id, host);
  }
  return places;
}

function isBefore(a: HostPlace, b: HostPlace): boolean {
  return a.region === b.region ? a.zone < b.zone : a.region < b.region;
}
