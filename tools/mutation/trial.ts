import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A change after which the tests never end is noticed, too: they may take so many times as long as the first time. */
const patience = 4;
const shortestLimitMs = 15_000;
const firstLimitMs = 120_000;

export interface Trial {
  /** Whether all tests pass when the room reads like this. */
  passes(text: string): Promise<boolean>;
  end(): void;
}

/** Runs some tests again and again, in a process of its own that is replaced if it hangs. */
export function createTrial(folder: string, room: string, tests: readonly string[]): Trial {
  let runner: ChildProcess | undefined;
  let limitMs: number | undefined;

  function start(): ChildProcess {
    const program = fileURLToPath(new URL('runner.js', import.meta.url));
    return fork(program, [folder, room, ...tests], {
      cwd: folder,
      // What a changed program says is of no interest.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  function end(): void {
    runner?.kill('SIGKILL');
    runner = undefined;
  }

  return {
    end,
    async passes(text) {
      runner ??= start();
      const startedAt = performance.now();
      const left = new AbortController();
      const signal = AbortSignal.any([left.signal, AbortSignal.timeout(limitMs ?? firstLimitMs)]);
      const told = Promise.race([once(runner, 'message', { signal }), once(runner, 'exit', { signal })]);
      runner.send(text);
      const [answer] = await told.catch(() => []);
      left.abort();
      limitMs ??= Math.max(shortestLimitMs, Math.round(patience * (performance.now() - startedAt)));
      if (typeof answer === 'boolean') return answer;
      end();
      return false;
    },
  };
}
