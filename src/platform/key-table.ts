import { grown } from './grown.ts';

/** Of 128 bits, in words: two things never have the same one by accident. */
export type Key = Int32Array;
export const wordsOfKey = 4;

/**
 * Gives each key a place, a small number, by which all else about it is found. A table of numbers: a hundred thousand
 * texts would be looked at by each garbage collection.
 */
export interface KeyTable {
  /** How many keys can be found. */
  readonly size: number;
  /** Undefined if it is not there. */
  placeOf(key: Key): number | undefined;
  /** Its place, a new one if it has none. */
  add(key: Key): number;
  /** A place for this key at which it is not found yet, whether or not it has another one. */
  reserve(key: Key): number;
  /** From now on the key of this place is found here, and nowhere else. */
  link(place: number): void;
  /** The same, unless it is found somewhere already. Says where it is found. */
  linkUnlessFound(place: number): number;
  /** The place is free for another key. */
  remove(place: number): void;
  /** Writes the key of this place into `key`. */
  readKey(place: number, key: Key): void;
}

const fullest = 0.8;
const smallest = 1024;
/** Odd and without a pattern, so that each bit of a key moves others. */
const spread = 0x9e3779b1;

export function createKeyTable(): KeyTable {
  /** By place. Signed: the engine has these at hand without an object for each large one. */
  let keys = new Int32Array(smallest * wordsOfKey);
  /** Open addressing: a place and 1, or 0. */
  let slots = new Int32Array(2 * smallest);
  let places = 0;
  let linked = 0;
  const free: number[] = [];

  /** Where this key is, or would be. */
  function slotOf(key: Key, at: number): number {
    const [first, second, third, fourth] = [key[at]!, key[at + 1]!, key[at + 2]!, key[at + 3]!];
    let slot = homeOf(key, at);
    for (; slots[slot] !== 0; slot = after(slot)) {
      const start = (slots[slot]! - 1) * wordsOfKey;
      const isSame =
        keys[start] === first &&
        keys[start + 1] === second &&
        keys[start + 2] === third &&
        keys[start + 3] === fourth;
      if (isSame) return slot;
    }
    return slot;
  }

  /** Of all words: ids that count upwards differ in the last one only. */
  function homeOf(key: Key, at: number): number {
    let mixed = key[at]!;
    for (let word = 1; word < wordsOfKey; word += 1) mixed = Math.imul(mixed, spread) ^ key[at + word]!;
    mixed = Math.imul(mixed, spread);
    return (mixed ^ (mixed >>> 15)) & (slots.length - 1);
  }

  function after(slot: number): number {
    return (slot + 1) & (slots.length - 1);
  }

  function reserve(key: Key): number {
    const place = free.pop() ?? places++;
    keys = grown(keys, (place + 1) * wordsOfKey);
    keys.set(key, place * wordsOfKey);
    return place;
  }

  /** Where a key may be put that is not there yet. */
  function slotFor(key: Key, at: number): number {
    if (linked >= slots.length * fullest) makeRoom();
    return slotOf(key, at);
  }

  function put(place: number, slot: number): number {
    if (slots[slot] === 0) linked += 1;
    slots[slot] = place + 1;
    return place;
  }

  function makeRoom(): void {
    const before = slots;
    slots = new Int32Array(2 * before.length);
    for (const held of before) if (held !== 0) slots[slotOf(keys, (held - 1) * wordsOfKey)] = held;
  }

  /** Closes the gap: what stands behind it, and belongs further to the front, moves up. */
  function empty(slot: number): void {
    let gap = slot;
    for (let next = after(gap); slots[next] !== 0; next = after(next)) {
      const fromHome = (next - homeOf(keys, (slots[next]! - 1) * wordsOfKey)) & (slots.length - 1);
      const fromGap = (next - gap) & (slots.length - 1);
      if (fromHome < fromGap) continue;
      slots[gap] = slots[next]!;
      gap = next;
    }
    slots[gap] = 0;
  }

  return {
    get size() {
      return linked;
    },
    placeOf(key) {
      const slot = slotOf(key, 0);
      return slots[slot] === 0 ? undefined : slots[slot]! - 1;
    },
    add(key) {
      const slot = slotFor(key, 0);
      return slots[slot] === 0 ? put(reserve(key), slot) : slots[slot]! - 1;
    },
    reserve,
    link: (place) => void put(place, slotFor(keys, place * wordsOfKey)),
    linkUnlessFound(place) {
      const slot = slotFor(keys, place * wordsOfKey);
      return slots[slot] === 0 ? put(place, slot) : slots[slot]! - 1;
    },
    remove(place) {
      const slot = slotOf(keys, place * wordsOfKey);
      if (slots[slot] === place + 1) {
        empty(slot);
        linked -= 1;
      }
      free.push(place);
    },
    readKey(place, key) {
      for (let word = 0; word < wordsOfKey; word += 1) key[word] = keys[place * wordsOfKey + word]!;
    },
  };
}
