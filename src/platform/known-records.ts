import { hash } from 'node:crypto';
import { createDigestTable } from './digest-table.ts';

/** What was made of records, by a digest of their bytes: a record that has not changed need not be read again. */
export interface KnownRecords<Item> {
  begin(): RecordReading<Item>;
}

/** One collection's part in it. Without `keep`, what is known stays as it was. */
export interface RecordReading<Item> {
  find(digest: string): Item | undefined;
  learn(digest: string, item: Item): void;
  /** The collection succeeded: what it learned is known from now on, what it did not show is forgotten. */
  keep(): void;
}

/** Of 256 bits, so that no two records ever have the same one by accident; of these the fastest to make. */
export function digestOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'binary');
}

export function createKnownRecords<Item>(): KnownRecords<Item> {
  const known = createDigestTable<Item>();
  let generations = 0;

  return {
    begin() {
      const generation = (generations += 1);
      const fresh = new Map<string, Item>();
      return {
        find: (digest) => known.find(digest, generation) ?? fresh.get(digest),
        learn: (digest, item) => void fresh.set(digest, item),
        keep() {
          known.dropBefore(generation);
          for (const [digest, item] of fresh) known.add(digest, item, generation);
          fresh.clear();
        },
      };
    },
  };
}
