import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { moveHome, nameOf, readHome, statedHome } from './home.ts';

function textFiles(): string[] {
  const matchEveryLine = ['-e', ''];
  const listed = execFileSync('git', ['grep', '-I', '-l', '-z', ...matchEveryLine], { encoding: 'utf8' });
  return listed.split('\0').filter((path) => path !== '');
}

function setUp(wanted: string): string {
  const to = readHome(wanted);
  if (!to)
    fail(
      `"${wanted}" is not the name of a repository on GitHub: write it as OWNER/REPO, such as example-org/cloud-platform-exporter`,
    );
  const from = statedHome(readFileSync('package.json', 'utf8'));
  if (!from) fail('package.json has no repository with a url such as git+https://github.com/OWNER/REPO.git');
  const changed = textFiles().filter((path) => {
    const before = readFileSync(path, 'utf8');
    const after = moveHome(before, from, to);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
  // Tables and long lines have another width now.
  if (changed.length > 0)
    execFileSync('node_modules/.bin/oxfmt', ['--no-error-on-unmatched-pattern', ...changed]);
  return `${nameOf(from)} is now ${nameOf(to)}, in ${changed.length} files. Next: look at git diff, run npm run docs and npm test, and commit.`;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

process.stdout.write(`${setUp(process.argv[2] ?? '')}\n`);
