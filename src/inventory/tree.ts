type Branch<Leaf> = Map<string, Branch<Leaf> | Leaf>;

export interface Tree<Leaf> {
  /** What is at the end of a path; all paths are of one length. */
  leaf(path: readonly string[], create: () => Leaf): Leaf;
  leaves(): Leaf[];
}

/** Finds by several names in a row. Names come from tenants and may hold any separator, so they are not joined to one. */
export function createTree<Leaf>(): Tree<Leaf> {
  const root: Branch<Leaf> = new Map();
  const leaves: Leaf[] = [];
  return {
    leaf(path, create) {
      const last = path.length - 1;
      let branch = root;
      for (let index = 0; index < last; index += 1) {
        let next = branch.get(path[index]!) as Branch<Leaf> | undefined;
        if (!next) branch.set(path[index]!, (next = new Map()));
        branch = next;
      }
      let leaf = branch.get(path[last]!) as Leaf | undefined;
      if (leaf === undefined) {
        leaf = create();
        leaves.push(leaf);
        branch.set(path[last]!, leaf);
      }
      return leaf;
    },
    leaves: () => leaves,
  };
}
