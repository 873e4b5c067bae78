import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/simulated.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = join(root, 'deploy/release/release.sh');

/** A repository of its own with what a release stamps. */
async function repository() {
  const folder = await temporaryFolder();
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    await cp(join(root, name), join(folder, name));
  await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- [FEATURE] Something.\n');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'start');
  const identity = {
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@example.com',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@example.com',
  };
  const env = { ...process.env, ...identity, SKIP_TESTS: 'yes' };
  const release = (version: string) =>
    execFileSync('sh', [script, version], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  return { folder, git, release };
}

describe('a release', () => {
  it('stamps package, lockfile and changelog, and tags what it committed', async () => {
    const { folder, git, release } = await repository();
    expect(release('9.8.7')).toContain('v9.8.7 is tagged');
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toContain('"version": "9.8.7"');
    expect(await readFile(join(folder, 'package-lock.json'), 'utf8')).toContain('"version": "9.8.7"');
    expect(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 9\.8\.7 \(\d{4}-\d\d-\d\d\)$/m);
    expect(git('describe')).toBe('v9.8.7\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('is refused for a word that is no version, and while something is not committed', async () => {
    const { folder, release } = await repository();
    expect(() => release('next')).toThrow('is not a version');
    await writeFile(join(folder, 'more'), '');
    expect(() => release('9.8.7')).toThrow('commit your changes first');
  });
});
