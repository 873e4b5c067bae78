import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { placesOf, writeHome } from '../../tools/automation/home.ts';
import { temporaryFolder } from '../support/simulated.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
const chart = 'deploy/helm/cloud-platform-exporter';

/** The files that have a place for the address. */
async function copyOfProject() {
  const folder = await temporaryFolder();
  for (const { file } of placesOf('any/name')) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  return { folder, read };
}

it('npm run setup-home writes the address where it belongs, again when the project moves', async () => {
  const { folder, read } = await copyOfProject();
  const files = placesOf('any/name').map(({ file }) => file);
  writeHome(folder, 'example-org/clouds');
  const first = await Promise.all(files.map(read));
  for (const [index, text] of first.entries()) expect(text, files[index]).toContain('example-org/clouds');
  writeHome(folder, 'Example-Org/Clouds2');
  for (const [index, text] of (await Promise.all(files.map(read))).entries()) {
    expect(text.length - first[index]!.length, files[index]).toBeLessThan(9);
    expect(text).not.toMatch(/example-org\/clouds\b/i);
  }
  expect(JSON.parse(await read('package.json'))).toMatchObject({
    license: 'Apache-2.0',
    homepage: 'https://github.com/Example-Org/Clouds2#readme',
    repository: { type: 'git', url: 'git+https://github.com/Example-Org/Clouds2.git' },
    bugs: 'https://github.com/Example-Org/Clouds2/issues',
    type: 'module',
  });
  expect(parse(await read(`${chart}/Chart.yaml`))).toMatchObject({
    home: 'https://github.com/Example-Org/Clouds2',
    sources: ['https://github.com/Example-Org/Clouds2'],
  });
  expect(parse(await read(`${chart}/values.yaml`))).toMatchObject({
    image: { repository: 'ghcr.io/example-org/clouds2' },
  });
});

it.skipIf('repository' in manifest)(
  'until then nothing names an address or asks for a package or image',
  () => {
    const grep = (pattern: string, ...paths: string[]) =>
      spawnSync('git', ['grep', '--name-only', '--extended-regexp', pattern, '--', ...paths], {
        cwd: root,
        encoding: 'utf8',
      }).stdout;
    const everything = ['.', ':!test', ':!docs/releasing.md'];
    expect(grep('\\bOWNER\\b', ...everything)).toBe('');
    expect(grep('github.com/[^/ ]+/cloud-platform-exporter', ...everything)).toBe('');
    expect(grep('npx cloud-platform|install .*[ @]cloud-platform-exporter$', ...everything)).toBe('');
    const others = ['.github', 'tools/automation'].map((folder) => `:!${folder}`);
    expect(grep('ghcr\\.io|oci://', ...everything, ...others)).toBe('');
  },
);

it.each(['', 'clouds', 'a/b/c', '-a/b', 'a-/b', 'a b/c', 'https://github.com/a/b', 'a/b;rm'])(
  'an address is not made of %j',
  (text) => {
    expect(() => writeHome('/nowhere', text)).toThrow('is not the name of a repository on GitHub');
  },
);
