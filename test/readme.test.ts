import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigError, loadConfig } from '../src/config/load.ts';
import { parseFlags } from '../src/flags.ts';
import { documentedFamilies } from '../tools/docs/catalogue.ts';
import { renderPages } from '../tools/docs/pages.ts';
import { temporaryFolder } from './support/simulated.ts';

const root = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  );
}

describe('the documentation', () => {
  it('is what the code says: otherwise run `npm run docs`', async () => {
    for (const [path, page] of await renderPages(root)) expect(read(path), path).toBe(page);
  });

  it('describes every metric of the contract', async () => {
    const names = (await documentedFamilies()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, help } of await documentedFamilies()) {
      expect(help, name).toMatch(/^[A-Z].*\.$/);
      expect(read('docs/metrics.md'), name).toContain(`### ${name}\n`);
    }
  });

  it.each(pages)('has YAML that parses, and clouds that load: %s', async (path) => {
    for (const text of blocks(read(path), 'yaml')) {
      const content = parse(text) as Record<string, unknown>;
      expect(content).toBeTypeOf('object');
      if (!('clouds' in content)) continue;
      const file = join(await temporaryFolder(), 'clouds.yml');
      await writeFile(file, text);
      const problems = await loadConfig({ file, environment: {} }).then(
        () => [],
        (error: unknown) => (error instanceof ConfigError ? error.problems : [String(error)]),
      );
      // The files that an example names are the reader's.
      expect(problems.filter((line) => !line.includes('cannot be read (ENOENT)'))).toEqual([]);
    }
  });

  it.each(pages)('has links that lead somewhere: %s', (path) => {
    const folder = new URL(path, root);
    const links = [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    const broken = links.filter(
      (link) => !/^https?:/.test(link) && !existsSync(fileURLToPath(new URL(link, folder))),
    );
    expect(broken).toEqual([]);
  });

  it.each(pages)('names npm scripts and flags that exist: %s', (path) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const shell = [...blocks(read(path), 'sh'), ...blocks(read(path), 'console')]
      .join('\n')
      .replaceAll('\\\n', ' ');
    const calls = [
      ...shell.matchAll(
        /(?:cloud-platform-exporter|dist\/main\.js|npm run demo --)((?: +(?:--[\w.-]+(?:=\S+)?|check))+)/g,
      ),
    ];
    for (const [, call = ''] of calls) {
      const parsed = parseFlags(call.trim().split(/ +/));
      expect('problems' in parsed ? parsed.problems : [], call).toEqual([]);
    }
  });
});
