import { readdir, readFile, rm, mkdir, writeFile } from 'node:fs/promises';
import { formatted } from './formatted.ts';
import { replaceSection } from './section.ts';
import { valuesSchema } from './values-schema.ts';
import { valuesTable } from './values-table.ts';

const chart = 'deploy/helm/cloud-platform-exporter/';

/** Helm reads no file outside its chart, so these folders are copied into it. */
const copied = [
  { from: 'dashboards/', ending: '.json', to: `${chart}files/dashboards/` },
  { from: 'dashboards/rules/', ending: '.yml', to: `${chart}files/rules/` },
];

/** The files of the deployments that follow from others, by path: copies for the chart, its schema, and the version. */
export async function renderChartFiles(root: URL): Promise<Map<string, string>> {
  const read = (path: string) => readFile(new URL(path, root), 'utf8');
  const files = new Map<string, string>();
  for (const { from, ending, to } of copied) {
    const names = (await readdir(new URL(from, root))).filter((name) => name.endsWith(ending));
    for (const name of names.toSorted()) files.set(to + name, await read(from + name));
  }
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const described = await read(`${chart}Chart.yaml`);
  files.set(
    `${chart}Chart.yaml`,
    described
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: '${version}'`),
  );
  const schema = `${chart}values.schema.json`;
  files.set(schema, await formatted(schema, JSON.stringify(valuesSchema())));
  const page = replaceSection(
    await read(`${chart}README.md`),
    'values',
    valuesTable(await read(`${chart}values.yaml`)),
  );
  files.set(`${chart}README.md`, await formatted(`${chart}README.md`, page));
  const kustomized = await read('deploy/kubernetes/kustomization.yaml');
  files.set('deploy/kubernetes/kustomization.yaml', kustomized.replace(/newTag: .*$/m, `newTag: ${version}`));
  return files;
}

/** Files that were copied once and whose origin is gone. */
export async function leftoverChartFiles(root: URL): Promise<string[]> {
  const current = await renderChartFiles(root);
  const present = await Promise.all(
    copied.map(async ({ to }) => (await readdir(new URL(to, root)).catch(() => [])).map((name) => to + name)),
  );
  return present.flat().filter((path) => !current.has(path));
}

export async function writeChartFiles(root: URL): Promise<void> {
  for (const { to } of copied) await mkdir(new URL(to, root), { recursive: true });
  for (const path of await leftoverChartFiles(root)) await rm(new URL(path, root));
  for (const [path, text] of await renderChartFiles(root)) await writeFile(new URL(path, root), text);
}
