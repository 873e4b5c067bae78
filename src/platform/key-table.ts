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

/** Word by word: for so few, a call takes longer than they do. */
export function copyKey(key: Key, to: Int32Array, at: number): void {
  to[at] = key[0]!;
  to[at + 1] = key[1]!;
  to[at + 2] = key[2]!;
  to[at + 3] = key[3]!;
}

const fullest = 0.8;
const smallest = 1024;
/** Each time all keys are put in anew: seldom. */
const growth = 4;
/** Odd and without a pattern, so that each bit of a key moves others. */
const spread = 0x9e3779b1;

interface Table {
  /** By place. Signed: the engine has these at hand without an object for each large one. */
  keys: Int32Array<ArrayBuffer>;
  /** Open addressing: a place and 1, or 0. */
  slots: Int32Array<ArrayBuffer>;
  places: number;
  linked: number;
  readonly free: number[];
}

export function createKeyTable(): KeyTable {
  const table: Table = {
    keys: new Int32Array(smallest * wordsOfKey),
    slots: new Int32Array(2 * smallest),
    places: 0,
    linked: 0,
    free: [],
  };
  return {
    get size() {
      return table.linked;
    },
    placeOf: (key) => placeIn(table, slotOf(table, key, 0)),
    add(key) {
      const slot = slotFor(table, key, 0);
      return placeIn(table, slot) ?? put(table, reserve(table, key), slot);
    },
    reserve: (key) => reserve(table, key),
    link: (place) => void put(table, place, slotFor(table, table.keys, place * wordsOfKey)),
    linkUnlessFound(place) {
      const slot = slotFor(table, table.keys, place * wordsOfKey);
      return placeIn(table, slot) ?? put(table, place, slot);
    },
    remove(place) {
      const slot = slotOf(table, table.keys, place * wordsOfKey);
      if (table.slots[slot] === place + 1) {
        empty(table, slot);
        table.linked -= 1;
      }
      table.free.push(place);
    },
    readKey(place, key) {
      for (let word = 0; word < wordsOfKey; word += 1) key[word] = table.keys[place * wordsOfKey + word]!;
    },
  };
}

// Functions of their own, not of each table: the engine compiles for the functions of one, and again when it meets another.

/** Where this key is, or would be. */
function slotOf({ keys, slots }: Table, key: Key, at: number): number {
  const [first, second, third, fourth] = [key[at]!, key[at + 1]!, key[at + 2]!, key[at + 3]!];
  let slot = homeOf(slots, key, at);
  for (; slots[slot] !== 0; slot = after(slots, slot)) {
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
function homeOf(slots: Int32Array, key: Key, at: number): number {
  let mixed = key[at]!;
  for (let word = 1; word < wordsOfKey; word += 1) mixed = Math.imul(mixed, spread) ^ key[at + word]!;
  mixed = Math.imul(mixed, spread);
  return (mixed ^ (mixed >>> 15)) & (slots.length - 1);
}

function after(slots: Int32Array, slot: number): number {
  return (slot + 1) & (slots.length - 1);
}

function placeIn({ slots }: Table, slot: number): number | undefined {
  return slots[slot] === 0 ? undefined : slots[slot]! - 1;
}

function reserve(table: Table, key: Key): number {
  const place = table.free.pop() ?? table.places++;
  table.keys = grown(table.keys, (place + 1) * wordsOfKey);
  copyKey(key, table.keys, place * wordsOfKey);
  return place;
}

/** Where a key may be put that is not there yet. */
function slotFor(table: Table, key: Key, at: number): number {
  if (table.linked >= table.slots.length * fullest) makeRoom(table);
  return slotOf(table, key, at);
}

function put(table: Table, place: number, slot: number): number {
  if (table.slots[slot] === 0) table.linked += 1;
  table.slots[slot] = place + 1;
  return place;
}

function makeRoom(table: Table): void {
  const { keys, slots: before } = table;
  const slots = new Int32Array(growth * before.length);
  for (let index = 0; index < before.length; index += 1) {
    const held = before[index]!;
    if (held === 0) continue;
    let slot = homeOf(slots, keys, (held - 1) * wordsOfKey);
    while (slots[slot] !== 0) slot = after(slots, slot);
    slots[slot] = held;
  }
  table.slots = slots;
}

/** Closes the gap: what stands behind it, and belongs further to the front, moves up. */
function empty({ keys, slots }: Table, slot: number): void {
  let gap = slot;
  for (let next = after(slots, gap); slots[next] !== 0; next = after(slots, next)) {
    const fromHome = (next - homeOf(slots, keys, (slots[next]! - 1) * wordsOfKey)) & (slots.length - 1);
    const fromGap = (next - gap) & (slots.length - 1);
    if (fromHome < fromGap) continue;
    slots[gap] = slots[next]!;
    gap = next;
  }
  slots[gap] = 0;
}
