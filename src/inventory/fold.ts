import type { Counted, Kind } from './counted.ts';
import { addNumbers, type Breakdown, type Group, type Part, type Sums } from './group.ts';
import { mergeOverflow } from './overflow.ts';
import { projectOf } from './places.ts';
import { createTree } from './tree.ts';

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
  const parts = breakdowns.map(() => createTree<Part>());

  function addParts(group: Group, { server }: Counted): void {
    if (!server) return;
    for (let index = 0; index < breakdowns.length; index += 1) {
      breakdowns[index]!(server, now, (values, count) => {
        const path = [...pathOf(group), ...values];
        parts[index]!.leaf(path, () => ({ group, values, count: 0 })).count += count;
      });
    }
  }

  return {
    add(counted) {
      const { kind, numbers } = counted;
      let group = groups.get(kind);
      if (!group) groups.set(kind, (group = { ...kind, sums: numbers.map(() => 0) }));
      addNumbers(group.sums, numbers);
      addParts(group, counted);
    },
    finish() {
      const sorted = sortGroups(groups.values());
      const merged = mergeOverflow(
        sorted,
        parts.map((tree) => tree.leaves()),
        limit,
      );
      return { ...merged, projects: countProjects(sorted) };
    },
  };
}

function pathOf({ place, status, state }: Kind): string[] {
  return [...place, status, state];
}

function sortGroups(groups: Iterable<Group>): Group[] {
  const sorted = createTree<Group>();
  for (const group of groups) sorted.leaf(pathOf(group), () => group);
  return sorted.leaves();
}

function countProjects(groups: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { place } of groups) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}
