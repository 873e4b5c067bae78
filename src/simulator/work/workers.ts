import { setTimeout as pass } from 'node:timers/promises';
import type { Answer } from '../answer.ts';
import { priceOf, type Effort, type PlatformCost } from './cost.ts';
import type { Entry } from './ledger.ts';

export interface Done {
  readonly answer: Answer;
  readonly effort: Effort;
}

export interface Job {
  readonly isAbandoned: () => boolean;
  readonly task: () => Done | Promise<Done>;
}

/**
 * A platform with few workers: a list keeps one of them busy for as long as its rows take, the others wait in line. Who
 * hangs up does not end the work.
 */
export function createWorkers(cost: PlatformCost, enter: (entry: Entry) => void) {
  const { workers, wait = (milliseconds) => pass(milliseconds, undefined, { ref: false }) } = cost;
  const line: (() => void)[] = [];
  let free = workers;

  async function take(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
  }

  function release(): void {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async function work({ task, isAbandoned }: Job): Promise<Answer> {
    await take();
    try {
      const { answer, effort } = await task();
      const milliseconds = priceOf(effort, cost);
      if (milliseconds > 0) await wait(milliseconds);
      const { kind, rows } = effort;
      enter({ kind, rows, milliseconds, bytes: answer.body.length, abandoned: isAbandoned() });
      return answer;
    } finally {
      release();
    }
  };
}
