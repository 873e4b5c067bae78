import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A place of the address in a file: the pattern finds it before the first time and afterwards. */
interface Place {
  readonly file: string;
  readonly pattern: RegExp;
  readonly written: string;
}

const home = /^[a-z\d](?:[a-z\d-]*[a-z\d])?\/[\w.-]+$/i;

/** Where the address of the repository goes once there is one. */
export function placesOf(name: string): readonly Place[] {
  const address = `https://github.com/${name}`;
  // A registry knows lower case only.
  const image = `ghcr.io/${name.toLowerCase()}`;
  const manifest = { homepage: `${address}#readme`, repository: { type: 'git', url: `git+${address}.git` } };
  const lines = JSON.stringify({ ...manifest, bugs: `${address}/issues` }, undefined, 2).slice(2, -2);
  const chart = 'deploy/helm/cloud-platform-exporter';
  const workflow = `${address}/actions/workflows/test.yml`;
  const place = (file: string, pattern: RegExp, written: string): Place => ({ file, pattern, written });
  return [
    place('package.json', /^( {2}"license": .*\n)(?: {2}"homepage"[^]*?(?=^ {2}"type"))?/m, `$1${lines},\n`),
    place(
      'README.md',
      /^(# .*\n)(?:\n\[!\[Test\].*\n)?/,
      `$1\n[![Test](${workflow}/badge.svg)](${workflow})\n`,
    ),
    place('CITATION.cff', /^(license: .*\n)(?:repository-code: .*\n)?/m, `$1repository-code: ${address}\n`),
    place(
      `${chart}/Chart.yaml`,
      /^(kubeVersion: .*\n)(?:home: .*\nsources:\n.*\n)?/m,
      `$1home: ${address}\nsources:\n  - ${address}\n`,
    ),
    place(`${chart}/values.yaml`, /^( {2}repository: ).*/m, `$1${image}`),
  ];
}

/** Writes it into the files of a folder, also in place of an older one. */
export function writeHome(folder: string, name: string): void {
  if (!home.test(name))
    throw new Error(
      `"${name}" is not the name of a repository on GitHub, such as example-org/cloud-platform-exporter`,
    );
  for (const { file, pattern, written } of placesOf(name)) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (!pattern.test(text)) throw new Error(`${file} has no place for the address`);
    writeFileSync(join(folder, file), text.replace(pattern, written));
  }
}
