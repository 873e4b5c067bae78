import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { missingParts, packageOf, parts } from './real-parts.ts';

/** Gets the real parts that tests need, where this machine lets us; what is still missing is named once. */
export default function installParts(): void {
  const missing = missingParts(Object.keys(parts));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(packageOf))];
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (mayInstall) {
    process.stdout.write(`installing for the tests: ${packages.join(', ')}\n`);
    const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    try {
      execFileSync('apt-get', ['update', '-qq'], quiet);
      execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
    } catch {
      process.stdout.write('the packages could not be installed\n');
    }
  }
  const left = missingParts(missing);
  if (left.length === 0) return;
  process.stdout.write(
    `not on this machine: ${left.join(', ')} (Debian packages ${[...new Set(left.map(packageOf))].join(', ')}); ` +
      `${process.env['CI'] === 'true' ? 'tests that need them fail' : 'only tests that need them are skipped'}\n`,
  );
}
