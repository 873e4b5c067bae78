import type { Counted, Kind } from './counted.ts';
import { addNumbers, zeros, type Breakdown, type Group, type Part, type Sums } from './group.ts';
import { mergeOverflow } from './overflow.ts';
import { projectOf } from './places.ts';
import { byCodeUnit, createTree, type Tree } from './tree.ts';

export interface Fold {
  add(counted: Counted): void;
  finish(): Sums;
}

/**
 * Adds servers up: what it keeps grows with the number of places, not of servers.
 * Past `limit` label sets the last ones in order count as one place `other`, so that every sum stays whole
 * and the same sets are kept each time.
 */
export function createFold(input: { now: number; limit: number; breakdowns: readonly Breakdown[] }): Fold {
  const { now, limit, breakdowns } = input;
  const groups = new Map<Kind, Group>();
  const parts = breakdowns.map(() => new Map<Group, Tree<Part>>());
  let group: Group;
  // One for all servers: a fleet of functions would be a fleet of garbage.
  const adders = parts.map((trees) => (values: readonly string[], count: number) => {
    const tree = trees.get(group) ?? createTree<Part>();
    trees.set(group, tree);
    tree.leaf(values, () => ({ group, values, count: 0 })).count += count;
  });

  function groupOf(kind: Kind, measures: number): Group {
    const known = groups.get(kind);
    if (known) return known;
    const { place, status, state } = kind;
    const empty = { place, status, state, sums: zeros(measures) };
    groups.set(kind, empty);
    return empty;
  }

  return {
    add(counted) {
      const { kind, numbers, server } = counted;
      group = groupOf(kind, numbers.length);
      addNumbers(group.sums, numbers);
      if (!server) return;
      for (let index = 0; index < breakdowns.length; index += 1)
        breakdowns[index]!(server, now, adders[index]!);
    },
    finish() {
      const sorted = sortGroups(groups);
      const merged = mergeOverflow(
        sorted,
        parts.map((trees) => sorted.flatMap((one) => trees.get(one)?.leaves() ?? [])),
        limit,
      );
      return { ...merged, projects: countProjects(sorted) };
    },
  };
}

function sortGroups(groups: ReadonlyMap<Kind, Group>): Group[] {
  const kinds = [...groups.keys()].toSorted((a, b) => byCodeUnit(a.order, b.order));
  return kinds.map((kind) => groups.get(kind)!);
}

function countProjects(groups: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { place } of groups) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}
