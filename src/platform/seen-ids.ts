/** Which ids the readings of a list have seen. Kept from list to list: a new set of a large fleet is a scrape's garbage. */
export interface SeenIds {
  begin(): IdReading;
}

/** One reading of the list. */
export interface IdReading {
  /** Whether this reading sees it for the first time. */
  add(id: string): boolean;
  /** Holds on to this copy of an id instead of the one that is kept, so that there are not two of each. */
  renew(id: string): void;
  readonly size: number;
}

/** So many ids that the latest reading has not seen are borne, in proportion to those that it has. */
const spare = 0.25;

export function createSeenIds(): SeenIds {
  /** The latest reading that has seen it. */
  const seenIn = new Map<string, number>();
  let readings = 0;
  let latest: IdReading | undefined;

  function forgetOld(): void {
    if (!latest || seenIn.size <= 1000 + latest.size * (1 + spare)) return;
    for (const [id, reading] of seenIn) if (reading < readings) seenIn.delete(id);
  }

  return {
    begin() {
      forgetOld();
      const reading = (readings += 1);
      let size = 0;
      latest = {
        get size() {
          return size;
        },
        add(id) {
          // A list that was given up may still be read for a moment; it takes no id from the next one.
          if ((seenIn.get(id) ?? 0) >= reading) return false;
          seenIn.set(id, reading);
          size += 1;
          return true;
        },
        renew(id) {
          const known = seenIn.get(id);
          if (known === undefined) return;
          seenIn.delete(id);
          seenIn.set(id, known);
        },
      };
      return latest;
    },
  };
}
