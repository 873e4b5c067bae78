import { suspicions, type Suspicion } from '../platform/suspicion.ts';

/** What was counted over all lists of a cloud since the exporter started. */
export interface ListCounts {
  /** Pages that were asked for again because records were told by half, by what these lacked. */
  readonly suspectPages: ReadonlyMap<Suspicion, number>;
  /** Servers that a whole list showed otherwise than they were known; undefined where every list is whole. */
  readonly drifted: number | undefined;
}

export interface ListCounter {
  readonly counts: ListCounts;
  pageDoubted(lacks: readonly Suspicion[]): void;
  serversDrifted(servers: number): void;
}

export function createListCounter({ hasChanges = false } = {}): ListCounter {
  const suspectPages = new Map<Suspicion, number>(suspicions.map((lacks) => [lacks, 0]));
  let drifted = 0;
  return {
    counts: {
      suspectPages,
      get drifted() {
        return hasChanges ? drifted : undefined;
      },
    },
    serversDrifted: (servers) => void (drifted += servers),
    pageDoubted(lacks) {
      for (const one of lacks) suspectPages.set(one, suspectPages.get(one)! + 1);
    },
  };
}
