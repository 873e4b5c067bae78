import { setTimeout as wait } from 'node:timers/promises';

export interface PlatformCost {
  readonly millisecondsPerServer: number;
  readonly workers: number;
}

/** A platform with few hands: a list keeps one of them busy for as long as its rows take, the others queue. */
export function createWorkers({ millisecondsPerServer, workers }: PlatformCost) {
  const queue: (() => void)[] = [];
  let free = workers;

  async function take(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  }

  function release(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async function work<Done extends { readonly rows: number }>(
    task: () => Promise<Done>,
  ): Promise<Done> {
    await take();
    try {
      const done = await task();
      const cost = done.rows * millisecondsPerServer;
      if (cost > 0) await wait(cost, undefined, { ref: false });
      return done;
    } finally {
      release();
    }
  };
}
