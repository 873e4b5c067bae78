/** Finds items by digest. A table of numbers: a hundred thousand texts would be looked at by each garbage collection. */
export interface DigestTable<Item> {
  /** Undefined if it is not there; else it counts as seen by this generation. */
  find(digest: string, generation: number): Item | undefined;
  add(digest: string, item: Item, generation: number): void;
  /** Forgets what neither this generation nor a later one has seen. */
  dropBefore(generation: number): void;
}

/** Of 256 bits so many are compared; two records never have the same ones by accident. */
const wordsOfKey = 4;
const fullest = 0.8;
const smallest = 1024;

export function createDigestTable<Item>(): DigestTable<Item> {
  let capacity = smallest;
  /** Signed: the engine has these at hand without an object for each large one. */
  let keys = new Int32Array(capacity * wordsOfKey);
  /** By which generation it was seen last; 0 is an empty place. */
  let seenIn = new Uint32Array(capacity);
  let items: (Item | undefined)[] = emptyPlaces(capacity);
  let size = 0;
  const sought = new Int32Array(wordsOfKey);

  /** Where this key is, or would be. */
  function placeOf(key: Int32Array, at: number): number {
    const [first, second, third, fourth] = [key[at]!, key[at + 1]!, key[at + 2]!, key[at + 3]!];
    let place = homeOf(first);
    for (; seenIn[place] !== 0; place = after(place)) {
      const start = place * wordsOfKey;
      const isSame =
        keys[start] === first &&
        keys[start + 1] === second &&
        keys[start + 2] === third &&
        keys[start + 3] === fourth;
      if (isSame) return place;
    }
    return place;
  }

  function homeOf(word: number): number {
    return word & (capacity - 1);
  }

  function after(place: number): number {
    return (place + 1) & (capacity - 1);
  }

  function fill(place: number, from: { keys: Int32Array; at: number }, item: Item, generation: number): void {
    for (let word = 0; word < wordsOfKey; word += 1)
      keys[place * wordsOfKey + word] = from.keys[from.at + word]!;
    items[place] = item;
    seenIn[place] = generation;
  }

  function grow(): void {
    const before = { keys, seenIn, items };
    capacity *= 2;
    keys = new Int32Array(capacity * wordsOfKey);
    seenIn = new Uint32Array(capacity);
    items = emptyPlaces(capacity);
    for (const [place, generation] of before.seenIn.entries()) {
      if (generation === 0) continue;
      const at = place * wordsOfKey;
      fill(placeOf(before.keys, at), { keys: before.keys, at }, before.items[place]!, generation);
    }
  }

  /** Closes the gap: what stands behind it, and belongs further to the front, moves up. */
  function remove(place: number): void {
    let gap = place;
    for (let next = after(gap); seenIn[next] !== 0; next = after(next)) {
      const at = next * wordsOfKey;
      const fromHome = (next - homeOf(keys[at]!)) & (capacity - 1);
      const fromGap = (next - gap) & (capacity - 1);
      if (fromHome < fromGap) continue;
      fill(gap, { keys, at }, items[next]!, seenIn[next]!);
      gap = next;
    }
    items[gap] = undefined;
    seenIn[gap] = 0;
    size -= 1;
  }

  return {
    find(digest, generation) {
      readKey(digest, sought);
      const place = placeOf(sought, 0);
      if (seenIn[place] === 0) return undefined;
      if (seenIn[place]! < generation) seenIn[place] = generation;
      return items[place];
    },
    add(digest, item, generation) {
      if (size >= capacity * fullest) grow();
      readKey(digest, sought);
      const place = placeOf(sought, 0);
      if (seenIn[place] === 0) size += 1;
      fill(place, { keys: sought, at: 0 }, item, generation);
    },
    dropBefore(generation) {
      for (let place = 0; place < capacity; place += 1)
        while (seenIn[place] !== 0 && seenIn[place]! < generation) remove(place);
    },
  };
}

function emptyPlaces<Item>(count: number): (Item | undefined)[] {
  return Array.from<Item | undefined>({ length: count }).fill(undefined);
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
