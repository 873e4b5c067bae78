import { hash } from 'node:crypto';

/** What was made of records, by a digest of their bytes: a record that has not changed need not be read again. */
export interface KnownRecords<Item> {
  begin(): RecordReading<Item>;
}

/** One collection's part in it. Without `keep`, what is known stays as it was. */
export interface RecordReading<Item> {
  find(digest: string): Item | undefined;
  learn(digest: string, item: Item): void;
  /** The collection succeeded: what it learned is known from now on, what it did not show is forgotten. */
  keep(): void;
}

/** Of 256 bits, so that no two records ever have the same one by accident; of these the fastest to make. */
export function digestOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'binary');
}

export function createKnownRecords<Item>(): KnownRecords<Item> {
  /** Digests lead to rows, so that a row can be marked as seen without an object for each. */
  const rows = new Map<string, number>();
  const items: (Item | undefined)[] = [];
  const freeRows: number[] = [];
  let seenIn = new Uint32Array(1024);
  let generations = 0;

  function add(digest: string, item: Item, generation: number): void {
    const row = freeRows.pop() ?? items.length;
    rows.set(digest, row);
    items[row] = item;
    if (row >= seenIn.length) {
      const longer = new Uint32Array(2 * seenIn.length);
      longer.set(seenIn);
      seenIn = longer;
    }
    seenIn[row] = generation;
  }

  function dropUnseen(generation: number): void {
    for (const [digest, row] of rows) {
      if (seenIn[row]! >= generation) continue;
      rows.delete(digest);
      items[row] = undefined;
      freeRows.push(row);
    }
  }

  return {
    begin() {
      const generation = (generations += 1);
      const fresh = new Map<string, Item>();
      return {
        find(digest) {
          const row = rows.get(digest);
          if (row === undefined) return fresh.get(digest);
          seenIn[row] = Math.max(seenIn[row]!, generation);
          return items[row];
        },
        learn: (digest, item) => void fresh.set(digest, item),
        keep() {
          dropUnseen(generation);
          for (const [digest, item] of fresh) add(digest, item, generation);
          fresh.clear();
        },
      };
    },
  };
}
