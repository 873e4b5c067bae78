import type { Counted, HostName, Kind } from './counted.ts';
import { byValues, type Group, type Part } from './group.ts';
import type { ToldHost } from './hosts.ts';
import { addServer, createTallies, mergeTallies, type KindTally, type Tallies } from './tally.ts';
import { byCodeUnit } from './tree.ts';

/** What the servers of a cloud add up to. It outlives a list, since most servers are in the next one as they were. */
export interface Ledger {
  begin(): LedgerReading;
  /** Of the latest list that was kept, in the order of their kinds. */
  entries(): readonly Entry[];
  hosts(): readonly ToldHost[];
}

/** All that is told of a kind. */
export interface Entry {
  readonly kind: Kind;
  readonly group: Group;
  /** By the index of their breakdown, each in the order of their values; nothing where there are none. */
  readonly parts: readonly (readonly Part[] | undefined)[];
}

/** The place of a kind in their order. */
interface Slot {
  readonly kind: Kind;
  /** Undefined once no server is of this kind any more. */
  entry: Entry | undefined;
}

/** One reading of the list; without `keep`, all stays as it was. */
export interface LedgerReading {
  /** Each server once. */
  add(counted: Counted): void;
  /** The list was whole: its servers are those that count from now on. */
  keep(): void;
}

/** What a reading found. */
interface Found {
  readonly reading: number;
  readonly comers: Tallies;
  readonly came: Counted[];
  stayed: number;
}

/**
 * Corrects sums by the servers that came, changed or went, where adding up a large fleet anew at each scrape would take
 * most of the time. A server that has not changed is the same object as in the list before.
 */
export function createLedger({ withHosts }: { withHosts: boolean }): Ledger {
  const slots = new Map<Kind, Slot>();
  const hosts = new Map<HostName, ToldHost>();
  let totals = createTallies({ withHosts });
  let members: Counted[] = [];
  let inOrder: readonly Slot[] = [];
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
        addServer(leavers, member);
        member.countedIn = 0;
      }
    }
    members.length = kept;
    return leavers;
  }

  function keep({ reading, comers, came, stayed }: Found): void {
    const leavers = stayed < members.length ? takeLeavers(reading) : createTallies({ withHosts });
    for (const counted of came) {
      counted.countedIn = reading;
      members.push(counted);
    }
    mergeTallies(totals, comers, 1);
    mergeTallies(totals, leavers, -1);
    if (!totals.isExact) return addUpAnew();
    publish(
      new Set([...comers.kinds.keys(), ...leavers.kinds.keys()]),
      new Set([...comers.hosts.keys(), ...leavers.hosts.keys()]),
    );
  }

  function addUpAnew(): void {
    totals = createTallies({ withHosts });
    for (const member of members) addServer(totals, member);
    publish(
      new Set([...slots.keys(), ...totals.kinds.keys()]),
      new Set([...hosts.keys(), ...totals.hosts.keys()]),
    );
  }

  /** Makes new objects of what has changed: snapshots hold on to the old ones. */
  function publish(changed: ReadonlySet<Kind>, names: ReadonlySet<HostName>): void {
    const fresh: Slot[] = [];
    let hasGone = false;
    for (const kind of changed) {
      const tally = totals.kinds.get(kind);
      const entry = tally && entryOf(kind, tally);
      const slot = slots.get(kind);
      if (slot) slot.entry = entry;
      else if (entry) fresh.push({ kind, entry });
      if (slot && !entry) hasGone = slots.delete(kind);
    }
    for (const slot of fresh) slots.set(slot.kind, slot);
    if (hasGone) inOrder = inOrder.filter(({ entry }) => entry);
    if (fresh.length > 0) inOrder = [...inOrder, ...fresh].toSorted(byOrder);
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
      const comers = createTallies({ withHosts });
      const found: Found = { reading: (readings += 1), comers, came: [], stayed: 0 };
      return { add: (counted) => count(counted, found), keep: () => keep(found) };
    },
    entries: () => inOrder.map(({ entry }) => entry!),
    hosts: () => [...hosts.values()],
  };
}

function count(counted: Counted, found: Found): void {
  if (counted.countedIn === 0) {
    found.came.push(counted);
    addServer(found.comers, counted);
  } else if (counted.countedIn < found.reading) {
    found.stayed += 1;
    // Never less than before: a list that was given up may still be read for a moment beside the next one.
    counted.countedIn = found.reading;
  }
}

function byOrder(a: Slot, b: Slot): number {
  return byCodeUnit(a.kind.order, b.kind.order);
}

function entryOf(kind: Kind, { sums, parts }: KindTally): Entry {
  const { place, status, state } = kind;
  const group = { place, status, state, sums: sums.slice() };
  const partsOf = parts.map((counts) =>
    counts?.all
      .toSorted((a, b) => byValues(a.values, b.values))
      .map(({ values, count: number }) => ({ group, values, count: number })),
  );
  return { kind, group, parts: partsOf };
}

function toldHost({ id, region, zone, name }: HostName, isUp: boolean, sums: ToldHost['sums']): ToldHost {
  return { id, region, zone, name, isUp, sums };
}
