/**
 * Finds items by digest. Each has a place, by which it is found sooner. A table of numbers: a hundred thousand texts
 * would be looked at by each garbage collection.
 */
export interface DigestTable<Item> {
  /** Undefined if it is not there. */
  placeOf(digest: string): number | undefined;
  itemAt(place: number): Item;
  /** It counts as seen by this generation. */
  see(place: number, generation: number): void;
  /** Gives its place, seen by this generation. */
  add(digest: string, item: Item, generation: number): number;
  /** Forgets what neither this generation nor a later one has seen; what stays keeps its place. */
  dropBefore(generation: number): void;
}

/** Of 256 bits so many are compared; two records never have the same ones by accident. */
const wordsOfKey = 4;
const fullest = 0.8;
const smallest = 1024;

export function createDigestTable<Item>(): DigestTable<Item> {
  /** By place. Signed: the engine has these at hand without an object for each large one. */
  let keys = new Int32Array(smallest * wordsOfKey);
  /** By which generation it was seen last. */
  let seenIn = new Uint32Array(smallest);
  const items: (Item | undefined)[] = [];
  const free: number[] = [];
  /** Open addressing: the place of an item and 1, or 0. */
  let slots = new Int32Array(2 * smallest);
  const sought = new Int32Array(wordsOfKey);

  /** Where this key is, or would be. */
  function slotOf(key: Int32Array, at: number): number {
    const [first, second, third, fourth] = [key[at]!, key[at + 1]!, key[at + 2]!, key[at + 3]!];
    let slot = homeOf(first);
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

  function homeOf(word: number): number {
    return word & (slots.length - 1);
  }

  function after(slot: number): number {
    return (slot + 1) & (slots.length - 1);
  }

  function newPlace(): number {
    const place = free.pop() ?? items.length;
    if (place < seenIn.length) return place;
    const [keysBefore, seenBefore] = [keys, seenIn];
    keys = new Int32Array(2 * keysBefore.length);
    keys.set(keysBefore);
    seenIn = new Uint32Array(2 * seenBefore.length);
    seenIn.set(seenBefore);
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
      const fromHome = (next - homeOf(keys[(slots[next]! - 1) * wordsOfKey]!)) & (slots.length - 1);
      const fromGap = (next - gap) & (slots.length - 1);
      if (fromHome < fromGap) continue;
      slots[gap] = slots[next]!;
      gap = next;
    }
    slots[gap] = 0;
  }

  function see(place: number, generation: number): void {
    if (seenIn[place]! < generation) seenIn[place] = generation;
  }

  return {
    placeOf(digest) {
      // As for each record of a first list.
      if (items.length === free.length) return undefined;
      readKey(digest, sought);
      const held = slots[slotOf(sought, 0)]!;
      return held === 0 ? undefined : held - 1;
    },
    itemAt: (place) => items[place]!,
    see,
    add(digest, item, generation) {
      if (items.length - free.length >= slots.length * fullest) makeRoom();
      readKey(digest, sought);
      const slot = slotOf(sought, 0);
      const place = slots[slot] === 0 ? newPlace() : slots[slot]! - 1;
      slots[slot] = place + 1;
      keys.set(sought, place * wordsOfKey);
      items[place] = item;
      see(place, generation);
      return place;
    },
    dropBefore(generation) {
      for (let place = 0; place < items.length; place += 1) {
        if (seenIn[place]! >= generation || items[place] === undefined) continue;
        empty(slotOf(keys, place * wordsOfKey));
        items[place] = undefined;
        seenIn[place] = 0;
        free.push(place);
      }
    },
  };
}

function readKey(digest: string, key: Int32Array): void {
  for (let word = 0; word < wordsOfKey; word += 1) {
    const at = 4 * word;
    key[word] =
      digest.charCodeAt(at) |
      (digest.charCodeAt(at + 1) << 8) |
      (digest.charCodeAt(at + 2) << 16) |
      (digest.charCodeAt(at + 3) << 24);
  }
}
