import { readDigest } from './digest.ts';
import { grown } from './grown.ts';
import { wordsOfKey } from './key-table.ts';

/** Records that stood one behind the other, by the place of the record before them; at most one run behind each. */
export interface RunTable {
  /** How long the run behind this record is; 0 if there is none. */
  bytesBehind(before: number): number;
  /** The same run, by its number, if its bytes have this digest. */
  find(before: number, digest: string): number | undefined;
  /** How many records it has, and the place of each. */
  lengthOf(run: number): number;
  placeAt(run: number, index: number): number;
  see(run: number, generation: number): void;
  set(run: NewRun, generation: number): void;
  /** Forgets those that neither this generation nor a later one has seen, and those of which a record is gone. */
  dropBefore(generation: number, isThere: ((place: number) => boolean) | undefined): void;
}

export interface NewRun {
  readonly before: number;
  readonly bytes: number;
  readonly digest: string;
  readonly places: readonly number[];
}

/** The longest run. */
export const mostInRun = 12;

/** What of a run is where, behind its digest. */
const [bytesAt, seenAt, lengthAt, placesAt] = [wordsOfKey, wordsOfKey + 1, wordsOfKey + 2, wordsOfKey + 3];
const width = placesAt + mostInRun;

/** Of numbers alone, like the table of keys. */
export function createRunTable(): RunTable {
  /** By the place before it: the run's number and 1, or 0. */
  let behind = new Int32Array(1024);
  let cells = new Int32Array(256 * width);
  let runs = 0;
  const free: number[] = [];
  const sought = new Int32Array(wordsOfKey);

  function runBehind(before: number): number {
    return (behind[before] ?? 0) - 1;
  }

  function placesOf(run: number): Int32Array {
    const start = run * width + placesAt;
    return cells.subarray(start, start + cells[run * width + lengthAt]!);
  }

  function newRun(): number {
    const run = free.pop() ?? runs++;
    cells = grown(cells, (run + 1) * width);
    return run;
  }

  return {
    bytesBehind(before) {
      const run = runBehind(before);
      return run < 0 ? 0 : cells[run * width + bytesAt]!;
    },
    find(before, digest) {
      const run = runBehind(before);
      if (run < 0) return undefined;
      readDigest(digest, sought);
      for (let word = 0; word < wordsOfKey; word += 1)
        if (cells[run * width + word] !== sought[word]) return undefined;
      return run;
    },
    lengthOf: (run) => cells[run * width + lengthAt]!,
    placeAt: (run, index) => cells[run * width + placesAt + index]!,
    see(run, generation) {
      const at = run * width + seenAt;
      if (cells[at]! < generation) cells[at] = generation;
    },
    set({ before, bytes, digest, places }, generation) {
      behind = grown(behind, before + 1);
      const known = runBehind(before);
      const run = known < 0 ? newRun() : known;
      behind[before] = run + 1;
      readDigest(digest, sought);
      cells.set(sought, run * width);
      cells[run * width + bytesAt] = bytes;
      cells[run * width + seenAt] = generation;
      cells[run * width + lengthAt] = places.length;
      cells.set(places, run * width + placesAt);
    },
    dropBefore(generation, isThere) {
      for (let before = 0; before < behind.length; before += 1) {
        const run = behind[before]! - 1;
        if (run < 0) continue;
        const isSeen = cells[run * width + seenAt]! >= generation;
        if (isSeen && (!isThere || (isThere(before) && placesOf(run).every(isThere)))) continue;
        behind[before] = 0;
        free.push(run);
      }
    },
  };
}
