import { compareLists } from './tree.ts';

interface Labelled {
  readonly id: string;
  readonly labels: readonly string[];
}

/** In the order of their labels. Those that would share all of them have their id behind their name, each of them. */
export function toldApart<Item extends Labelled>(items: readonly Item[], name: number): readonly Item[] {
  const counts = new Map<string, number>();
  const keys = items.map(({ labels }) => JSON.stringify(labels));
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size === items.length)
    return items.toSorted((one, other) => compareLists(one.labels, other.labels));
  const named = items.map((item, index) => {
    if (counts.get(keys[index]!) === 1) return item;
    return { ...item, labels: item.labels.with(name, `${item.labels[name]} (${item.id})`) };
  });
  // Somebody may have given one a name that looks like this.
  return toldApart(named, name);
}
