import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const goPackages = '/usr/share/gocode/src/';

/** The real programs that tests run (and what Go needs to build one), and the Debian package that brings each. */
export const parts: Readonly<Record<string, string>> = {
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  amtool: 'prometheus-alertmanager',
  chromium: 'chromium',
  'victoria-metrics': 'victoria-metrics',
  curl: 'curl',
  jq: 'jq',
  jsonnet: 'jsonnet',
  shellcheck: 'shellcheck',
  kubectl: 'kubernetes-client',
  openssl: 'openssl',
  go: 'golang-go',
  [`${goPackages}github.com/Masterminds/sprig`]: 'golang-github-masterminds-sprig-dev',
  [`${goPackages}github.com/xeipuuv/gojsonschema`]: 'golang-github-xeipuuv-gojsonschema-dev',
  [`${goPackages}sigs.k8s.io/yaml`]: 'golang-k8s-sigs-yaml-dev',
  'systemd-analyze': 'systemd',
  'systemd-socket-activate': 'systemd',
};

/** What the chart is rendered with. */
export const chartParts: readonly string[] = Object.keys(parts).filter(
  (part) => part === 'go' || part.startsWith(goPackages),
);

export function packagesOf(names: readonly string[]): string[] {
  return [...new Set(names.map((part) => parts[part]!))];
}

function find(part: string): string | undefined {
  if (isAbsolute(part)) return isExecutable(part) ? part : undefined;
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

/** Tests with real parts: skipped and named where one is missing, but never in CI, where that is a failure. */
export function describeWith(names: readonly string[], title: string, tests: () => void): void {
  const missing = missingParts(names);
  const lack = `${title} (needs ${packagesOf(missing).join(', ')}, not on this machine)`;
  if (missing.length > 0 && process.env['CI'] === 'true') it(lack, () => expect(missing).toEqual([]));
  else describe.skipIf(missing.length > 0)(missing.length > 0 ? lack : title, tests);
}
