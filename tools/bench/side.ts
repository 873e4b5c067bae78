import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { settingsFor } from '../../test/support/settings.ts';
import type { Cloud } from './cloud.ts';
import { startProgram, type Program } from './program.ts';

/** One of the two that are measured in turn: the program of this folder, or of another commit. */
export type Side = ReturnType<typeof openSide>;

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

/** This folder, and the commit that it is measured against, if there is one. */
export function openSides(against: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'exporter-bench-'));
  const root = against === undefined ? undefined : build(against, folder);
  const others = root === undefined ? [] : [openSide(basename(root), root, folder)];
  return {
    sides: [openSide(nameHere(), '.', folder), ...others],
    end() {
      if (root !== undefined) git('worktree', 'remove', '--force', root);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nameHere(): string {
  try {
    const changed = git('status', '--porcelain', 'src') === '' ? '' : ' and changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'this folder';
  }
}

/** The program of another commit, in a worktree of git's. */
function build(commit: string, folder: string): string {
  const root = join(folder, git('rev-parse', '--short', commit));
  git('worktree', 'add', '--quiet', '--detach', root, commit);
  if (builtWith(root) === builtWith('.')) symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: root, stdio: 'ignore' });
  execFileSync(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc')], { cwd: root });
  return root;
}

/** What the program is made of, and the compiler. */
function builtWith(root: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: object;
    devDependencies: { typescript: string };
  };
  return JSON.stringify([dependencies, devDependencies.typescript]);
}

function openSide(name: string, root: string, folder: string) {
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
    /** What of these settings it takes: what only asks for less is left out where it is not known. */
    async settingsFor(cloud: Cloud, wanted: object): Promise<object | undefined> {
      const needed = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
      if (await takes(cloud, wanted)) return wanted;
      return (await takes(cloud, needed)) ? needed : undefined;
    },
  };
}
