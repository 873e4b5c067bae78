import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program to its end. */
export const run = promisify(execFile);

/** Runs the compiler of this project in a folder. */
export const compile = (cwd: string, ...words: readonly string[]) =>
  run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...words], { cwd });
