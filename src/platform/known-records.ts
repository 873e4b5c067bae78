import { createDigestTable } from './digest-table.ts';
import { digestOf } from './digest.ts';
import { createKnownPage, type KnownPage, type Member, type Run } from './known-page.ts';

/** What was made of records, by a digest of their bytes: a record that has not changed need not be read again. */
export interface KnownRecords<Item> {
  /** What does not hold any more is as good as unknown. */
  begin(holds?: (item: Item) => boolean): RecordReading<Item>;
}

/** One collection's part in it. Without `keep`, what is known stays as it was. */
export interface RecordReading<Item> {
  openPage(body: Buffer): KnownPage<Item>;
  /** The collection succeeded: what it learned is known from now on, what it did not show is forgotten. */
  keep(): void;
}

/** A run that is known, by the places of its records. */
interface KnownRun {
  readonly bytes: number;
  readonly digest: string;
  readonly places: readonly number[];
  seenIn: number;
}

export function createKnownRecords<Item>(): KnownRecords<Item> {
  const table = createDigestTable<Item>();
  /** By the place of the record before it. */
  const runs = new Map<number, KnownRun>();
  let generations = 0;
  let latestKept = 0;

  return {
    begin(holds = () => true) {
      const generation = (generations += 1);
      const fresh = new Map<string, Item>();
      const freshRuns: Run[] = [];

      function find(digest: string): { item: Item; member: Member } | undefined {
        const place = table.placeOf(digest);
        const held = place === undefined ? undefined : table.itemAt(place);
        if (place !== undefined && held !== undefined && holds(held)) {
          table.see(place, generation);
          return { item: held, member: place };
        }
        const item = fresh.get(digest);
        return item === undefined ? undefined : { item, member: digest };
      }

      return {
        openPage: (body) =>
          createKnownPage<Item>(body, {
            find,
            learn: (digest, item) => void fresh.set(digest, item),
            learnRun: (run) => void freshRuns.push(run),
            takeRun(before, start, items) {
              const run = runs.get(before);
              const end = start + (run?.bytes ?? 0);
              // Behind it stands another record: the last one of a page is read with the page's end.
              if (!run || body[end] !== comma || digestOf(body.subarray(start, end)) !== run.digest)
                return undefined;
              const had = items.length;
              for (const place of run.places) {
                const item = table.itemAt(place);
                if (!holds(item)) {
                  items.length = had;
                  return undefined;
                }
                table.see(place, generation);
                items.push(item);
              }
              run.seenIn = Math.max(run.seenIn, generation);
              return { end, last: run.places.at(-1)! };
            },
          }),
        keep() {
          // A later collection has forgotten what this one saw.
          if (generation < latestKept) return;
          latestKept = generation;
          for (const [before, { seenIn }] of runs) if (seenIn < generation) runs.delete(before);
          table.dropBefore(generation);
          for (const [digest, item] of fresh) table.add(digest, item, generation);
          const placeOf = (member: Member) => (typeof member === 'number' ? member : table.placeOf(member)!);
          for (const { before, bytes, digest, members } of freshRuns)
            runs.set(placeOf(before), { bytes, digest, places: members.map(placeOf), seenIn: generation });
        },
      };
    },
  };
}

const [comma] = Buffer.from(',');
