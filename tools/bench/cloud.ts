import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Bill } from './billed-cloud.ts';
import type { Question } from './cloud-process.ts';

/** A simulated cloud of this commit in a process of its own. */
export interface Cloud {
  readonly authUrl: string;
  /** A minute passes, and one server in so many changes; none if not said. */
  passMinute(oneIn?: number): Promise<void>;
  /** By how much its clock is ahead. */
  skippedMs(): number;
  /** What was spent since the last time. */
  takeBill(): Promise<Bill>;
  stop(): void;
}

export async function startCloud(servers: number): Promise<Cloud> {
  const program = fileURLToPath(new URL('cloud-process.js', import.meta.url));
  const child = fork(program, [String(servers)], { execArgv: ['--max-old-space-size=6144'] });
  // A platform is another machine; here it must not take the processor from what is measured.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  const [authUrl] = (await once(child, 'message')) as [string];
  let minutes = 0;

  async function ask<Answer>(question: Question): Promise<Answer> {
    child.send(question);
    return ((await once(child, 'message')) as [Answer])[0];
  }

  return {
    authUrl,
    async passMinute(oneIn = 0) {
      minutes += 1;
      await ask({ ask: 'minute', oneIn });
    },
    skippedMs: () => minutes * 60_000,
    takeBill: () => ask<Bill>({ ask: 'bill' }),
    stop: () => child.kill(),
  };
}
