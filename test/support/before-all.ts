import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { missingParts, parts } from './parts.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what is made once for all tests of a run. */
    readonly runFolder: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = missingParts(Object.keys(parts));
  if (missing.length > 0) {
    const advice = '"npm run test:all" gets them, on Debian as root';
    process.stdout.write(
      `Not on this machine, so that tests which need them are skipped: ${missing.join(', ')}; ${advice}.\n`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'exporter-run-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
