import { readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { placesOf, writeHome } from '../../tools/automation/home.ts';
import { temporaryFolder } from '../support/simulated.ts';

const chart = 'deploy/helm/cloud-platform-exporter';

it('npm run setup-home writes the address where it belongs, again when the project moves', async () => {
  const folder = await temporaryFolder();
  const files = placesOf('any/name').map(({ file }) => file);
  for (const file of files) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await cp(file, join(folder, file));
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  writeHome(folder, 'example-org/clouds');
  const first = files.map(read);
  for (const [index, text] of first.entries()) expect(text, files[index]).toContain('example-org/clouds');
  writeHome(folder, 'Example-Org/Clouds2');
  for (const [index, text] of files.map(read).entries()) {
    expect(text.length - first[index]!.length, files[index]).toBeLessThan(9);
    expect(text).not.toMatch(/example-org\/clouds\b/i);
  }
  expect(JSON.parse(read('package.json'))).toMatchObject({
    homepage: 'https://github.com/Example-Org/Clouds2#readme',
    repository: { type: 'git', url: 'git+https://github.com/Example-Org/Clouds2.git' },
    bugs: 'https://github.com/Example-Org/Clouds2/issues',
  });
  const home = 'https://github.com/Example-Org/Clouds2';
  expect(parse(read(`${chart}/Chart.yaml`))).toMatchObject({ home, sources: [home] });
  const image = { repository: 'ghcr.io/example-org/clouds2' };
  expect(parse(read(`${chart}/values.yaml`))).toMatchObject({ image });
});

const odd = ['', 'clouds', 'a/b/c', '-a/b', 'a-/b', 'a b/c', 'https://github.com/a/b', 'a/b;rm'];
it.each(odd)('an address is not made of %j', (text) => {
  expect(() => writeHome('/nowhere', text)).toThrow('is not the name of a repository on GitHub');
});
