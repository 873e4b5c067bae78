import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { renderDashboards } from '../../dashboards/generate.ts';
import { formatted } from './section.ts';
import { valuesSchema } from './values-schema.ts';

const chart = 'deploy/helm/cloud-platform-exporter/';

/** What stands in the chart as in the project. Copies, because fetching a chart from git often loses its links. */
const copies: Readonly<Record<string, string>> = {
  LICENSE: 'LICENSE',
  'files/alertmanager.yml': 'deploy/alertmanager/alertmanager.yml',
  'files/kubernetes.yml': 'deploy/prometheus/kubernetes.yml',
  'files/rules/alerts.yml': 'dashboards/rules/alerts.yml',
  'files/rules/recording.yml': 'dashboards/rules/recording.yml',
  'files/rules/thresholds.yml': 'dashboards/rules/thresholds.yml',
};

/** What of the chart follows from the project, by path: its version, the schema of its values, its files. */
export async function renderChartFiles(root: URL): Promise<Map<string, string>> {
  const read = (path: string) => readFile(new URL(path, root), 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  const described = (await read(`${chart}Chart.yaml`))
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: '${version}'`);
  const values = parse(await read(`${chart}values.yaml`)) as Record<string, object>;
  const schema = `${chart}values.schema.json`;
  const files = new Map([
    [`${chart}Chart.yaml`, described],
    [schema, await formatted(schema, JSON.stringify(valuesSchema(values)))],
  ]);
  for (const [copy, original] of Object.entries(copies)) files.set(chart + copy, await read(original));
  for (const [name, text] of renderDashboards()) files.set(`${chart}files/dashboards/${name}`, text);
  return files;
}
