import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { placesOf } from '../../tools/automation/home.ts';
import { temporaryFolder } from '../support/simulated.ts';

const home = 'example-org/clouds';
const ownManifest = readFileSync('package.json', 'utf8');

/** A repository of its own with what a release reads and stamps. */
async function repository(changelog: string) {
  const folder = await temporaryFolder();
  for (const name of ['package-lock.json', '.npmrc']) await cp(name, join(folder, name));
  const { pattern, written } = placesOf(home).find(({ file }) => file === 'package.json')!;
  await writeFile(join(folder, 'package.json'), ownManifest.replace(pattern, written));
  await writeFile(join(folder, 'CHANGELOG.md'), changelog);
  const [author, committer] = ['GIT_AUTHOR', 'GIT_COMMITTER'].map((who) => ({
    [`${who}_NAME`]: 't',
    [`${who}_EMAIL`]: 't@example.com',
  }));
  const env: NodeJS.ProcessEnv = { ...process.env, ...author, ...committer, SKIP_TESTS: 'yes' };
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  run('git', 'init', '--quiet');
  run('git', 'add', '.');
  run('git', 'commit', '--quiet', '--message', 'start');
  const script = (name: string, ...words: string[]) => run('sh', resolve('deploy/release', name), ...words);
  return { folder, run, script };
}

it('a release stamps package, lockfile and changelog, and tags what it committed', async () => {
  const { folder, run, script } = await repository('# Changelog\n\n## Unreleased\n\n- [FEATURE] New.\n');
  expect(script('release.sh', '9.8.7')).toContain('v9.8.7 is tagged');
  for (const name of ['package.json', 'package-lock.json'])
    expect(await readFile(join(folder, name), 'utf8')).toContain('"version": "9.8.7"');
  expect(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 9\.8\.7 \(\d{4}-\d\d-\d\d\)$/m);
  expect(run('git', 'describe')).toBe('v9.8.7\n');
  expect(run('git', 'status', '--porcelain')).toBe('');
  expect(script('check-tag.sh', 'v9.8.7', home)).toBe('');
});

it('a release is refused for a word that is no version, and while something is not committed', async () => {
  const { folder, script } = await repository('## Unreleased\n');
  expect(() => script('release.sh', 'next')).toThrow('is not a version');
  await writeFile(join(folder, 'more'), '');
  expect(() => script('release.sh', '9.8.7')).toThrow('commit your changes first');
});

it('a tag is refused if it is another version, if the home is not set, or if nothing is new', async () => {
  const { version } = JSON.parse(ownManifest) as { version: string };
  const alike = `## ${version}0 (2026-11-01)\n\n- [FEATURE] Of a version that begins alike.\n`;
  const { script } = await repository(`## ${version} (2026-11-15)\n\n- [FEATURE] New.\n\n${alike}`);
  expect(script('notes.sh', version)).toBe('- [FEATURE] New.\n');
  expect(() => script('check-tag.sh', 'v99.0.0', home)).toThrow(`package.json says ${version}`);
  expect(() => script('check-tag.sh', `v${version}`, 'some/fork')).toThrow('npm run setup-home -- some/fork');
  const { script: without } = await repository(alike);
  expect(() => without('check-tag.sh', `v${version}`, home)).toThrow('nothing under the heading');
});
