import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../src/config/load.ts';
import { openWebSource } from '../src/web-source.ts';
import { parseFlags } from '../src/flags.ts';
import { documentedFamilies } from '../tools/docs/catalogue.ts';
import { renderChartFiles } from '../tools/docs/chart-files.ts';
import { renderPages } from '../tools/docs/pages.ts';
import { problemsOf } from './config/told.ts';
import { projectFiles } from './support/project-files.ts';
import { silentLog } from './support/silent-log.ts';
import { temporaryFolder } from './support/simulated.ts';

const read = (path: string) => readFileSync(path, 'utf8');

const everyPage = projectFiles(/^(?!test\/fixtures).*\.md$/);
const pages = everyPage.filter((path) => /^(README|docs\/[^/]+)\.md$/.test(path));

const withoutCode = (page: string) => page.replaceAll(/^ *```.*?^ *```/gms, '');

/** What GitHub makes of a page's headings. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(page).matchAll(/^#+ +(.+?) *$/gm)].map(([, heading = '']) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/** The links of a page to files and headings that are not there. */
function brokenLinks(path: string, page: string): string[] {
  const links = [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (target !== path && !existsSync(target)) return true;
    if (anchor === undefined) return false;
    const text = target === path ? page : read(target);
    return !target.endsWith('.md') || !anchorsOf(text).includes(anchor);
  });
}

function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return [...found].map(([, text = '']) => text);
}

describe('the documentation', () => {
  it('is what the code says, as are the files of the chart: otherwise run `npm run docs`', async () => {
    const home = pathToFileURL('./');
    for (const [path, text] of [...(await renderPages(home)), ...(await renderChartFiles(home))])
      expect(read(path), path).toBe(text);
  });

  it.each(pages)('has YAML that parses, and is accepted where it is a configuration: %s', async (path) => {
    for (const text of blocks(read(path), 'yaml')) {
      const content = parse(text) as Record<string, unknown>;
      expect(content).toBeTypeOf('object');
      const file = join(await temporaryFolder(), 'clouds.yml');
      await writeFile(file, text);
      const problems: string[] = [];
      if ('clouds' in content) problems.push(...(await problemsOf(loadConfig({ file, environment: {} }))));
      if ('tls_server_config' in content)
        problems.push(...(await problemsOf(openWebSource(file, { log: silentLog }))));
      // The files that an example names are the reader's.
      expect(problems.filter((line) => !line.includes('cannot be read (ENOENT)'))).toEqual([]);
    }
  });

  it.each(everyPage)('has links that lead to files and headings that are there: %s', (path) => {
    expect(brokenLinks(path, read(path))).toEqual([]);
    const mention = /(?<!new file )`((?:src|test|tools|docs|dashboards)\/[\w./-]+)`/g;
    const named = [...read(path).matchAll(mention)].map(([, file = '']) => file);
    if (path !== 'CHANGELOG.md') expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('would not have links that lead nowhere', () => {
    const planted =
      '# A page\n[a](metrics.md#cloud_up) [b](#a-page) [c](gone.md) [d](metrics.md#cloud_upp) [e](#b)';
    expect(brokenLinks('docs/planted.md', planted)).toEqual(['gone.md', 'metrics.md#cloud_upp', '#b']);
  });

  it('has a README of at most 900 words', () => {
    expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
  });

  it('names only families that there are, as do rules, boards, chart and mixin', () => {
    const known = new Set([
      ...documentedFamilies.map(({ name }) => name),
      // Of the walk-through in CONTRIBUTING, and halves of recorded names that a board puts together.
      'cloud_servers_delete_protected',
      'cloud_servers_memory',
      'cloud_servers_disk',
    ]);
    const files = projectFiles(/^((README|CONTRIBUTING)\.md$|(docs|dashboards|deploy)\/)/).filter((path) =>
      /\.(md|ya?ml|json|libsonnet|tpl)$/.test(path),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const path of files) {
      const names = [...read(path).matchAll(/(?<![\w:])cloud_\w*[a-z](?![\w:*$])/g)].map(([name]) => name);
      const strange = names.filter((name) => !known.has(name.replace(/_(bucket|sum|count)$/, '')));
      expect(
        strange.filter((name) => !known.has(name)),
        path,
      ).toEqual([]);
    }
  });

  const ofProject = everyPage.filter((path) => !path.startsWith('tools/preview/'));
  it.each(ofProject)('names npm scripts and flags that exist: %s', (path) => {
    const page = read(path);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const shell = [...blocks(page, 'sh'), ...blocks(page, 'console')].join('\n').replaceAll('\\\n', ' ');
    const call = /(?:dist\/main\.js|npm (?:start|run demo) --)((?: +(?:--[\w.-]+(?:=\S+)?|check))+)/g;
    for (const [, words = ''] of shell.matchAll(call))
      expect(parseFlags(words.trim().split(/ +/)), words).not.toHaveProperty('problems');
  });
});
