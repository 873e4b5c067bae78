import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Question } from './cloud-process.ts';

export type Cloud = Awaited<ReturnType<typeof startCloud>>;

/** A simulated cloud of this commit in a process of its own. */
export async function startCloud(servers: number) {
  const program = fileURLToPath(new URL('cloud-process.js', import.meta.url));
  const child = fork(program, [String(servers)], { execArgv: ['--max-old-space-size=6144'] });
  // A platform is another machine; here it must not take the processor from what is measured.
  setPriority(child.pid!, constants.priority.PRIORITY_BELOW_NORMAL);
  const [authUrl] = (await once(child, 'message')) as [string];

  async function ask(question: Question): Promise<number> {
    child.send(question);
    return ((await once(child, 'message')) as [number])[0];
  }

  return {
    authUrl,
    /** So much time passes at once, and one server in so many changes; none if it is 0. */
    pass: (milliseconds: number, oneIn: number) => ask({ milliseconds, oneIn }),
    /** What it would have worked in earnest since the last time, in milliseconds. */
    takeBill: () => ask('bill'),
    stop: () => child.kill(),
  };
}
