import type { Counted, Kind } from './counted.ts';
import { byValues, type Breakdown, type Group, type Part, type Sums } from './group.ts';
import type { Ledger } from './ledger.ts';
import { mergeOverflow } from './overflow.ts';
import { projectOf } from './places.ts';
import { createTree } from './tree.ts';
import { createValueCounts, type ValueCount, type ValueCounts } from './value-counts.ts';

export interface Fold {
  add(counted: Counted): void;
  /** The list was whole. */
  keep(): void;
  /** Of the list that was kept. */
  finish(): Sums;
}

/**
 * Adds servers up: sums by the ledger, which corrects those of the list before, and what depends on the time anew.
 * Past `limit` label sets the last ones in order count as one place `other`, so that every sum stays whole
 * and the same sets are kept each time.
 */
export function createFold(input: {
  now: number;
  limit: number;
  breakdowns: readonly Breakdown[];
  ledger: Ledger;
}): Fold {
  const { now, limit, breakdowns, ledger } = input;
  const reading = ledger.begin();
  const counts = breakdowns.map(() => new Map<Kind, ValueCounts>());
  let kind: Kind;
  // One for all servers: a fleet of functions would be a fleet of garbage.
  const adders = counts.map((byKind) => (values: readonly string[], count: number) => {
    let ofKind = byKind.get(kind);
    if (!ofKind) byKind.set(kind, (ofKind = createValueCounts()));
    ofKind.add(values, count);
  });

  return {
    add(counted) {
      reading.add(counted);
      const { server } = counted;
      if (!server) return;
      kind = counted.kind;
      for (let index = 0; index < breakdowns.length; index += 1)
        breakdowns[index]!.parts(server, now, adders[index]!);
    },
    keep: reading.keep,
    finish() {
      const kinds = ledger.kinds();
      const groups = kinds.map(ledger.groupOf);
      const parts = counts.map((byKind) =>
        groups.flatMap((group, index) => partsOf(group, byKind.get(kinds[index]!)?.all ?? [])),
      );
      return { ...mergeOverflow(groups, parts, limit), projects: countProjects(groups) };
    },
  };
}

function partsOf(group: Group, counts: readonly ValueCount[]): Part[] {
  return counts
    .toSorted((a, b) => byValues(a.values, b.values))
    .map(({ values, count }) => ({ group, values, count }));
}

function countProjects(groups: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { place } of groups) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}
