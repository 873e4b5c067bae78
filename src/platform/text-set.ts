/** Remembers texts, as a Set does, in a table of numbers: a Set of a large fleet is most of a scrape's garbage. */
export interface TextSet {
  /** Whether it was not there before. */
  add(text: string): boolean;
  readonly size: number;
}

const fullest = 0.5;

export function createTextSet(): TextSet {
  const texts: string[] = [];
  /** One more than the index of the text, so that 0 is an empty place. */
  let places = new Int32Array(1024);

  /** Where this text is, or would be. */
  function placeOf(text: string): number {
    const last = places.length - 1;
    let place = hashOf(text) & last;
    while (places[place] !== 0 && texts[places[place]! - 1] !== text) place = (place + 1) & last;
    return place;
  }

  function grow(): void {
    places = new Int32Array(places.length * 4);
    for (let index = 0; index < texts.length; index += 1) places[placeOf(texts[index]!)] = index + 1;
  }

  return {
    get size() {
      return texts.length;
    },
    add(text) {
      const place = placeOf(text);
      if (places[place] !== 0) return false;
      places[place] = texts.push(text);
      if (texts.length > places.length * fullest) grow();
      return true;
    },
  };
}

/** FNV-1a over the text's code units, and a last mix for the lower bits, which are the ones in use. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}
