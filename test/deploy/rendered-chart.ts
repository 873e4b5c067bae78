import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { madeOnce } from '../support/made-once.ts';
import { pathOf } from '../support/real-parts.ts';
import { readObjects, type KubernetesObject } from './kubernetes-objects.ts';

const chart = fileURLToPath(new URL('../../deploy/helm/cloud-platform-exporter/', import.meta.url));
const read = (path: string) => readFileSync(join(chart, path), 'utf8');

export type Values = Readonly<Record<string, unknown>>;
export const defaultValues = parse(read('values.yaml')) as Values;

function textsBelow(folder: string): Record<string, string> {
  const entries = readdirSync(join(chart, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(chart, join(entry.parentPath, entry.name)));
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}

/** Boards and rules by their names, which say next to nothing: for tests that are about something else. */
export function smallFiles(): Record<string, string> {
  const rules = 'groups:\n  - name: group\n    rules: [{ record: a, expr: b }]\n';
  const names = Object.keys(textsBelow('files'));
  return Object.fromEntries(names.map((name) => [name, name.endsWith('.json') ? '{}\n' : rules]));
}

/** One `helm install`. */
export interface Installation {
  /** Laid over the chart's own, as Helm does it. */
  readonly values?: Values;
  /** In place of them: `--reuse-values` knows only those of the chart that was installed before. */
  readonly allValues?: Values;
  readonly release?: string;
  readonly chart?: Values;
  /** Files of the chart in place of its own. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of a chart that has this one as a dependency: Helm has one room for the names of all. */
  readonly moreTemplates?: Readonly<Record<string, string>>;
}

export interface Rendered {
  readonly objects: KubernetesObject[];
  readonly notes: string;
  readonly error: string;
}

export interface ChartRenderer {
  /** What Helm would install; throws what Helm would say. */
  render(values: Values, installation?: Installation): Rendered;
  /** Many at once, those that fail with their error. */
  renderAll(installations: readonly Installation[]): Rendered[];
}

/** With the renderer that is compiled once for all tests. */
export async function createChartRenderer(): Promise<ChartRenderer> {
  const folder = await madeOnce('chart-renderer', async (made) => {
    const source = fileURLToPath(new URL('render-chart.go', import.meta.url));
    // The libraries stay compiled from one run to the next.
    const cache = join(tmpdir(), 'cloud-platform-exporter-go-cache');
    const go = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: cache };
    const words = ['build', '-o', join(made, 'render-chart'), source];
    await promisify(execFile)(pathOf('go'), words, { env: { ...process.env, ...go } });
  });
  const program = join(folder, 'render-chart');
  const { name, version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>;
  const ownChart = { Name: name, Version: version, AppVersion: appVersion };

  function renderAll(installations: readonly Installation[]): Rendered[] {
    const input = {
      Files: textsBelow('files'),
      Templates: textsBelow('templates'),
      Schema: JSON.parse(read('values.schema.json')) as unknown,
      Installations: installations.map((one) => ({
        Chart: { ...ownChart, ...one.chart },
        Release: { Name: one.release ?? 'trial', Namespace: 'monitoring', Service: 'Helm' },
        Values: one.allValues ?? merge(defaultValues, one.values ?? {}),
        Files: one.files ?? null,
        MoreTemplates: one.moreTemplates ?? null,
      })),
    };
    const output = execFileSync(program, {
      input: JSON.stringify(input),
      maxBuffer: 2 ** 28,
      env: { GOGC: '400' },
    }).toString();
    const results = JSON.parse(output) as { rendered: Record<string, string> | null; error?: string }[];
    return results.map(({ rendered, error = '' }) => {
      const { 'templates/NOTES.txt': notes = '', ...manifests } = rendered ?? {};
      return { objects: Object.values(manifests).flatMap(readObjects), notes, error };
    });
  }

  return {
    renderAll,
    render(values, installation = {}) {
      const [rendered] = renderAll([{ ...installation, values }]) as [Rendered];
      if (rendered.error) throw new Error(rendered.error);
      return rendered;
    },
  };
}

/** A null takes away what the chart has, as in Helm. */
export function merge(under: Values, over: Values): Values {
  const laid = Object.entries(over).map(([key, value]) => {
    const before = under[key];
    return [key, isMap(before) && isMap(value) ? merge(before, value) : value];
  });
  const all = Object.entries({ ...under, ...Object.fromEntries(laid) });
  return Object.fromEntries(
    all.filter(([key, value]) => value !== null || !(key in under) || !(key in over)),
  );
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
