import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuMs, peakBytes } from '../bench/program.ts';

/** One of the programs that run together: a process of its own. */
export interface Part {
  readonly name: string;
  readonly url: string;
  cpuMs(): number;
  /** Forgets the highest memory so far. */
  resetPeak(): void;
  peakBytes(): number;
  signal(name: NodeJS.Signals): void;
  /** Ends it, in the way that the signal says, and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface PartPlan {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly port: number;
  /** A path that answers 200 once the program is ready. */
  readonly readyPath: string;
}

const mostWordsKept = 8192;

export async function startPart(plan: PartPlan): Promise<Part> {
  const { name, port } = plan;
  const child = spawn(plan.command, plan.arguments, {
    env: { PATH: process.env['PATH'], ...plan.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-mostWordsKept)));
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(`${url}${plan.readyPath}`))) {
    if (isGone()) throw new Error(`${name} ended before it was ready:\n${said}`);
    await wait(100);
  }
  const pid = child.pid!;
  return {
    name,
    url,
    cpuMs: () => cpuMs(pid),
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    peakBytes: () => peakBytes(pid),
    signal: (signal) => void child.kill(signal),
    async end(signal = 'SIGTERM') {
      if (isGone()) return;
      child.kill(signal);
      await exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** The flags that an environment file of the recipe holds. */
export function readEnvironment(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').split('\n');
  const pairs = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(pairs.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}
