import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Months of history of three simulated clouds, scraped from the real exporter; written once, and kept. */
export async function writeHistory({ projectFolder, folder, again }) {
  const momentsFile = join(folder, 'moments.json');
  if (!again) {
    // Two histories in one folder would be mixed.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const program = join(projectFolder, 'build/test/dashboards/timeline/write-history.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program, folder], { cwd: projectFolder });
    await writeFile(momentsFile, stdout);
  }
  return JSON.parse(await readFile(momentsFile, 'utf8'));
}

/** A Prometheus that scrapes nothing and answers from that folder. */
export async function openHistory({ projectFolder, folder }) {
  const module = join(projectFolder, 'build/test/dashboards/timeline/open-history.js');
  const { openHistory: open } = await import(module);
  return open('prometheus', folder);
}
