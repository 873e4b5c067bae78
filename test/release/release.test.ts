import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { placesOf } from '../../tools/automation/home.ts';
import { temporaryFolder } from '../support/simulated.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = 'example-org/clouds';

/** A repository of its own with what a release reads and stamps. */
async function repository(changelog: string) {
  const folder = await temporaryFolder();
  for (const name of ['package-lock.json', '.npmrc']) await cp(join(root, name), join(folder, name));
  const place = placesOf(home).find(({ file }) => file === 'package.json')!;
  const manifest = readFileSync(join(root, 'package.json'), 'utf8').replace(place.pattern, place.written);
  await writeFile(join(folder, 'package.json'), manifest);
  await writeFile(join(folder, 'CHANGELOG.md'), changelog);
  const who = { NAME: 't', EMAIL: 't@example.com' };
  const identity = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const env = { ...process.env, ...Object.fromEntries(identity), SKIP_TESTS: 'yes' } as NodeJS.ProcessEnv;
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  run('git', 'init', '--quiet');
  run('git', 'add', '.');
  run('git', 'commit', '--quiet', '--message', 'start');
  const script = (name: string, ...words: string[]) =>
    run('sh', join(root, 'deploy/release', name), ...words);
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
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const alike = `## ${version}0 (2026-11-01)\n\n- [FEATURE] Of a version that begins alike.\n`;
  const { script } = await repository(`## ${version} (2026-11-15)\n\n- [FEATURE] New.\n\n${alike}`);
  expect(script('notes.sh', version)).toBe('- [FEATURE] New.\n');
  expect(() => script('check-tag.sh', 'v99.0.0', home)).toThrow(`package.json says ${version}`);
  expect(() => script('check-tag.sh', `v${version}`, 'some/fork')).toThrow('npm run setup-home -- some/fork');
  const { script: without } = await repository(alike);
  expect(() => without('check-tag.sh', `v${version}`, home)).toThrow('nothing under the heading');
});
