/** Finds items by digest. A table of numbers: a hundred thousand texts would be looked at by each garbage collection. */
export interface DigestTable<Item> {
  readonly size: number;
  /** Undefined if it is not there; else it counts as seen by this generation. */
  find(digest: string, generation: number): Item | undefined;
  add(digest: string, item: Item, generation: number): void;
  /** Takes over what another table holds and this generation, or a later one, has seen. */
  fillFrom(other: DigestTable<Item>, generation: number, more: number): void;
  /** Gives away all that it holds; the items are gone from it then. */
  handOver(take: (key: Int32Array, at: number, item: Item, seenIn: number) => void): void;
}

/** Of 256 bits so many are compared; two records never have the same ones by accident. */
const wordsOfKey = 4;
const fullest = 0.8;

export function createDigestTable<Item>(): DigestTable<Item> {
  let capacity = 0;
  /** Signed: the engine has these at hand without an object for each large one. */
  let keys = new Int32Array();
  /** One more than the index of the item, so that 0 is an empty place. */
  let places = new Uint32Array();
  let seenIn = new Uint32Array();
  const items: Item[] = [];
  let size = 0;
  const sought = new Int32Array(wordsOfKey);

  function makeRoom(count: number): void {
    let needed = 1024;
    while (needed * fullest < count) needed *= 2;
    size = 0;
    places.fill(0);
    if (needed === capacity) return;
    capacity = needed;
    keys = new Int32Array(capacity * wordsOfKey);
    places = new Uint32Array(capacity);
    seenIn = new Uint32Array(capacity);
  }

  /** Where this key is, or would be. */
  function placeOf(key: Int32Array, at: number): number {
    const [first, second, third, fourth] = [key[at]!, key[at + 1]!, key[at + 2]!, key[at + 3]!];
    let place = first & (capacity - 1);
    for (; places[place] !== 0; place = (place + 1) & (capacity - 1)) {
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

  function insert(key: Int32Array, at: number, item: Item, generation: number): void {
    const place = placeOf(key, at);
    for (let word = 0; word < wordsOfKey; word += 1) keys[place * wordsOfKey + word] = key[at + word]!;
    if (places[place] === 0) {
      size += 1;
      places[place] = size;
    }
    items[places[place]! - 1] = item;
    seenIn[place] = generation;
  }

  return {
    get size() {
      return size;
    },
    find(digest, generation) {
      if (size === 0) return undefined;
      readKey(digest, sought);
      const place = placeOf(sought, 0);
      if (places[place] === 0) return undefined;
      seenIn[place] = Math.max(seenIn[place]!, generation);
      return items[places[place]! - 1];
    },
    add(digest, item, generation) {
      readKey(digest, sought);
      insert(sought, 0, item, generation);
    },
    fillFrom(other, generation, more) {
      makeRoom(other.size + more);
      other.handOver((key, at, item, seen) => {
        if (seen >= generation) insert(key, at, item, seen);
      });
    },
    handOver(take) {
      for (let place = 0; place < capacity; place += 1) {
        if (places[place] !== 0) take(keys, place * wordsOfKey, items[places[place]! - 1]!, seenIn[place]!);
      }
      items.length = 0;
      size = 0;
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
