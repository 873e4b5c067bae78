import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The real programs that tests run, and the Debian package that brings each. */
export const parts: Readonly<Record<string, string>> = {
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  amtool: 'prometheus-alertmanager',
  chromium: 'chromium',
  'victoria-metrics': 'victoria-metrics',
  vmalert: 'victoria-metrics',
  curl: 'curl',
  jq: 'jq',
  kubectl: 'kubernetes-client',
  openssl: 'openssl',
  go: 'golang-go',
  'systemd-analyze': 'systemd',
  'systemd-socket-activate': 'systemd',
};

export function packageOf(part: string): string {
  return parts[part] ?? part;
}

function find(part: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, part))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function missingParts(names: readonly string[]): string[] {
  return names.filter((name) => find(name) === undefined);
}

/** The path of a program that `describeWith` has checked. */
export function pathOf(part: string): string {
  const path = find(part);
  if (path === undefined) throw new Error(`${part} is not installed`);
  return path;
}

/** Tests with real parts: skipped where one is missing, but never in CI, where that is a failure. */
export function describeWith(names: readonly string[], title: string, tests: () => void): void {
  const missing = missingParts(names);
  if (missing.length > 0 && process.env['CI'] === 'true') {
    describe(title, () => {
      it(`has ${names.join(', ')}`, () => expect(missing).toEqual([]));
    });
    return;
  }
  describe.skipIf(missing.length > 0)(title, tests);
}
