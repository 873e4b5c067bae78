import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

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

  it('name the licence that the package has', () => {
    const { license } = JSON.parse(read('package.json')) as { license: string };
    expect(parse(read('CITATION.cff'))).toMatchObject({ 'cff-version': '1.2.0', license });
  });

  it('name what people look for', () => {
    const { keywords } = JSON.parse(read('package.json')) as { keywords: string[] };
    expect(keywords).toEqual(expect.arrayContaining(['prometheus', 'exporter', 'cloudpods']));
  });

  it('agree with the formatter about indentation', () => {
    expect(read('.editorconfig')).toMatch(/^indent_size = 2$/m);
    expect(JSON.parse(read('.oxfmtrc.json'))).not.toHaveProperty('tabWidth');
  });
});
