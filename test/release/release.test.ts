import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { placesOf } from '../../tools/automation/home.ts';
import { itWith } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';

const it = itWith(['git', 'npm', 'sh']);
const home = 'example-org/clouds';
const chart = 'deploy/helm/cloud-platform-exporter/Chart.yaml';
const ownManifest = readFileSync('package.json', 'utf8');

/** A repository of its own with what a release reads and stamps. */
async function repository(changelog: string) {
  const folder = await temporaryFolder();
  for (const name of ['package-lock.json', '.npmrc', chart]) await cp(name, join(folder, name));
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

it('a candidate and its release stamp package, lockfile and chart, and only the release the changelog', async () => {
  const { folder, run, script } = await repository(
    '## Unreleased\n\n- New.\n\n## 9.8.6 (2026-11-01)\n\n- Old.\n',
  );
  const headings = (file = join(folder, 'CHANGELOG.md')) => readFileSync(file, 'utf8').match(/^## .*$/gm)!;
  for (const version of ['9.8.7-rc.1', '9.8.7-rc.2', '9.8.7']) {
    expect(script('release.sh', version)).toContain(`v${version} is tagged`);
    for (const name of ['package.json', 'package-lock.json'])
      expect(await readFile(join(folder, name), 'utf8')).toContain(`"version": "${version}"`);
    const described = parse(await readFile(join(folder, chart), 'utf8')) as object;
    expect(described).toMatchObject({ version, appVersion: version });
    expect(headings()[0]).toMatch(
      version === '9.8.7' ? /^## 9\.8\.7 \(\d{4}-\d\d-\d\d\)$/ : /^## Unreleased$/,
    );
    expect(run('git', 'describe')).toBe(`v${version}\n`);
    expect(run('git', 'status', '--porcelain')).toBe('');
    expect(script('check-tag.sh', `v${version}`, home)).toBe('');
    expect(script('notes.sh', version)).toBe('- New.\n');
  }
  const ours = headings('CHANGELOG.md').map((heading) => heading.split(' ')[1]);
  expect(new Set(ours).size).toBe(ours.length);
  expect(() => script('release.sh', '9.8.8')).toThrow('nothing under the heading "## Unreleased"');
});

it('a release is refused that is no version, that was before, and while something is not committed', async () => {
  const { folder, run, script } = await repository(
    '## Unreleased\n\n- New.\n\n## 1.0.0 (2026-11-01)\n\n- Old.\n',
  );
  for (const word of ['next', '1.2', '01.2.3', '1.2.3.4', '1.2.3-beta', '1.2.3-rc.0', 'v1.2.3'])
    expect(() => script('release.sh', word)).toThrow('is not a version');
  expect(() => script('release.sh', '1.0.0')).toThrow('has a heading "## 1.0.0" already');
  run('git', 'tag', 'v1.0.1');
  expect(() => script('release.sh', '1.0.1')).toThrow('v1.0.1 is there already');
  await writeFile(join(folder, 'more'), '');
  expect(() => script('release.sh', '9.8.7')).toThrow('commit your changes first');
});

it('a tag is refused if package or chart are another version, if the home is not set, or if nothing is new', async () => {
  const { version } = JSON.parse(ownManifest) as { version: string };
  const alike = `## ${version}0 (2026-11-01)\n\n- [FEATURE] Of a version that begins alike.\n`;
  const { folder, script } = await repository(`## ${version} (2026-11-15)\n\n- [FEATURE] New.\n\n${alike}`);
  expect(script('notes.sh', version)).toBe('- [FEATURE] New.\n');
  expect(script('check-tag.sh', `v${version}`, home)).toBe('');
  expect(() => script('check-tag.sh', 'v99.0.0', home)).toThrow(`package.json says ${version}`);
  expect(() => script('check-tag.sh', `v${version}`, 'some/fork')).toThrow('npm run setup-home -- some/fork');
  const described = await readFile(join(folder, chart), 'utf8');
  for (const line of [/^version: .*$/m, /^appVersion: .*$/m]) {
    await writeFile(
      join(folder, chart),
      described.replace(line, (given) => `${given.split(':')[0]!}: 0.0.9`),
    );
    expect(() => script('check-tag.sh', `v${version}`, home)).toThrow(
      'make tags with deploy/release/release.sh',
    );
  }
  const { script: without } = await repository(alike);
  expect(() => without('check-tag.sh', `v${version}`, home)).toThrow('nothing under the heading');
});
