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
  const text = readFileSync(join(root, path), 'utf8');
  const [, folder = '', rest] = path.split('/');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?)\sfrom\s+'([^']+)';/gms);
  const imports = [...statements].map(([, typed, names = '', from = '']) => ({
    from,
    typeOnly: typed !== undefined || /^\{\s*(type [\w\s]+,?\s*)+\}$/.test(names),
  }));
  return { path, folder: rest === undefined ? '' : folder, text, imports };
}

const sources = filesBelow('src').map(read);
const tests = filesBelow('test').map(read);

/** What each folder may import from another at run time; whatever is not here is `import type`. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  http: ['metrics'],
  inventory: ['platform', 'transport'],
  platform: ['transport'],
  identity: ['transport'],
};

/** Everybody who works long pauses in the same way. */
const everywhere = '../breathe.ts';

const libraryHomes: Readonly<Record<string, RegExp>> = {
  axios: /^src\/transport\/request\.ts$/,
  'prom-client': /^src\/metrics\//,
  express: /^src\/(http\/|simulator\/api\.ts$)/,
  zod: /^src\/(config|identity|platform)\//,
  pino: /^src\/log\.ts$/,
  yaml: /^src\/config\//,
  bcryptjs: /^src\/http\//,
  aws4: /^src\/identity\/signature\.ts$/,
};

function targetFolder(source: Source, from: string): string {
  const target = relative(join(root, 'src'), resolve(root, source.path, '..', from)).split('/');
  return target.length > 1 ? target[0]! : '';
}

describe('the source', () => {
  it('imports across folders only along the flow', () => {
    const crossings = sources
      .filter(({ folder }) => folder !== '')
      .flatMap((source) =>
        source.imports
          .filter(({ from, typeOnly }) => from.startsWith('.') && from !== everywhere && !typeOnly)
          .map(({ from }) => ({ source, target: targetFolder(source, from) }))
          .filter(
            ({ target }) => target !== source.folder && !allowedImports[source.folder]?.includes(target),
          ),
      );
    expect(crossings.map(({ source, target }) => `${source.path} → ${target || 'src'}`)).toEqual([]);
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
      source.imports.filter(({ from }) => from.startsWith('.') && targetFolder(source, from) !== 'simulator'),
    );
    expect(outward).toEqual([]);
    const users = sources.filter(
      (source) =>
        source.folder !== 'simulator' &&
        source.imports.some(({ from }) => from.startsWith('.') && targetFolder(source, from) === 'simulator'),
    );
    expect(users.map(({ path }) => path)).toEqual(['src/demo.ts']);
  });

  it('reads `process` in main only', () => {
    const readers = sources.filter(({ text }) =>
      /\bprocess\.|from 'node:process'/.test(withoutComments(text)),
    );
    expect(readers.map(({ path }) => path)).toEqual(['src/main.ts']);
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

  it('keeps rooms small', () => {
    const lengths = sources.map(({ text }) => text.split('\n').length).toSorted((a, b) => a - b);
    expect(lengths.at(-1)).toBeLessThanOrEqual(250);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(100);
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
