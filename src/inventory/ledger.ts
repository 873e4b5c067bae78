import type { Counted, HostName, Kind } from './counted.ts';
import type { Group } from './group.ts';
import type { ToldHost } from './hosts.ts';
import { createTallies, type Tallies } from './tally.ts';
import { byCodeUnit } from './tree.ts';

/** What the servers of a cloud add up to. It outlives a list, since most servers are in the next one as they were. */
export interface Ledger {
  begin(): LedgerReading;
  /** Of the latest list that was kept, in the order of their kinds. */
  kinds(): readonly Kind[];
  groupOf(kind: Kind): Group;
  hosts(): readonly ToldHost[];
}

/** One reading of the list; without `keep`, all stays as it was. */
export interface LedgerReading {
  /** Each server once. */
  add(counted: Counted): void;
  /** The list was whole: its servers are those that count from now on. */
  keep(): void;
}

/**
 * Corrects sums by the servers that came, changed or went, where adding up a large fleet anew at each scrape would take
 * most of the time. A server that has not changed is the same object as in the list before.
 */
export function createLedger({ withHosts }: { withHosts: boolean }): Ledger {
  const groups = new Map<Kind, Group>();
  const hosts = new Map<HostName, ToldHost>();
  let totals = createTallies({ withHosts });
  let members: Counted[] = [];
  let sorted: readonly Kind[] = [];
  let readings = 0;

  /** Takes out who was not seen in this reading. */
  function takeLeavers(reading: number): Tallies {
    const leavers = createTallies({ withHosts });
    let kept = 0;
    for (const member of members) {
      if (member.countedIn >= reading) {
        members[kept] = member;
        kept += 1;
      } else {
        leavers.add(member);
        member.countedIn = 0;
      }
    }
    members.length = kept;
    return leavers;
  }

  function addUpAnew(): void {
    totals = createTallies({ withHosts });
    for (const member of members) totals.add(member);
    publish(new Set([...groups.keys(), ...totals.kinds.keys()]), [...hosts.keys(), ...totals.hosts.keys()]);
  }

  /** Makes new objects of what has changed: snapshots hold on to the old ones. */
  function publish(kinds: ReadonlySet<Kind>, names: Iterable<HostName>): void {
    const before = groups.size;
    const fresh: Kind[] = [];
    for (const kind of kinds) {
      const tally = totals.kinds.get(kind);
      if (!groups.has(kind) && tally) fresh.push(kind);
      if (tally) groups.set(kind, groupOf(kind, tally.sums));
      else groups.delete(kind);
    }
    if (fresh.length > 0 || groups.size !== before)
      sorted = [...sorted.filter((kind) => groups.has(kind)), ...fresh].toSorted(byOrder);
    for (const name of names) {
      const tally = totals.hosts.get(name);
      if (!tally) hosts.delete(name);
      else {
        const sums = new Map([...tally.states].map(([state, one]) => [state, one.sums.slice()]));
        hosts.set(name, toldHost(name, tally.down === 0, sums));
      }
    }
  }

  return {
    begin() {
      const reading = (readings += 1);
      const comers = createTallies({ withHosts });
      const came: Counted[] = [];
      let stayed = 0;
      return {
        add(counted) {
          if (counted.countedIn === 0) {
            came.push(counted);
            comers.add(counted);
          } else if (counted.countedIn < reading) {
            stayed += 1;
            // Never less than before: a list that was given up may still be read for a moment beside the next one.
            counted.countedIn = reading;
          }
        },
        keep() {
          const leavers = stayed < members.length ? takeLeavers(reading) : createTallies({ withHosts });
          for (const counted of came) {
            counted.countedIn = reading;
            members.push(counted);
          }
          totals.merge(comers, 1);
          totals.merge(leavers, -1);
          if (!totals.isExact()) return addUpAnew();
          publish(
            new Set([...comers.kinds.keys(), ...leavers.kinds.keys()]),
            new Set([...comers.hosts.keys(), ...leavers.hosts.keys()]),
          );
        },
      };
    },
    kinds: () => sorted,
    groupOf: (kind) => groups.get(kind)!,
    hosts: () => [...hosts.values()],
  };
}

function byOrder(a: Kind, b: Kind): number {
  return byCodeUnit(a.order, b.order);
}

function groupOf({ place, status, state }: Kind, sums: readonly number[]): Group {
  return { place, status, state, sums: sums.slice() };
}

function toldHost({ id, region, zone, name }: HostName, isUp: boolean, sums: ToldHost['sums']): ToldHost {
  return { id, region, zone, name, isUp, sums };
}
