export type Labels = readonly string[];

/** A list of label values. The same values are the same set from list to list, and so is the text that is made of them. */
export interface LabelSet {
  readonly number: number;
  readonly labels: Labels;
}

/** Finds by several names in a row. They come from tenants and may hold any separator, so they are not joined to one. */
export interface Tree<Leaf> {
  branches: Map<string, Tree<Leaf>> | undefined;
  leaf: Leaf | undefined;
}

export function createTree<Leaf>(): Tree<Leaf> {
  return { branches: undefined, leaf: undefined };
}

/** Where a path ends; there may be nothing yet. */
export function endOf<Leaf>(tree: Tree<Leaf>, path: Labels): Tree<Leaf> {
  let at = tree;
  for (let index = 0; index < path.length; index += 1) {
    at.branches ??= new Map();
    let next = at.branches.get(path[index]!);
    if (!next) at.branches.set(path[index]!, (next = createTree()));
    at = next;
  }
  return at;
}

/** In the order of their paths. Sorted branch by branch: few names at a time, where whole paths would take longer. */
function addLeaves<Leaf>({ branches, leaf }: Tree<Leaf>, leaves: Leaf[]): Leaf[] {
  if (leaf !== undefined) leaves.push(leaf);
  if (branches)
    for (const name of [...branches.keys()].toSorted(byCodeUnit)) addLeaves(branches.get(name)!, leaves);
  return leaves;
}

export type LabelSets = ReturnType<typeof createLabelSets>;

/** It only grows: what a collection that was abandoned has added is in nobody's way. */
export function createLabelSets() {
  const tree = createTree<LabelSet>();
  let size = 0;
  let sorted: readonly LabelSet[] = [];
  return {
    size: () => size,
    of: (labels: Labels): LabelSet => (endOf(tree, labels).leaf ??= { number: size++, labels }),
    inOrder(): readonly LabelSet[] {
      if (sorted.length < size) sorted = addLeaves(tree, []);
      return sorted;
    },
  };
}

/** By code unit: the same order on every machine, whatever its locale. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Labelled {
  readonly id: string;
  readonly labels: Labels;
}

/** Those that would share all of their labels, which are of these sets, have their id behind their name, each of them. */
export function withDistinctLabels<Item extends Labelled>(
  items: readonly Item[],
  nameAt: number,
  sets: LabelSets,
): readonly Item[] {
  const seen = new Set<Labels>();
  const shared = new Set<Labels>();
  for (const { labels } of items) (seen.has(labels) ? shared : seen).add(labels);
  if (shared.size === 0) return items;
  const isToBeNamed = ({ id, labels }: Item) => id !== '' && shared.has(labels);
  if (!items.some(isToBeNamed)) return items;
  const named = items.map((item) => {
    const { id, labels } = item;
    if (!isToBeNamed(item)) return item;
    return { ...item, labels: sets.of(labels.with(nameAt, `${labels[nameAt]} (${id})`)).labels };
  });
  // Somebody may have given one a name that looks like this.
  return withDistinctLabels(named, nameAt, sets);
}
