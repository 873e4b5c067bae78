import type { Counted, HostName, Kind } from './counted.ts';
import { byValues, type Group, type Part } from './group.ts';
import type { ToldHost } from './hosts.ts';
import { addServer, checkSums, createTallies, mergeTallies, type KindTally, type Tallies } from './tally.ts';
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
  /** A server that came, or is not as it was. */
  add(counted: Counted): void;
  /** The list was whole: its servers are those that count from now on. */
  keep(leavers: Leavers): void;
}

export interface Leavers {
  /** As they counted until now: who went, or is not as it was. */
  readonly left: readonly Counted[];
  /** All who count from now on. */
  everyone(): Iterable<Counted>;
}

/**
 * Corrects sums by the servers that came, changed or went, where adding up a large fleet anew at each scrape would take
 * most of the time.
 */
export function createLedger({ withHosts }: { withHosts: boolean }): Ledger {
  const slots = new Map<Kind, Slot>();
  const hosts = new Map<HostName, ToldHost>();
  let totals = createTallies({ withHosts });
  let inOrder: readonly Slot[] = [];

  function keep(comers: Tallies, { left, everyone }: Leavers): void {
    const leavers = createTallies({ withHosts });
    for (const counted of left) addServer(leavers, counted);
    checkSums(comers);
    checkSums(leavers);
    // Of the first list, all have come.
    if (totals.kinds.size === 0) totals = comers;
    else mergeTallies(totals, comers, 1);
    mergeTallies(totals, leavers, -1);
    if (!totals.isExact) return addUpAnew(everyone());
    publish(
      new Set([...comers.kinds.keys(), ...leavers.kinds.keys()]),
      new Set([...comers.hosts.keys(), ...leavers.hosts.keys()]),
    );
  }

  function addUpAnew(everyone: Iterable<Counted>): void {
    totals = createTallies({ withHosts });
    for (const counted of everyone) addServer(totals, counted);
    checkSums(totals);
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
      return {
        add: (counted) => addServer(comers, counted),
        keep: (leavers) => keep(comers, leavers),
      };
    },
    entries: () => inOrder.map(({ entry }) => entry!),
    hosts: () => [...hosts.values()],
  };
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
