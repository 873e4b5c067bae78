import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type ReadyProgram = Awaited<ReturnType<typeof startUntilReady>>;

/** Starts a program and waits for the line by which it says that it is ready. */
export async function startUntilReady(
  path: string,
  flags: readonly string[],
  readiness: RegExp,
  env = process.env,
) {
  const child = spawn(path, flags, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  const isReady = new Promise<void>((resolve) => {
    for (const output of [child.stdout, child.stderr])
      createInterface({ input: output }).on('line', (line) => {
        lines.push(line);
        if (readiness.test(line)) resolve();
      });
  });
  const said = () => lines.slice(-20).join('\n');
  const ended = exited.then(() => {
    throw new Error(`${path} ended before it was ready:\n${said()}`);
  });
  await Promise.race([isReady, ended]);
  return {
    pid: child.pid!,
    /** The latest of what it said. */
    said,
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}
