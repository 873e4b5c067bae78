import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { nameOf, statedHome } from '../../tools/automation/home.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const home = `https://github.com/${nameOf(statedHome(read('package.json'))!)}`;

/** Files that are read by machines as well, and where the checklist of GitHub looks for them. */
const forMachines = ['SECURITY-INSIGHTS.yml', 'CITATION.cff', '.github/ISSUE_TEMPLATE/config.yml'];

describe('the files for people who come by', () => {
  it.each([
    'README.md',
    'LICENSE',
    'CONTRIBUTING.md',
    'CODE_OF_CONDUCT.md',
    'SECURITY.md',
    '.github/PULL_REQUEST_TEMPLATE.md',
  ])('%s is there', (path) => {
    expect(read(path).length).toBeGreaterThan(200);
  });

  it.each(forMachines)('%s leads only to this project, and to files that are there', (path) => {
    const links = [...JSON.stringify(parse(read(path))).matchAll(/https:\/\/github\.com\/[^"]+/g)].map(
      ([link]) => link,
    );
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(link.startsWith(home), link).toBe(true);
      const [, file] = /\/blob\/main\/(.+)$/.exec(link) ?? [];
      if (file !== undefined) expect(existsSync(new URL(file, root)), link).toBe(true);
    }
  });

  it('name the licence that the package has', () => {
    const { license } = JSON.parse(read('package.json')) as { license: string };
    expect(parse(read('CITATION.cff'))).toMatchObject({ 'cff-version': '1.2.0', license });
    expect(parse(read('SECURITY-INSIGHTS.yml'))).toMatchObject({
      header: { 'schema-version': expect.stringMatching(/^2\./) },
      repository: { license: { expression: license } },
    });
  });

  it('name what people look for', () => {
    const { keywords, homepage } = JSON.parse(read('package.json')) as {
      keywords: string[];
      homepage: string;
    };
    expect(keywords).toEqual(expect.arrayContaining(['prometheus', 'exporter', 'cloudpods']));
    expect(homepage).toBe(`${home}#readme`);
  });

  it('agree with the formatter about indentation', () => {
    expect(read('.editorconfig')).toMatch(/^indent_size = 2$/m);
    expect(JSON.parse(read('.oxfmtrc.json'))).not.toHaveProperty('tabWidth');
  });
});
