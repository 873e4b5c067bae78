import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Source {
  readonly path: string;
  /** The folder below src, or '' for the files of the composition. */
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly { readonly from: string; readonly typeOnly: boolean }[];
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function read(path: string): Source {
  return parse(path, readFileSync(join(root, path), 'utf8'));
}

function parse(path: string, text: string): Source {
  const [, folder = '', rest] = path.split('/');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?)\sfrom\s+'([^']+)';/gms);
  const imports = [...statements].map(([, typed, names = '', from = '']) => ({
    from,
    typeOnly: typed !== undefined || /^\{\s*(type [\w\s]+,?\s*)+\}$/.test(names),
  }));
  const later = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, from = '']) => ({
    from,
    typeOnly: false,
  }));
  return { path, folder: rest === undefined ? '' : folder, text, imports: [...imports, ...later] };
}

const sources = filesBelow('src').map(read);
const tests = [...filesBelow('test'), ...filesBelow('tools')].map(read);

/** The order of the folders, and of the files directly in `src/`: each may import from those before it. */
const floors: readonly (readonly string[])[] = [
  ['clock.ts', 'log.ts', 'timestamp.ts', 'yield-to-event-loop.ts'],
  ['transport'],
  ['identity'],
  ['platform'],
  ['inventory'],
  ['metrics'],
  ['config'],
  ['cloud.ts'],
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
  aws4: /^src\/identity\/signature\.ts$/,
};

function targetPath(source: Source, from: string): string {
  return relative(root, resolve(root, source.path, '..', from));
}

/** The folder below src, or the file's own name for one directly in it. */
function roomOf(path: string): string {
  return path.split('/')[1]!;
}

function floorOf(path: string): number {
  return floors.findIndex((floor) => floor.includes(roomOf(path)));
}

/** Imports of a floor above, or of a neighbour on the same one; types count like everything else. */
function upwardImports(files: readonly Source[]): string[] {
  return files.flatMap((source) =>
    source.imports
      .filter(({ from }) => from.startsWith('.'))
      .map(({ from }) => targetPath(source, from))
      .filter((target) => roomOf(target) !== roomOf(source.path) && floorOf(target) >= floorOf(source.path))
      .map((target) => `${source.path} → ${target}`),
  );
}

/** Files that import each other, directly or by way of others. */
function circles(files: readonly Source[]): string[] {
  const targets = new Map(
    files.map((source) => [
      source.path,
      source.imports.filter(({ from }) => from.startsWith('.')).map(({ from }) => targetPath(source, from)),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  function visit(path: string, way: readonly string[]): void {
    const start = way.indexOf(path);
    if (start >= 0) found.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  }
  for (const path of targets.keys()) visit(path, []);
  return found;
}

describe('the source', () => {
  it('has a floor for every folder and for every file directly in src', () => {
    expect(sources.filter(({ path }) => floorOf(path) < 0).map(({ path }) => path)).toEqual([]);
  });

  it('imports from lower floors only, types included', () => {
    expect(upwardImports(sources)).toEqual([]);
    const planted = parse('src/transport/planted.ts', `import type { Log } from '../http/app.ts';\n`);
    expect(upwardImports([...sources, planted])).toEqual(['src/transport/planted.ts → src/http/app.ts']);
  });

  it('has no files that import each other in a circle', () => {
    expect(circles(sources)).toEqual([]);
    const one = parse('src/http/one.ts', `import { other } from './other.ts';\n`);
    const other = parse('src/http/other.ts', `export type { One } from './one.ts';\n`);
    expect(circles([...sources, one, other])).toHaveLength(1);
  });

  it('keeps each library in its home', () => {
    const strays = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ from, typeOnly }) => !typeOnly && libraryHomes[from]?.test(path) === false)
        .map(({ from }) => `${path} → ${from}`),
    );
    expect(strays).toEqual([]);
  });

  it('has a home for every library it uses', () => {
    const used = sources.flatMap(({ imports }) => imports.map(({ from }) => from));
    const libraries = used.filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
    expect(libraries.filter((name) => libraryHomes[name] === undefined)).toEqual([]);
  });

  it('lets the simulator know nothing of the exporter, and only the demo know the simulator', () => {
    const simulator = sources.filter(({ folder }) => folder === 'simulator');
    const outward = simulator.flatMap((source) =>
      source.imports.filter(
        ({ from }) => from.startsWith('.') && roomOf(targetPath(source, from)) !== 'simulator',
      ),
    );
    expect(outward).toEqual([]);
    const users = sources.filter(
      (source) =>
        source.folder !== 'simulator' &&
        source.imports.some(
          ({ from }) => from.startsWith('.') && roomOf(targetPath(source, from)) === 'simulator',
        ),
    );
    expect(users.map(({ path }) => path)).toEqual(['src/demo.ts']);
  });

  it('reads `process` in the program only', () => {
    const readers = sources.filter(({ text }) =>
      /\bprocess\.|from 'node:process'/.test(withoutComments(text)),
    );
    expect(readers.map(({ path }) => path).toSorted()).toEqual(['src/main.ts', 'src/program.ts']);
  });

  it('writes to no console', () => {
    expect(
      sources
        .filter(({ text }) => /\bconsole\.(log|info|warn|error|debug)/.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('names files for what is inside', () => {
    const banned = /^(utils?|helpers?|common|misc|manager|service|handler|base|types|index)\.ts$/;
    expect(sources.filter(({ path }) => banned.test(basename(path))).map(({ path }) => path)).toEqual([]);
    expect(sources.filter(({ path }) => !/^[a-z0-9-]+\.ts$/.test(basename(path)))).toEqual([]);
  });

  it('has no file of more than 350 lines', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 350).map(({ path }) => path)).toEqual([]);
  });

  it('has no default export', () => {
    const odd = sources.filter(({ text }) => /^export default|^export \{[^}]*\bas default\b/m.test(text));
    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

describe('the tests', () => {
  it('mock nothing of our own and fake no timers', () => {
    const banned = new RegExp(
      ['mock', 'spyOn', 'useFakeTimers', 'stubGlobal'].map((word) => `vi\\.${word}`).join('|'),
    );
    expect(tests.filter(({ text }) => banned.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('skip nothing', () => {
    const skipped = tests.filter(({ text }) => /\b(it|test|describe)\.(skip|only|todo)\(/.test(text));
    expect(skipped.map(({ path }) => path)).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
