import type { Part, Sums } from './group.ts';
import type { Entry } from './ledger.ts';
import { mergeOverflow } from './overflow.ts';

/**
 * What a ledger tells, as so many breakdowns have it. Past `limit` label sets the last ones in order count as one place
 * `other`, so that every sum stays whole and the same sets are kept each time.
 */
export function foldEntries(
  entries: readonly Entry[],
  { limit, breakdowns }: { limit: number; breakdowns: number },
): Sums {
  const parts = Array.from({ length: breakdowns }, (): Part[] => []);
  for (const entry of entries)
    for (let index = 0; index < entry.parts.length; index += 1) {
      const ofGroup = entry.parts[index];
      if (ofGroup) parts[index]!.push(...ofGroup);
    }
  const groups = entries.map(({ group }) => group);
  const projects = new Set(entries.map(({ kind }) => kind.project)).size;
  return { ...mergeOverflow(groups, parts, limit), projects };
}
