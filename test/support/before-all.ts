import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { missingParts, packagesOf, parts } from './real-parts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what is made once for all tests of a run. */
    readonly runFolder: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  getParts();
  const folder = await mkdtemp(join(tmpdir(), 'exporter-run-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Before the whole of `npm test`, and not before a single file: gets the real parts where this machine lets us. */
function getParts(): void {
  const isOfSomeFiles = process.argv.slice(3).some((word) => !word.startsWith('-'));
  const isWhole = process.env['npm_lifecycle_event'] === 'test' && !isOfSomeFiles;
  const missing = missingParts(Object.keys(parts));
  if (!isWhole || missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) install(packagesOf(missing));
  const left = missingParts(missing);
  if (left.length === 0) return;
  const outcome = process.env['CI'] === 'true' ? 'fail' : 'are skipped';
  process.stdout.write(
    `not on this machine: ${left.join(', ')} (Debian packages ${packagesOf(left).join(', ')}); tests that need them ${outcome}\n`,
  );
}

function install(packages: readonly string[]): void {
  process.stdout.write(`installing for the tests: ${packages.join(', ')}\n`);
  const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  try {
    execFileSync('apt-get', ['update', '-qq'], quiet);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
  } catch {
    process.stdout.write('the packages could not be installed\n');
  }
}
