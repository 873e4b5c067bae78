import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import type { SimulatedCloud } from '../simulator/cloud.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program as it is shipped, compiled into a folder of its own so that no other build is disturbed. */
export async function buildProgram(): Promise<{ main: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-program-'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', root, '--outDir', join(folder, 'dist')]);
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    main: join(folder, 'dist/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface Run {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
}

export interface RunningProgram {
  /** What it wrote to standard output and to standard error. */
  printed(): string;
  logged(): string;
  /** Resolves when these words have been logged, and fails when the program ends without them. */
  logs(words: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** A process of its own, with no environment but the one given; killed when the test ends. */
export function runProgram(main: string, { flags = [], environment = {}, node = [] }: Run): RunningProgram {
  const child = spawn(process.execPath, [...node, main, ...flags], { env: { ...environment } });
  let printed = '';
  let logged = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    printed: () => printed,
    logged: () => logged,
    ended,
    signal: (name) => void child.kill(name),
    async logs(words) {
      while (!logged.includes(words)) {
        const end = await Promise.race([once(child.stderr, 'data'), ended]);
        if (!Array.isArray(end)) throw new Error(`ended with ${end} before it logged ${words}:\n${logged}`);
      }
    },
  };
}

/** The program once it listens on a free port. */
export async function startProgram(main: string, run: Run): Promise<RunningProgram & { url: string }> {
  const flags = ['--web.listen-address=127.0.0.1:0', '--log.format=json', ...(run.flags ?? [])];
  const program = runProgram(main, { ...run, flags });
  await program.logs('"msg":"listening"');
  return { ...program, url: /"url":"([^"]+)"/.exec(program.logged())![1]! };
}

/** The variables with which the program finds a simulated cloud. */
export function environmentFor(cloud: SimulatedCloud): Record<string, string> {
  return {
    OS_AUTH_URL: cloud.authUrl,
    OS_USERNAME: exporterAccount.name,
    OS_PASSWORD: exporterAccount.password,
    OS_USER_DOMAIN_NAME: exporterAccount.domain.name,
    OS_PROJECT_NAME: systemProject.name,
    OS_PROJECT_DOMAIN_NAME: systemProject.domain.name,
    CLOUD_QUERY: 'scope=system&pending_delete=all',
  };
}
