import { byGroupAndValues, byPlaceAndStatus, type Group, type Part, type Sums } from './group.ts';

const other = 'other';
/** Statuses are few, unless a platform makes them up. */
const mostStatuses = 100;

type Writable<Thing> = { -readonly [Key in keyof Thing]: Thing[Key] };

/** Counts all but the first `limit` label sets as one place, `other`; status and state stay, for alerts to see. */
export function mergeOverflow(
  groups: readonly Group[],
  parts: readonly (readonly Part[])[],
  limit: number,
): Omit<Sums, 'projects'> {
  if (groups.length <= limit && parts.every(({ length }) => length <= limit))
    return { groups, parts, mergedSets: 0 };
  const statuses = new Set(groups.slice(limit).map(({ status }) => status));
  const merged = new Map<string, Group & { readonly sums: number[] }>();
  const standIns = new Map<Group, Group>();
  for (const [index, group] of groups.entries()) {
    const isOverflow = index >= limit;
    const place = isOverflow ? group.place.map(() => other) : group.place;
    const status = isOverflow && statuses.size > mostStatuses ? other : group.status;
    const key = JSON.stringify([place, status, group.state]);
    const target = merged.get(key) ?? { place, status, state: group.state, sums: group.sums.map(() => 0) };
    merged.set(key, target);
    standIns.set(group, target);
    for (const [measure, sum] of group.sums.entries()) target.sums[measure]! += sum;
  }
  const surplus = [groups, ...parts].map(({ length }) => Math.max(0, length - limit));
  return {
    groups: [...merged.values()].toSorted(byPlaceAndStatus),
    parts: parts.map((list) => mergeParts(list, standIns, limit)),
    mergedSets: surplus.reduce((sum, count) => sum + count, 0),
  };
}

function mergeParts(
  parts: readonly Part[],
  standIns: ReadonlyMap<Group, Group>,
  limit: number,
): readonly Part[] {
  const merged = new Map<Group, Map<string, Writable<Part>>>();
  for (const [index, part] of parts.entries()) {
    const group = standIns.get(part.group)!;
    const values = index < limit ? part.values : part.values.map(() => other);
    const ofGroup = merged.get(group) ?? new Map<string, Writable<Part>>();
    merged.set(group, ofGroup);
    const key = JSON.stringify(values);
    const target = ofGroup.get(key) ?? { group, values, count: 0 };
    target.count += part.count;
    ofGroup.set(key, target);
  }
  return [...merged.values()].flatMap((ofGroup) => [...ofGroup.values()]).toSorted(byGroupAndValues);
}
