import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { formatted } from './section.ts';
import { valuesSchema } from './values-schema.ts';

const chart = 'deploy/helm/cloud-platform-exporter/';

/** What of the chart follows from the project, by path: its version, and the schema of its values. */
export async function renderChartFiles(root: URL): Promise<Map<string, string>> {
  const read = (path: string) => readFile(new URL(path, root), 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const described = (await read(`${chart}Chart.yaml`))
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: '${version}'`);
  const values = parse(await read(`${chart}values.yaml`)) as object;
  const schema = `${chart}values.schema.json`;
  return new Map([
    [`${chart}Chart.yaml`, described],
    [schema, await formatted(schema, JSON.stringify(valuesSchema(values)))],
  ]);
}
