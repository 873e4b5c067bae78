/** A number of places; whoever finds none free waits for one, in turn. */
export interface Slots {
  /** Does the work as soon as a place is free, and keeps the place until the work has ended. */
  use<Done>(work: () => Promise<Done>): Promise<Done>;
  isUsed(): boolean;
}

/** With `within`, who works here takes a place there too. */
export function createSlots(count: number, within?: Slots): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  async function enter(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async use(work) {
      await enter();
      try {
        return await (within ? within.use(work) : work());
      } finally {
        leave();
      }
    },
    isUsed: () => free < count,
  };
}

/**
 * Node has four threads for files, names and gzip, and what hangs in one of them (a dead mount, a resolver that never
 * answers) cannot be ended. So only three are for what may hang: there is always one for gzip.
 */
export function createThreads(): Slots {
  return createSlots(3);
}
