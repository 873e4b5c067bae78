import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { settingsFor } from '../../test/support/settings.ts';
import type { Cloud } from './cloud.ts';
import { startProgram, type Program } from './program.ts';

/** One of the two that are measured in turn: the program of this folder, or of another commit. */
export interface Side {
  readonly name: string;
  /** What of these settings it takes: one that it doesn't know is left out if it only asks for less. */
  settingsFor(cloud: Cloud, wanted: object): Promise<object | undefined>;
  start(cloud: Cloud, settings: object): Promise<Program>;
}

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

export function thisSide(folder: string): Side {
  return openSide(nameHere(), '.', folder);
}

function nameHere(): string {
  try {
    const changed = git('status', '--porcelain', 'src') === '' ? '' : ' and changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'this folder';
  }
}

/** The program of another commit, built in a worktree of git's that is removed by `end`. */
export function otherSide(commit: string, folder: string): Side & { end(): void } {
  const name = git('rev-parse', '--short', commit);
  const root = join(folder, name);
  git('worktree', 'add', '--quiet', '--detach', root, commit);
  if (builtWith(root) === builtWith('.')) symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: root, stdio: 'ignore' });
  execFileSync(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc')], { cwd: root });
  const end = () => void git('worktree', 'remove', '--force', root);
  return { ...openSide(name, root, folder), end };
}

/** What the program is made of, and the compiler. */
function builtWith(root: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: object;
    devDependencies: { typescript: string };
  };
  return JSON.stringify([dependencies, devDependencies.typescript]);
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'exporter-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function openSide(name: string, root: string, folder: string): Side {
  const configFile = join(folder, `${name}.yml`);
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^ENV (\w+)="?([^"\n]*)"?$/gm);
  /** As the image runs it. */
  const environment = Object.fromEntries([...image].map(([, key = '', value = '']) => [key, value]));
  const minutes = `--import=${new URL('minutes.js', import.meta.url).href}`;

  function start(cloud: Cloud, settings: object): Promise<Program> {
    writeFileSync(configFile, stringify({ clouds: { default: settingsFor(cloud, settings) } }));
    const main = join(root, 'dist', 'main.js');
    const options = `${environment['NODE_OPTIONS'] ?? ''} ${minutes}`;
    const skipped = { BENCH_SKIPPED_MS: String(cloud.skippedMs()) };
    return startProgram({
      main,
      configFile,
      environment: { ...environment, ...skipped, NODE_OPTIONS: options },
    });
  }

  async function takes(cloud: Cloud, settings: object): Promise<boolean> {
    try {
      await (await start(cloud, settings)).stop();
      return true;
    } catch {
      return false;
    }
  }

  return {
    name,
    start,
    async settingsFor(cloud, wanted) {
      const known: [string, unknown][] = [];
      for (const one of Object.entries(wanted))
        if (one[1] || (await takes(cloud, Object.fromEntries([one])))) known.push(one);
      const settings = Object.fromEntries(known);
      return (await takes(cloud, settings)) ? settings : undefined;
    },
  };
}
