import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { settingsFor } from '../../test/support/settings.ts';
import type { Cloud } from './cloud.ts';
import { startProgram, type Program } from './program.ts';

/** One of those that are measured in turn: the program of a commit, started in one way. */
export interface Side {
  readonly name: string;
  start(cloud: Cloud, settings: object): Promise<Program>;
}

export interface Wanted {
  /** A commit beside this folder. */
  readonly against?: string;
  /** Of `image`, `npm`, `installed` and `unit`. */
  readonly starts: readonly string[];
  /** Each once more as a side of its own, with these flags of Node. */
  readonly flags: readonly string[];
}

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

/** All sides, and how to remove what was made for them. */
export function openSides({ against, starts, flags }: Wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'exporter-bench-'));
  const root = against === undefined ? undefined : build(against, folder);
  const sides = ['.', ...(root === undefined ? [] : [root])].flatMap((at) =>
    waysToStart(at, starts).flatMap((way) =>
      flags.map((more) => {
        const name = `${at === '.' ? nameHere() : basename(at)} ${way.name} ${more}`.trim();
        const all = [...way.flags, ...more.split(' ').filter((flag) => flag !== '')];
        return openSide({ ...way, name, flags: all }, join(at, 'dist', 'main.js'), folder);
      }),
    ),
  );
  return {
    sides,
    end() {
      if (root !== undefined) git('worktree', 'remove', '--force', root);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nameHere(): string {
  const changed = git('status', '--porcelain', 'src') === '' ? '' : ' and changes';
  return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
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

interface Way {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** How the image, `npm start`, the installed program and the unit start Node; those that do the same together. */
function waysToStart(root: string, wanted: readonly string[]): Way[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const flagsIn = (command = '') => command.match(/--[\w-]+(=[^\s"]+)?/g) ?? [];
  const pairs = (lines: RegExpExecArray[]) =>
    Object.fromEntries(
      lines
        .flatMap(([, line = '']) => [...line.matchAll(/"(\w+)=([^"]*)"|(\w+)=(?:"([^"]*)"|(\S*))/g)])
        .map(([, ...parts]) => parts.filter((part) => part !== undefined))
        // What it logs in with comes from the configuration here.
        .filter(([key]) => !key!.startsWith('OS_')),
    ) as Record<string, string>;
  const image = read('Dockerfile');
  const unit = read('deploy/systemd/cloud-platform-exporter.service');
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const installed = flagsIn(/^#!.*/.exec(read('dist/main.js'))?.[0]);
  const all: Readonly<Record<string, Omit<Way, 'name'>>> = {
    image: {
      environment: pairs([...image.matchAll(/^ENV (.*)$/gm)]),
      flags: flagsIn(/^ENTRYPOINT.*/m.exec(image)?.[0]),
    },
    npm: { environment: {}, flags: flagsIn(scripts['start']) },
    installed: { environment: {}, flags: installed },
    unit: { environment: pairs([...unit.matchAll(/^Environment=(.*)$/gm)]), flags: installed },
  };
  const same = new Map<string, Way>();
  for (const name of wanted) {
    const way = all[name];
    if (!way) throw new Error(`--starts are of ${Object.keys(all).join(', ')}, not ${name}`);
    const key = JSON.stringify([Object.entries(way.environment).map(String).toSorted(), way.flags]);
    const before = same.get(key);
    same.set(key, { ...way, name: before ? `${before.name}, ${name}` : name });
  }
  return [...same.values()];
}

function openSide({ name, ...way }: Way, main: string, folder: string): Side {
  return {
    name,
    start(cloud, settings) {
      const own = mkdtempSync(join(folder, 'start-'));
      const [configFile, traceFile] = [join(own, 'clouds.yml'), join(own, 'compiled.txt')];
      writeFileSync(configFile, stringify({ clouds: { default: settingsFor(cloud, settings) } }));
      writeFileSync(traceFile, '');
      return startProgram({ ...way, main, configFile, traceFile });
    },
  };
}
