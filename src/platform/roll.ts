/** What was made of a record, with the roll's mark on it. */
export interface Marked {
  readonly id: string;
  /** The roll's own: here the latest reading that counted it. 0 while it is not on the roll. */
  mark: number;
}

/** In place of an object: the number of a server that is known, by which a table has all that is kept of it. */
export type Seat = number;

/** Who was in the latest list. Kept from list to list: a new set of all ids would be most of a scrape's garbage. */
export interface Roll<Item extends Marked> {
  begin(): KeptRollCall<Item>;
}

/** One reading of the list. */
export interface RollCall<Item> {
  /** Whether this reading has counted nobody of this id before; then it has now. */
  isFirst(item: Item): boolean;
  /** How many it has counted. */
  readonly size: number;
}

/** Without `keep`, the roll stays as it was. */
export interface KeptRollCall<Item> extends RollCall<Item> {
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
    if (item.mark === 0) return isFirstOfFresh(item, counts);
    // A list that was given up may still be read for a moment; it takes nobody from the next one.
    if (item.mark >= counts.reading) return false;
    item.mark = counts.reading;
    counts.stayed += 1;
    return true;
  }

  function isFirstOfFresh(item: Item, { reading, fresh, replaced }: Counts<Item>): boolean {
    if (fresh.has(item.id)) return false;
    const before = members.get(item.id);
    if (before && before.mark >= reading) return false;
    if (before) {
      before.mark = reading;
      replaced.push(before);
    }
    fresh.set(item.id, item);
    return true;
  }

  function keep({ reading, fresh, replaced, stayed }: Counts<Item>): void {
    for (const member of replaced) strike(member);
    if (stayed < members.size) strikeBefore(reading);
    for (const item of fresh.values()) item.mark = reading;
    if (members.size === 0) members = fresh;
    else for (const [id, item] of fresh) members.set(id, item);
  }

  function strike(member: Item): void {
    members.delete(member.id);
    member.mark = 0;
  }

  function strikeBefore(reading: number): void {
    for (const member of members.values()) if (member.mark < reading) strike(member);
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
