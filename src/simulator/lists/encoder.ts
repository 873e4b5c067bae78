import { keyOf, type View } from './view.ts';

const mostViews = 24;

interface Encoding<Item extends object> {
  readonly write: (item: Item) => string;
  readonly known: WeakMap<Item, Buffer>;
}

/** A record never changes, only its place in the fleet is taken by another: what was encoded once stays right. */
export function createEncoder<Item extends object>(writerOf: (view: View) => (item: Item) => string) {
  const encodings = new Map<string, Encoding<Item>>();

  function encodingOf(view: View): Encoding<Item> {
    const key = keyOf(view);
    const encoding = encodings.get(key) ?? { write: writerOf(view), known: new WeakMap<Item, Buffer>() };
    // The one that was used last is the last to go.
    encodings.delete(key);
    encodings.set(key, encoding);
    const [oldest] = encodings.keys();
    if (encodings.size > mostViews && oldest !== undefined) encodings.delete(oldest);
    return encoding;
  }

  return (view: View): ((item: Item) => Buffer) => {
    const { write, known } = encodingOf(view);
    return (item) => {
      const remembered = known.get(item);
      if (remembered !== undefined) return remembered;
      const encoded = Buffer.from(write(item));
      known.set(item, encoded);
      return encoded;
    };
  };
}
