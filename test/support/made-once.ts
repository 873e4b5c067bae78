import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';

/** A folder whose making costs much: the first test of the run that wants it makes it, the others wait for that. */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const outcomeFile = `${folder}.outcome`;
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const outcome = await make(folder).then(
      () => 'made',
      (error: unknown) => `${name} could not be made: ${String(error)}`,
    );
    await writeFile(`${outcomeFile}.partial`, outcome);
    await rename(`${outcomeFile}.partial`, outcomeFile);
  }
  for (;;) {
    const outcome = await readFile(outcomeFile, 'utf8').catch(() => undefined);
    if (outcome === 'made') return folder;
    if (outcome !== undefined) throw new Error(outcome);
    await pause(50);
  }
}
