import type { Server } from '../platform/server.ts';
import { addServer, zeros, type Breakdown, type Group, type Measure, type Part, type Sums } from './group.ts';
import { mergeOverflow } from './overflow.ts';
import { placeOf, projectOf } from './places.ts';
import { createTree } from './tree.ts';

export interface Fold {
  add(server: Server): void;
  finish(): Sums;
}

/**
 * Adds servers up and forgets them: what it keeps grows with the number of places, not of servers.
 * Past `limit` label sets the last ones in order count as one place `other`, so that every sum stays whole
 * and the same sets are kept each time.
 */
export function createFold(input: {
  now: number;
  limit: number;
  measures: readonly Measure[];
  breakdowns: readonly Breakdown[];
}): Fold {
  const { now, limit, measures, breakdowns } = input;
  const groups = createTree<Group>();
  const parts = breakdowns.map(() => createTree<Part>());

  return {
    add(server) {
      const { status, state } = server;
      const place = placeOf(server);
      const path = [...place, status, state];
      const group = groups.leaf(path, () => ({ place, status, state, sums: zeros(measures) }));
      addServer(group.sums, measures, server);
      for (let index = 0; index < breakdowns.length; index += 1) {
        breakdowns[index]!(server, now, (values, count) => {
          parts[index]!.leaf([...path, ...values], () => ({ group, values, count: 0 })).count += count;
        });
      }
    },
    finish() {
      const sorted = groups.leaves();
      const merged = mergeOverflow(
        sorted,
        parts.map((tree) => tree.leaves()),
        limit,
      );
      return { ...merged, projects: countProjects(sorted) };
    },
  };
}

function countProjects(groups: readonly Group[]): number {
  const projects = createTree<true>();
  for (const { place } of groups) projects.leaf(projectOf(place), () => true);
  return projects.leaves().length;
}
