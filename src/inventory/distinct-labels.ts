interface Labelled {
  readonly id: string;
  readonly labels: readonly string[];
}

/** Those that would share all of their labels have their id behind their name, each of them. */
export function withDistinctLabels<Item extends Labelled>(
  items: readonly Item[],
  nameAt: number,
): readonly Item[] {
  const counts = new Map<string, number>();
  const keys = items.map(({ labels }) => labels.join('\n'));
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isShared = (index: number) => counts.get(keys[index]!)! > 1 && items[index]!.id !== '';
  if (!items.some((_item, index) => isShared(index))) return items;
  const named = items.map((item, index) => {
    if (!isShared(index)) return item;
    return { ...item, labels: item.labels.with(nameAt, `${item.labels[nameAt]} (${item.id})`) };
  });
  // Somebody may have given one a name that looks like this.
  return withDistinctLabels(named, nameAt);
}
