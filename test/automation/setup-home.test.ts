import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/simulated.ts';
import { moveHome, nameOf, readHome, statedHome } from '../../tools/automation/home.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const home = statedHome(readFileSync(join(root, 'package.json'), 'utf8'))!;

/** A clone of its own, with what is not committed yet. */
async function copyOfProject() {
  const folder = await temporaryFolder();
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of list.split('\0').filter((name) => name !== '')) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await cp(join(root, path), join(folder, path));
  }
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const matching = async (pattern: RegExp) => {
    const paths = git('ls-files', '-z').split('\0').slice(0, -1);
    const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
    return paths.filter((_, index) => pattern.test(texts[index]!));
  };
  const mentions = (text: string) => matching(new RegExp(text.replaceAll('.', '\\.'), 'i'));
  return { folder, matching, mentions };
}

it('npm run setup-home changes the home everywhere, and refuses what is none', async () => {
  const { folder, matching, mentions } = await copyOfProject();
  const before = await mentions(nameOf(home));
  expect(before).toEqual(expect.arrayContaining(['package.json', 'Dockerfile']));
  const { stdout } = await run('npm', ['run', '--silent', 'setup-home', '--', 'Example-Org/clouds'], {
    cwd: folder,
  });
  expect(stdout).toContain(`${nameOf(home)} is now Example-Org/clouds`);
  expect(await mentions(nameOf(home))).toEqual([]);
  expect(await mentions(`ghcr.io/${home.owner}`)).toEqual([]);
  // Any other form of the placeholder would stay; the word itself is what users of the command write.
  const word = 'owner'.toUpperCase();
  expect(await matching(new RegExp(`\\b${word}\\b(?!/REPO)`))).toEqual([]);
  expect(await mentions('Example-Org/clouds')).toEqual(expect.arrayContaining(before));
  const read = (path: string) => readFile(join(folder, path), 'utf8');
  expect(JSON.parse(await read('package.json'))).toMatchObject({
    homepage: 'https://github.com/Example-Org/clouds#readme',
    repository: { url: 'git+https://github.com/Example-Org/clouds.git' },
    bugs: 'https://github.com/Example-Org/clouds/issues',
  });
  expect(await read('Dockerfile')).toContain('image.source="https://github.com/Example-Org/clouds"');

  // What npm run has compiled.
  const again = (name: string) =>
    run(process.execPath, ['build/tools/automation/setup-home.js', name], { cwd: folder });
  await again('elsewhere/other-name');
  expect(await read('package.json')).toContain('git+https://github.com/elsewhere/other-name.git');
  await expect(again('clouds')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      '"clouds" is not the name of a repository on GitHub: write it as OWNER/REPO',
    ),
  });
});

describe('a home', () => {
  it.each(['', 'clouds', 'a/b/c', '-a/b', 'a-/b', 'a b/c', 'https://github.com/a/b', 'a/b;rm'])(
    'is not %j',
    (text) => {
      expect(readHome(text)).toBeUndefined();
    },
  );

  const from = { owner: 'Acme', repository: 'x.y' };
  const to = { owner: 'New-Home', repository: 'X.Y-exporter' };

  it.each([
    ['https://github.com/Acme/x.y/blob/main/docs', 'https://github.com/New-Home/X.Y-exporter/blob/main/docs'],
    ['ghcr.io/Acme/x.y:1.0', 'ghcr.io/new-home/x.y-exporter:1.0'],
    ['ghcr.io/acme/x.y@sha256', 'ghcr.io/new-home/x.y-exporter@sha256'],
    ['oci://ghcr.io/acme/charts/x', 'oci://ghcr.io/new-home/charts/x'],
    ['Acme/xzy, Acme, x.y', 'Acme/xzy, Acme, x.y'],
  ])('moves in %j', (text, moved) => {
    expect(moveHome(text, from, to)).toBe(moved);
  });
});
