import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly { readonly from: string; readonly typeOnly: boolean }[];
}

function read(folder: string): Source[] {
  return (
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      // Who has drawn the pictures has packages in tools/preview.
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => parse(join(folder, name), readFileSync(join(root, folder, name), 'utf8')))
  );
}

function parse(path: string, text: string): Source {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?)\sfrom\s+'([^']+)';/gms);
  const imports = [...statements].map(([, typed, names = '', from = '']) => ({
    from,
    typeOnly: typed !== undefined || /^\{\s*(type [\w\s]+,?\s*)+\}$/.test(names),
  }));
  const later = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, from = '']) => ({
    from,
    typeOnly: false,
  }));
  return { path, text, imports: [...imports, ...later] };
}

const sources = read('src');
const tests = [...read('test'), ...read('tools')];

/** The order of the folders, and of the files directly in `src/`: each may import from those before it. */
const floors: readonly (readonly string[])[] = [
  ['printable.ts'],
  [
    'clock.ts',
    'listen-address.ts',
    'log.ts',
    'shard.ts',
    'suggest.ts',
    'timestamp.ts',
    'words.ts',
    'yield-to-event-loop.ts',
  ],
  ['transport'],
  ['identity'],
  ['platform'],
  ['inventory'],
  ['metrics'],
  ['config'],
  ['cloud.ts', 'web-source.ts'],
  ['http'],
  ['check'],
  ['simulator'],
  ['flags.ts', 'demo.ts', 'exporter.ts'],
  ['program.ts'],
  ['main.ts'],
];

const libraryHomes: Readonly<Record<string, RegExp>> = {
  axios: /^src\/transport\/request\.ts$/,
  'https-proxy-agent': /^src\/transport\/connections\.ts$/,
  'prom-client': /^src\/metrics\//,
  express: /^src\/(http\/|simulator\/api\.ts$)/,
  zod: /^src\/(config|identity|platform)\//,
  pino: /^src\/log\.ts$/,
  yaml: /^src\/config\//,
  bcryptjs: /^src\/http\//,
  aws4: /^src\/identity\/credentials\.ts$/,
};

/** The folder below src, or the file's own name for one directly in it. */
function roomOf(path: string): string {
  return path.split('/')[1]!;
}

function floorOf(path: string): number {
  return floors.findIndex((floor) => floor.includes(roomOf(path)));
}

function ownImports(source: Source): string[] {
  return source.imports
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => relative(root, resolve(root, source.path, '..', from)));
}

/** Imports of a floor above, or of a neighbour on the same one; types count like everything else. */
function upwardImports(files: readonly Source[]): string[] {
  return files.flatMap((source) =>
    ownImports(source)
      .filter((target) => roomOf(target) !== roomOf(source.path) && floorOf(target) >= floorOf(source.path))
      .map((target) => `${source.path} → ${target}`),
  );
}

/** Libraries away from their home, or without one. */
function strays(files: readonly Source[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ from, typeOnly }) => !/^\.|^node:/.test(from) && !(typeOnly && from in libraryHomes))
      .filter(({ from }) => !libraryHomes[from]?.test(path))
      .map(({ from }) => `${path} → ${from}`),
  );
}

/** Files that import themselves by way of others: what is left once all that need nothing more are taken away. */
function circles(files: readonly Source[]): string[] {
  let left = files;
  for (;;) {
    const paths = new Set(left.map(({ path }) => path));
    const needing = left.filter((source) => ownImports(source).some((target) => paths.has(target)));
    if (needing.length === left.length) return left.map(({ path }) => path);
    left = needing;
  }
}

describe('the source', () => {
  it('imports from lower floors only, types included, and has a floor for every file', () => {
    expect(sources.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path)).toEqual([]);
    expect(upwardImports(sources)).toEqual([]);
    const planted = parse('src/transport/planted.ts', `import type { Log } from '../http/app.ts';\n`);
    expect(upwardImports([planted])).toEqual(['src/transport/planted.ts → src/http/app.ts']);
  });

  it('has no files that import each other in a circle', () => {
    expect(circles(sources)).toEqual([]);
    const one = parse('src/http/one.ts', `import { other } from './other.ts';\n`);
    const other = parse('src/http/other.ts', `export type { One } from './one.ts';\n`);
    expect(circles([one, other])).toEqual(['src/http/one.ts', 'src/http/other.ts']);
  });

  it('keeps each library in its home', () => {
    expect(strays(sources)).toEqual([]);
    const planted = parse(
      'src/http/planted.ts',
      `import axios from 'axios';\nimport left from 'left-pad';\n`,
    );
    expect(strays([planted])).toEqual(['src/http/planted.ts → axios', 'src/http/planted.ts → left-pad']);
  });

  it('lets the simulator know nothing of the exporter, and only the demo know the simulator', () => {
    const crossing = sources.flatMap((source) =>
      ownImports(source)
        .filter((target) => (roomOf(target) === 'simulator') !== (roomOf(source.path) === 'simulator'))
        .map(() => source.path),
    );
    expect([...new Set(crossing)]).toEqual(['src/demo.ts']);
  });

  it('reads `process` in the program only', () => {
    const readers = sources.filter(({ text }) =>
      /\bprocess\.|from 'node:process'/.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
    );
    expect(readers.map(({ path }) => path).toSorted()).toEqual(['src/main.ts', 'src/program.ts']);
  });

  it.each<[words: string, files: readonly Source[], sin: RegExp]>([
    ['writes to no console', sources, /\bconsole\.(log|info|warn|error|debug)/],
    ['has no default export', sources, /^export default|^export \{[^}]*\bas default\b/m],
    ['has no file of more than 350 lines', sources, /^(.*\n){351}/],
    ['is tested without mocks and fake timers', tests, /\bvi\.(mock|spyOn|useFakeTimers|stubGlobal)/],
    ['is tested by tests that are not skipped', tests, /\b(it|test|describe)\.(skip|only|todo)\(/],
  ])('%s', (_words, files, sin) => {
    expect(files.filter(({ text }) => sin.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
