/** What was made of a record, with the roll's mark on it. */
export interface Marked {
  readonly id: string;
  /** The latest reading that counted it; 0 while it is not on the roll. */
  readIn: number;
}

/** Who was in the latest list. Kept from list to list: a new set of all ids would be most of a scrape's garbage. */
export interface Roll<Item extends Marked> {
  begin(): RollCall<Item>;
}

/** One reading of the list. Without `keep`, the roll stays as it was. */
export interface RollCall<Item extends Marked> {
  /** Whether this reading has counted nobody of this id before; then it has now. */
  isFirst(item: Item): boolean;
  /** How many it has counted. */
  readonly size: number;
  /** The list was whole: who was counted is on the roll from now on, and nobody else. */
  keep(): void;
}

/** What a reading has counted. */
interface Counts<Item> {
  readonly reading: number;
  readonly fresh: Map<string, Item>;
  readonly replaced: Item[];
  stayed: number;
}

/** Who has not changed is the same object as in the list before, and a mark on it is enough; ids are for the others. */
export function createRoll<Item extends Marked>(): Roll<Item> {
  let members = new Map<string, Item>();
  let readings = 0;

  function isFirst(item: Item, counts: Counts<Item>): boolean {
    if (item.readIn === 0) return isFirstOfFresh(item, counts);
    // A list that was given up may still be read for a moment; it takes nobody from the next one.
    if (item.readIn >= counts.reading) return false;
    item.readIn = counts.reading;
    counts.stayed += 1;
    return true;
  }

  function isFirstOfFresh(item: Item, { reading, fresh, replaced }: Counts<Item>): boolean {
    if (fresh.has(item.id)) return false;
    const before = members.get(item.id);
    if (before && before.readIn >= reading) return false;
    if (before) {
      before.readIn = reading;
      replaced.push(before);
    }
    fresh.set(item.id, item);
    return true;
  }

  function keep({ reading, fresh, replaced, stayed }: Counts<Item>): void {
    for (const member of replaced) strike(member);
    if (stayed < members.size) strikeBefore(reading);
    for (const item of fresh.values()) item.readIn = reading;
    if (members.size === 0) members = fresh;
    else for (const [id, item] of fresh) members.set(id, item);
  }

  function strike(member: Item): void {
    members.delete(member.id);
    member.readIn = 0;
  }

  function strikeBefore(reading: number): void {
    for (const member of members.values()) if (member.readIn < reading) strike(member);
  }

  return {
    begin() {
      const counts: Counts<Item> = { reading: (readings += 1), fresh: new Map(), replaced: [], stayed: 0 };
      return {
        get size() {
          return counts.stayed + counts.fresh.size;
        },
        isFirst: (item) => isFirst(item, counts),
        keep: () => keep(counts),
      };
    },
  };
}
