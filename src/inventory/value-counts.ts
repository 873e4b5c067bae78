import { byValues } from './group.ts';

/** How often there is something with these values. */
export interface ValueCount {
  readonly values: readonly string[];
  count: number;
}

export interface ValueCounts {
  add(values: readonly string[], count: number): void;
  /** In the order in which they came. */
  readonly all: readonly ValueCount[];
}

/** Most lists are shorter, and sooner looked through than indexed. */
const mostWithoutIndex = 16;

export function createValueCounts(): ValueCounts {
  const all: ValueCount[] = [];
  let index: Map<string, ValueCount> | undefined;

  function find(values: readonly string[]): ValueCount | undefined {
    if (index) return index.get(JSON.stringify(values));
    for (const one of all) if (byValues(one.values, values) === 0) return one;
    return undefined;
  }

  return {
    all,
    add(values, count) {
      const known = find(values);
      if (known) {
        known.count += count;
        return;
      }
      const fresh = { values, count };
      all.push(fresh);
      if (index) index.set(JSON.stringify(values), fresh);
      else if (all.length > mostWithoutIndex)
        index = new Map(all.map((one) => [JSON.stringify(one.values), one]));
    },
  };
}
