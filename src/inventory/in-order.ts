/** Items of a list, with the offset of the page of each. Not an object for each row: that would be a hundred thousand. */
export interface InOrder<Item> {
  readonly items: readonly Item[];
  readonly offsets: readonly number[];
}

interface Block<Item> {
  readonly offset: number;
  readonly items: Item[];
}

/** Puts what pages bring into the platform's order, in whichever they arrive: two lists are in much the same one then. */
export function createOrder<Item>(): { add(item: Item, offset: number): void; finish(): InOrder<Item> } {
  const blocks: Block<Item>[] = [];
  let block: Block<Item> = { offset: -1, items: [] };
  return {
    add(item, offset) {
      if (offset !== block.offset) {
        block = { offset, items: [] };
        blocks.push(block);
      }
      block.items.push(item);
    },
    finish: () => join(blocks.toSorted((one, other) => one.offset - other.offset)),
  };
}

function join<Item>(blocks: readonly Block<Item>[]): InOrder<Item> {
  const joined: Item[] = [];
  const offsets: number[] = [];
  // With room for all from the start: what grows to a hundred thousand leaves twice as much garbage behind.
  joined.length = offsets.length = blocks.reduce((sum, { items }) => sum + items.length, 0);
  let row = 0;
  for (const { offset, items } of blocks)
    for (const item of items) {
      joined[row] = item;
      offsets[row] = offset;
      row += 1;
    }
  return { items: joined, offsets };
}
