import { createDigestTable } from './digest-table.ts';
import {
  openKnownPage,
  type Known,
  type KnownPages,
  type KnownRun,
  type Member,
  type Run,
} from './known-page.ts';

/** What was made of records, by a digest of their bytes: a record that has not changed need not be read again. */
export interface KnownRecords<Item> {
  /** What does not hold any more is as good as unknown. */
  begin(holds?: (item: Item) => boolean): RecordReading<Item>;
}

/** One collection's part in it. Without `keep`, what is known stays as it was. */
export interface RecordReading<Item> extends KnownPages<Item> {
  /** The collection succeeded: what it learned is known from now on, what it did not show is forgotten. */
  keep(): void;
}

interface KeptRun extends KnownRun {
  seenIn: number;
}

interface Reading<Item> {
  readonly generation: number;
  /** Absent rather than always true: a call that may be of one function or another is not inlined, for every record. */
  readonly holds: ((item: Item) => boolean) | undefined;
  /** By its digest, each in the order of the other; the few records that two pages share are there twice. */
  readonly fresh: { readonly digests: string[]; readonly items: Item[] };
  readonly freshRuns: Run[];
}

export function createKnownRecords<Item>(): KnownRecords<Item> {
  const table = createDigestTable<Item>();
  /** By the place of the record before it. */
  const runs: (KeptRun | undefined)[] = [];
  let generations = 0;
  let latestKept = 0;

  function find(digest: string, reading: Reading<Item>): { item: Item; member: Member } | undefined {
    const place = table.placeOf(digest);
    if (place === undefined) return undefined;
    const item = table.itemAt(place);
    if (reading.holds && !reading.holds(item)) return undefined;
    table.see(place, reading.generation);
    return { item, member: place };
  }

  function takeRun(run: KeptRun, items: Item[], { generation, holds }: Reading<Item>): boolean {
    const { places } = run;
    const had = items.length;
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index]!;
      const item = table.itemAt(place);
      if (holds && !holds(item)) {
        items.length = had;
        return false;
      }
      table.see(place, generation);
      items.push(item);
    }
    run.seenIn = Math.max(run.seenIn, generation);
    return true;
  }

  function keep({ generation, fresh, freshRuns }: Reading<Item>): void {
    // A later collection has forgotten what this one saw.
    if (generation < latestKept) return;
    latestKept = generation;
    for (let place = 0; place < runs.length; place += 1)
      if ((runs[place]?.seenIn ?? generation) < generation) runs[place] = undefined;
    table.dropBefore(generation);
    for (const [index, digest] of fresh.digests.entries()) table.add(digest, fresh.items[index]!, generation);
    for (const run of freshRuns) keepRun(run, generation);
  }

  function keepRun({ before, bytes, digest, members }: Run, seenIn: number): void {
    const place = placeOf(before);
    while (runs.length <= place) runs.push(undefined);
    runs[place] = { bytes, digest, places: members.map(placeOf), seenIn };
  }

  function placeOf(member: Member): number {
    return typeof member === 'number' ? member : table.placeOf(member)!;
  }

  return {
    begin(holds) {
      const generation = (generations += 1);
      const reading: Reading<Item> = { generation, holds, fresh: { digests: [], items: [] }, freshRuns: [] };
      const known: Known<Item> = {
        find: (digest) => find(digest, reading),
        learn(digest, item) {
          reading.fresh.digests.push(digest);
          reading.fresh.items.push(item);
        },
        runs: {
          behind: (place) => runs[place],
          take: (run, items) => takeRun(run as KeptRun, items, reading),
          learn: (run) => void reading.freshRuns.push(run),
        },
      };
      return { openPage: (body) => openKnownPage(body, known), keep: () => keep(reading) };
    },
  };
}
