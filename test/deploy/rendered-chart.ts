import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { z } from 'zod';
import { pathOf } from '../support/real-parts.ts';
import { readObjects, type KubernetesObject } from './kubernetes-objects.ts';

const chart = fileURLToPath(new URL('../../deploy/helm/cloud-platform-exporter/', import.meta.url));
const read = (path: string) => readFileSync(join(chart, path), 'utf8');

export type Values = Readonly<Record<string, unknown>>;
export const standardValues = parse(read('values.yaml')) as Values;
export const valuesSchema = JSON.parse(read('values.schema.json')) as Parameters<typeof z.fromJSONSchema>[0];

function textsBelow(folder: string): Record<string, string> {
  const entries = readdirSync(join(chart, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(chart, join(entry.parentPath, entry.name)));
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}

export interface ChartRenderer {
  render(values: Values): { objects: KubernetesObject[]; notes: string };
  remove(): void;
}

/** Compiles the renderer once; `values` are laid over the chart's own as Helm does it. */
export function createChartRenderer(): ChartRenderer {
  const folder = mkdtempSync(join(tmpdir(), 'exporter-chart-'));
  const program = join(folder, 'render-chart');
  const source = fileURLToPath(new URL('render-chart.go', import.meta.url));
  const env = { ...process.env, GO111MODULE: 'off', GOCACHE: join(folder, 'cache') };
  execFileSync(pathOf('go'), ['build', '-o', program, source], { env });
  const { name, version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>;
  return {
    render(values) {
      const input = JSON.stringify({
        Chart: { Name: name, Version: version, AppVersion: appVersion },
        Release: { Name: 'trial', Namespace: 'monitoring', Service: 'Helm' },
        Values: merge(standardValues, values),
        Files: textsBelow('files'),
        Templates: textsBelow('templates'),
      });
      const output = execFileSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
      const { 'templates/NOTES.txt': notes = '', ...rendered } = JSON.parse(output) as Record<string, string>;
      return { objects: Object.values(rendered).flatMap(readObjects), notes };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function merge(under: Values, over: Values): Values {
  const laid = Object.entries(over).map(([key, value]) => {
    const before = under[key];
    return [key, isMap(before) && isMap(value) ? merge(before, value) : value];
  });
  return { ...under, ...Object.fromEntries(laid) };
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
