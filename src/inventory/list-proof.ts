import { isUnchanged, type Plain } from '../platform/plain-server.ts';

/** Servers that a whole list shows otherwise than they were known, by how. */
export interface Drift {
  readonly altered: readonly string[];
  readonly unknown: readonly string[];
  readonly gone: readonly string[];
}

/**
 * What lists of changes had missed. `expected` is what they told just before the whole list, and agreed with the total.
 * What changed from `second` on is not judged: the next list of changes would tell it.
 */
export function driftBetween(expected: readonly Plain[], whole: readonly Plain[], second: number): Drift {
  const left = new Map(expected.map((plain) => [plain.id, plain]));
  const altered: string[] = [];
  const unknown: string[] = [];
  for (const plain of whole) {
    const before = left.get(plain.id);
    left.delete(plain.id);
    if (plain.changedAt >= second || (before && isUnchanged(before, plain))) continue;
    (before ? altered : unknown).push(plain.id);
  }
  // The total agreed: who is gone unseen is so beside somebody who came unseen. Others have gone just now.
  return { altered, unknown, gone: [...left.keys()].slice(0, unknown.length) };
}

export function sizeOf({ altered, unknown, gone }: Drift): number {
  return altered.length + unknown.length + gone.length;
}
