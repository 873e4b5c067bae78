import type { WorkKind } from './cost.ts';

export interface Spent {
  readonly requests: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly rows: number;
}

export interface Entry {
  readonly kind: WorkKind;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly rows: number;
  readonly abandoned: boolean;
}

/** What the platform has done for its clients: time as its costs have it, whether it passed or not. */
export interface Ledger {
  readonly total: Spent;
  of(kind: WorkKind): Spent;
  /** Worked to the end although the client had hung up; part of the others. */
  readonly abandoned: Spent;
  clear(): void;
}

const nothing: Spent = { requests: 0, milliseconds: 0, bytes: 0, rows: 0 };

export function createLedger(): { readonly ledger: Ledger; readonly enter: (entry: Entry) => void } {
  const spent = new Map<WorkKind, Spent>();
  let abandoned = nothing;

  const ledger: Ledger = {
    get total() {
      return [...spent.values()].reduce(add, nothing);
    },
    of: (kind) => spent.get(kind) ?? nothing,
    get abandoned() {
      return abandoned;
    },
    clear() {
      spent.clear();
      abandoned = nothing;
    },
  };
  function enter(entry: Entry): void {
    const one = { ...entry, requests: 1 };
    spent.set(entry.kind, add(ledger.of(entry.kind), one));
    if (entry.abandoned) abandoned = add(abandoned, one);
  }
  return { ledger, enter };
}

function add(one: Spent, other: Spent): Spent {
  return {
    requests: one.requests + other.requests,
    milliseconds: one.milliseconds + other.milliseconds,
    bytes: one.bytes + other.bytes,
    rows: one.rows + other.rows,
  };
}
