import { byValues } from './group.ts';

/** How often there is something with these values. */
export interface ValueCount {
  readonly values: readonly string[];
  count: number;
  /** How many were added to it: what counts nothing is still there. */
  times: number;
}

export interface ValueCounts {
  /** Gives what there is now. `times` below 0 takes away what was added before; what nobody adds to is not there. */
  add(values: readonly string[], count: number, times?: number): number;
  /** In the order in which they came. */
  readonly all: readonly ValueCount[];
}

/** Most lists are shorter, and sooner looked through than indexed. */
const mostWithoutIndex = 16;

export function createValueCounts(): ValueCounts {
  const few: ValueCount[] = [];
  let many: Map<string, ValueCount> | undefined;

  function find(values: readonly string[]): ValueCount | undefined {
    if (many) return many.get(JSON.stringify(values));
    for (const one of few) if (byValues(one.values, values) === 0) return one;
    return undefined;
  }

  function insert(one: ValueCount): void {
    if (!many && few.length < mostWithoutIndex) few.push(one);
    else {
      many ??= new Map(few.splice(0).map((known) => [JSON.stringify(known.values), known]));
      many.set(JSON.stringify(one.values), one);
    }
  }

  function remove(one: ValueCount): void {
    if (many) many.delete(JSON.stringify(one.values));
    else few.splice(few.indexOf(one), 1);
  }

  return {
    get all() {
      return many ? [...many.values()] : few;
    },
    add(values, count, times = 1) {
      const known = find(values);
      if (!known) {
        insert({ values, count, times });
        return count;
      }
      known.count += count;
      known.times += times;
      if (known.times === 0) remove(known);
      return known.count;
    },
  };
}
