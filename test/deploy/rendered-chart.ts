import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { pathOf } from '../support/real-parts.ts';
import { readObjects, type KubernetesObject } from './kubernetes-objects.ts';

export type Values = Readonly<Record<string, unknown>>;
export const readYaml = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true }) as Values;

export const chartFolder = 'deploy/helm/cloud-platform-exporter';
/** Their schema validators and their words differ. */
export const helms = ['helm-4', 'helm-3'] as const;

export const everyObject = readYaml('test/deploy/every-object.yaml');
export const everything = readYaml('test/deploy/everything.yaml');
export const clouds = everyObject['clouds'] as Values;

/** What Helm prints; throws what it says when it fails. */
export function helm(version: (typeof helms)[number], words: readonly string[], values: Values = {}): string {
  // A Helm that never collects its garbage is done sooner.
  const env = { ...process.env, GOGC: 'off' };
  const options = { env, input: JSON.stringify(values), maxBuffer: 2 ** 28, stdio: 'pipe' } as const;
  return execFileSync(pathOf(version), words, { ...options, encoding: 'utf8' });
}

const versions: readonly (typeof helms)[number][] = helms;

/** The text of what Helm would install, as this release and of this chart. */
export function template(
  values: Values,
  { release = 'trial', chart = chartFolder, version = versions[0]! } = {},
): string {
  return helm(version, ['template', release, chart, '--namespace', 'monitoring', '--values', '-'], values);
}

const rendered = new Map<string, readonly KubernetesObject[]>();

/** The objects, each only once in a run: what Helm writes of the boards takes long to read. */
export function render(...asked: Parameters<typeof template>): readonly KubernetesObject[] {
  const key = JSON.stringify(asked);
  if (!rendered.has(key)) rendered.set(key, readObjects(template(...asked)));
  return rendered.get(key)!;
}

/** What Helm would say after installing. */
export function notesOf(values: Values): string {
  const words = ['trial', chartFolder, '--namespace', 'monitoring', '--values', '-', '--output', 'json'];
  const release = JSON.parse(helm('helm-4', ['install', ...words, '--dry-run=client'], values)) as unknown;
  return (release as { info: { notes: string } }).info.notes;
}
