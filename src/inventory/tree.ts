type Path = readonly string[];
type Branch<Leaf> = Map<string, Branch<Leaf> | Leaf>;

/** Finds by several names in a row. Names come from tenants and may hold any separator, so they are not joined to one. */
export interface Tree<Leaf> {
  readonly root: Branch<Leaf>;
  /** All paths are of one length. */
  depth: number;
}

export function createTree<Leaf>(): Tree<Leaf> {
  return { root: new Map(), depth: 0 };
}

/** What is at the end of a path. */
export function leafOf<Leaf>(tree: Tree<Leaf>, path: Path, create: (path: Path) => Leaf): Leaf {
  tree.depth = path.length;
  const last = path.length - 1;
  let branch = tree.root;
  for (let index = 0; index < last; index += 1) {
    let next = branch.get(path[index]!) as Branch<Leaf> | undefined;
    if (!next) branch.set(path[index]!, (next = new Map()));
    branch = next;
  }
  let leaf = branch.get(path[last]!) as Leaf | undefined;
  if (leaf === undefined) {
    leaf = create(path);
    branch.set(path[last]!, leaf);
  }
  return leaf;
}

/** In the order of their paths. */
export function leavesOf<Leaf>({ root, depth }: Tree<Leaf>): Leaf[] {
  // Nothing, or what is at the end of a path without names.
  if (depth === 0) return [...root.values()] as Leaf[];
  // Sorted branch by branch: few names at a time, where whole paths would be compared name by name.
  let level: (Branch<Leaf> | Leaf)[] = [root];
  for (let step = 0; step < depth; step += 1) {
    level = (level as Branch<Leaf>[]).flatMap((branch) =>
      [...branch.keys()].toSorted(byCodeUnit).map((name) => branch.get(name)!),
    );
  }
  return level as Leaf[];
}

/** By code unit: the same order on every machine, whatever its locale. */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Lists of one length, by one name after the other. */
export function compareLists(one: readonly string[], other: readonly string[]): number {
  for (let index = 0; index < one.length; index += 1) {
    const order = byCodeUnit(one[index]!, other[index]!);
    if (order !== 0) return order;
  }
  return 0;
}
