import { suspicions, type Suspicion } from '../platform/suspicion.ts';

/** What was counted over all lists of a cloud since the exporter started. */
export interface ListCounts {
  /** Pages that were asked for again because records were told by half, by what these lacked. */
  readonly suspectPages: ReadonlyMap<Suspicion, number>;
}

export interface ListCounter {
  readonly counts: ListCounts;
  pageDoubted(lacks: readonly Suspicion[]): void;
}

export function createListCounter(): ListCounter {
  const suspectPages = new Map<Suspicion, number>(suspicions.map((lacks) => [lacks, 0]));
  return {
    counts: { suspectPages },
    pageDoubted(lacks) {
      for (const one of lacks) suspectPages.set(one, suspectPages.get(one)! + 1);
    },
  };
}
