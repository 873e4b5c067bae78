import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import type { SimulatedCloud } from '../simulator/cloud.ts';
import { ownAddress } from './loopback.ts';
import { compile } from './run.ts';

/** The program as it is shipped, compiled by the first test of a run that wants it: the path of its `main.js`. */
export async function builtProgram(): Promise<string> {
  const folder = join(inject('runFolder'), 'program');
  const outcomeFile = `${folder}.outcome`;
  if ((await mkdir(folder).catch(() => 'is there')) === undefined) {
    const outcome = await build(folder).catch(String);
    await writeFile(`${outcomeFile}.partial`, outcome ?? 'built');
    await rename(`${outcomeFile}.partial`, outcomeFile);
  }
  for (;;) {
    const outcome = await readFile(outcomeFile, 'utf8').catch(() => undefined);
    if (outcome === 'built') return join(folder, 'dist/main.js');
    if (outcome !== undefined) throw new Error(`the program could not be built: ${outcome}`);
    await pause(50);
  }
}

async function build(folder: string): Promise<undefined> {
  await compile('.', '--outDir', join(folder, 'dist'));
  await copyFile('package.json', join(folder, 'package.json'));
  for (const name of ['node_modules', 'dashboards'])
    await symlink(resolve(name), join(folder, name), 'junction');
}

export interface Run {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
}

/** A process of its own, with no environment but the one given; killed when the test ends. */
export function runProgram(main: string, { flags = [], environment = {}, node = [] }: Run) {
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
    /** What it wrote to standard output and to standard error. */
    printed: () => printed,
    logged: () => logged,
    /** The exit code, or the signal that ended it. */
    ended,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** From now on nobody reads what it logs. */
    async closeLog(): Promise<void> {
      child.stderr.destroy();
      await once(child.stderr, 'close');
    },
    /** Resolves when these words have been logged, and fails when the program ends without them. */
    async logs(words: string): Promise<void> {
      while (!logged.includes(words)) {
        const end = await Promise.race([once(child.stderr, 'data'), ended]);
        if (!Array.isArray(end)) throw new Error(`ended with ${end} before it logged ${words}:\n${logged}`);
      }
    },
  };
}

/** The program once it listens on a free port. */
export async function startProgram(main: string, run: Run) {
  const flags = [`--web.listen-address=${ownAddress}:0`, '--log.format=json', ...(run.flags ?? [])];
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
    CLOUD_QUERY: 'scope=system',
  };
}
