import { readDigest } from './digest.ts';
import { grown } from './grown.ts';
import { createKeyTable, wordsOfKey, type Key } from './key-table.ts';

/** Finds items by digest. Each has a place, by which it is found sooner. */
export interface DigestTable<Item> {
  /** Undefined if it is not there. */
  placeOf(digest: string): number | undefined;
  /** Undefined if nothing is there. */
  itemAt(place: number): Item | undefined;
  /** It counts as seen by this generation. */
  see(place: number, generation: number): void;
  /** By the key of a digest. Gives its place, seen by this generation. */
  add(key: Key, item: Item, generation: number): number;
  /**
   * Forgets what neither this generation nor a later one has seen, and what is not to be kept; the rest keeps its place.
   * Says whether it was all as usual, and no more than what was not seen.
   */
  dropBefore(generation: number, isKept?: (item: Item) => boolean): boolean;
}

export function createDigestTable<Item>(): DigestTable<Item> {
  const table = createKeyTable();
  /** By place: by which generation it was seen last. */
  let seenIn = new Int32Array(1024);
  const items: (Item | undefined)[] = [];
  const sought = new Int32Array(wordsOfKey);

  function see(place: number, generation: number): void {
    if (seenIn[place]! < generation) seenIn[place] = generation;
  }

  return {
    placeOf(digest) {
      // As for each record of a first list.
      if (table.size === 0) return undefined;
      readDigest(digest, sought);
      return table.placeOf(sought);
    },
    itemAt: (place) => items[place],
    see,
    add(key, item, generation) {
      const place = table.add(key);
      seenIn = grown(seenIn, place + 1);
      items[place] = item;
      see(place, generation);
      return place;
    },
    dropBefore(generation, isKept) {
      let isUsual = true;
      for (let place = 0; place < items.length; place += 1) {
        const item = items[place];
        if (item === undefined) continue;
        if (seenIn[place]! >= generation) {
          if (!isKept || isKept(item)) continue;
          isUsual = false;
        }
        table.remove(place);
        items[place] = undefined;
        seenIn[place] = 0;
      }
      return isUsual;
    },
  };
}
