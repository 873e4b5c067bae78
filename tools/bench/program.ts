import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A process of its own, so that what it costs is the kernel's to tell, not its own. */
export interface Program {
  readonly url: string;
  readonly pid: number;
  cpuMs(): number;
  /** Forgets the highest memory so far. */
  resetPeak(): void;
  peakBytes(): number;
  stop(): Promise<void>;
}

export interface Start {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The path of a compiled neighbour of this file. */
export function compiled(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Starts a program and waits until it says at which address it listens. */
export async function startProgram(start: Start): Promise<Program> {
  const child = spawn(start.command, start.arguments, {
    env: { PATH: process.env['PATH'], ...start.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await listeningAddress(child, start.command);
  const pid = child.pid!;
  return {
    url,
    pid,
    cpuMs: () => cpuMs(pid),
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    peakBytes: () => peakBytes(pid),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function listeningAddress(child: ChildProcess, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4096);
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (address) resolve(address);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${said}`)));
  });
}

/** Nanoseconds per thread from the scheduler; /proc/PID/stat counts in hundredths of a second only. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

export function peakBytes(pid: number): number {
  const [, kibibytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
