import { createDigestTable } from './digest-table.ts';
import { readDigest } from './digest.ts';
import { grown } from './grown.ts';
import { copyKey, wordsOfKey } from './key-table.ts';
import {
  openKnownPage,
  type Known,
  type KnownPages,
  type KnownRuns,
  type Member,
  type Run,
} from './known-page.ts';
import { createRunTable } from './run-table.ts';

/** What was made of records, by a digest of their bytes: a record that has not changed need not be read again. */
export interface KnownRecords<Item> {
  /** What does not hold any more is as good as unknown. */
  begin(holds?: (item: Item) => boolean): RecordReading<Item>;
}

/** One collection's part in it. Without `keep`, what is known stays as it was. */
export interface RecordReading<Item> extends KnownPages<Item> {
  /**
   * The collection succeeded: what it learned is known from now on, what it did not show is forgotten, and so is what is
   * of no use.
   */
  keep(isOfUse?: (item: Item) => boolean): void;
}

interface Reading<Item> {
  readonly generation: number;
  /** Absent rather than always true: a call that may be of one function or another is not inlined, for every record. */
  readonly holds: ((item: Item) => boolean) | undefined;
  /** With the keys of their digests, in the same order; the few records that two pages share are there twice. */
  readonly fresh: Item[];
  keys: Int32Array<ArrayBuffer>;
  readonly freshRuns: Run[];
}

export function createKnownRecords<Item>(): KnownRecords<Item> {
  const table = createDigestTable<Item>();
  const runs = createRunTable();
  const key = new Int32Array(wordsOfKey);
  let generations = 0;
  let latestKept = 0;

  function find(digest: string, reading: Reading<Item>): { item: Item; member: Member } | undefined {
    const place = table.placeOf(digest);
    if (place === undefined) return undefined;
    const item = table.itemAt(place)!;
    if (reading.holds && !reading.holds(item)) return undefined;
    table.see(place, reading.generation);
    return { item, member: place };
  }

  function takeRun(
    before: number,
    digest: string,
    items: Item[],
    { generation, holds }: Reading<Item>,
  ): number | undefined {
    const run = runs.find(before, digest);
    if (run === undefined) return undefined;
    const had = items.length;
    const length = runs.lengthOf(run);
    let place = before;
    for (let index = 0; index < length; index += 1) {
      place = runs.placeAt(run, index);
      const item = table.itemAt(place)!;
      if (holds && !holds(item)) {
        items.length = had;
        return undefined;
      }
      table.see(place, generation);
      items.push(item);
    }
    runs.see(run, generation);
    return place;
  }

  function learn(digest: string, item: Item, reading: Reading<Item>): void {
    const { length } = reading.fresh;
    reading.fresh.push(item);
    reading.keys = grown(reading.keys, (length + 1) * wordsOfKey);
    readDigest(digest, key);
    copyKey(key, reading.keys, length * wordsOfKey);
  }

  function keep(reading: Reading<Item>, isOfUse?: (item: Item) => boolean): void {
    const { generation, fresh, keys, freshRuns } = reading;
    // A later collection has forgotten what this one saw.
    if (generation < latestKept) return;
    latestKept = generation;
    const isUsual = table.dropBefore(generation, isOfUse);
    // What was seen as part of a run is there, but for the odd record that is not kept.
    runs.dropBefore(generation, isUsual ? undefined : isThere);
    // Before the places of those that were dropped are given to others.
    const lasting = isUsual ? freshRuns : freshRuns.filter(isStillKnown);
    for (let index = 0; index < fresh.length; index += 1) {
      const item = fresh[index]!;
      for (let word = 0; word < wordsOfKey; word += 1) key[word] = keys[index * wordsOfKey + word]!;
      if (!isOfUse || isOfUse(item)) table.add(key, item, generation);
    }
    for (const run of lasting) keepRun(run, generation);
  }

  /** At once where all of its records are known: the second list has nothing else, and to keep it would take long. */
  function learnRun(run: Run, { generation, freshRuns }: Reading<Item>): void {
    if (!isOfKnown(run)) freshRuns.push(run);
    // What was known to a collection that was given up may have given its places to others.
    else if (generation > latestKept) keepRun(run, generation);
  }

  function runsFor(reading: Reading<Item>): KnownRuns<Item> {
    return {
      bytesBehind: runs.bytesBehind,
      take: (place, digest, items) => takeRun(place, digest, items, reading),
      learn: (run) => learnRun(run, reading),
    };
  }

  function keepRun({ before, bytes, digest, members }: Run, seenIn: number): void {
    const place = placeOf(before);
    const places = members.map(placeOf);
    if (place !== undefined && areAllThere(places))
      runs.set({ before: place, bytes, digest, places }, seenIn);
  }

  function placeOf(member: Member): number | undefined {
    if (typeof member !== 'number') return table.placeOf(member);
    return isThere(member) ? member : undefined;
  }

  /** But for what is known by its digest only; that is found when it is there. */
  function isStillKnown({ before, members }: Run): boolean {
    return [before, ...members].every((member) => typeof member !== 'number' || isThere(member));
  }

  function isThere(place: number): boolean {
    return table.itemAt(place) !== undefined;
  }

  return {
    begin(holds) {
      const generation = (generations += 1);
      const keys = new Int32Array(16 * wordsOfKey);
      const reading: Reading<Item> = { generation, holds, fresh: [], keys, freshRuns: [] };
      const known: Known<Item> = {
        find: (digest) => find(digest, reading),
        learn: (digest, item) => learn(digest, item, reading),
        // As long as nothing is known, no run can be of what is known.
        runs: latestKept === 0 ? undefined : runsFor(reading),
      };
      return { openPage: (body) => openKnownPage(body, known), keep: (isOfUse) => keep(reading, isOfUse) };
    },
  };
}

function isOfKnown({ before, members }: Run): boolean {
  return typeof before === 'number' && members.every((member) => typeof member === 'number');
}

function areAllThere(places: readonly (number | undefined)[]): places is readonly number[] {
  return !places.includes(undefined);
}
