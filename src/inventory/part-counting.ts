import type { Server } from '../platform/server.ts';
import type { CountedPart } from './counted.ts';
import { noBreakdown, type Breakdown } from './group.ts';

const none: readonly never[] = [];

/** What breakdowns count of a server. Equal parts, and equal lists of them, are one object each. */
export function createPartCounting(
  breakdowns: readonly Breakdown[],
): (server: Server, now: number) => readonly CountedPart[] {
  const sharePart = createShared<CountedPart>();
  const shareParts = createShared<readonly CountedPart[]>();
  /** Those of the latest server that has some. */
  let parts: CountedPart[] = [];
  let keys = '';
  // Once for all servers: a function for each of them was a fifth of the garbage of a first list.
  const counters = breakdowns.flatMap((breakdown, index) => {
    if (breakdown === noBreakdown) return [];
    const add = (values: readonly string[], count: number) => {
      const key = JSON.stringify([index, count, values]);
      parts.push(sharePart(key, { breakdown: index, values, count }));
      keys += key;
    };
    return { breakdown, add };
  });

  return (server, now) => {
    if (parts.length > 0) {
      parts = [];
      keys = '';
    }
    for (const { breakdown, add } of counters) breakdown.parts(server, now, add);
    return parts.length > 0 ? shareParts(keys, parts) : none;
  };
}

const mostShared = 100_000;

/** One for all that are equal. */
function createShared<Thing>(): (key: string, thing: Thing) => Thing {
  const known = new Map<string, Thing>();
  return (key, thing) => {
    const found = known.get(key);
    if (found) return found;
    if (known.size >= mostShared) known.clear();
    known.set(key, thing);
    return thing;
  };
}
