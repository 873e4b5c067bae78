import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { madeOnce } from '../support/made-once.ts';
import { pathOf } from '../support/real-parts.ts';
import { readObjects } from './kubernetes-objects.ts';

const folder = fileURLToPath(new URL('../../deploy/helm/cloud-platform-exporter/', import.meta.url));
const readYaml = (name: string) => parse(readFileSync(join(folder, name), 'utf8')) as Values;

export type Values = Readonly<Record<string, unknown>>;
const defaultValues = readYaml('values.yaml');
const given = (name: string) => parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Values;
export const everyObject = given('every-object.yaml');
export const everything = given('everything.yaml');
export const clouds = everyObject['clouds'] as Values;

export type ChartRenderer = Awaited<ReturnType<typeof createChartRenderer>>;

/** With the renderer that is compiled once for all tests. */
export async function createChartRenderer() {
  const made = await madeOnce('chart-renderer', async (where) => {
    const source = fileURLToPath(new URL('render-chart.go', import.meta.url));
    // The libraries stay compiled from one run to the next.
    const cache = join(tmpdir(), 'cloud-platform-exporter-go-cache');
    const go = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: cache };
    const words = ['build', '-o', join(where, 'render-chart'), source];
    await promisify(execFile)(pathOf('go'), words, { env: { ...process.env, ...go } });
  });
  const { name, version: shipped } = readYaml('Chart.yaml') as { name: string; version: string };

  return {
    /** What Helm would install, as this release and from this version of the chart; throws what Helm would say. */
    render(values: Values, { release = 'trial', version = shipped } = {}) {
      const input = JSON.stringify({
        Folder: folder,
        Chart: { Name: name, Version: version, AppVersion: version },
        Release: { Name: release, Namespace: 'monitoring', Service: 'Helm' },
        Values: merge(defaultValues, values),
      });
      const options = { input, maxBuffer: 2 ** 28, stdio: 'pipe', encoding: 'utf8' } as const;
      const texts = JSON.parse(execFileSync(join(made, 'render-chart'), options)) as Record<string, string>;
      const { 'templates/NOTES.txt': notes = '', ...manifests } = texts;
      return { objects: Object.values(manifests).flatMap(readObjects), notes };
    },
  };
}

/** A null takes away what the chart has, as in Helm. */
function merge(under: Values, over: Values): Values {
  const laid = Object.entries(over).map(([key, value]) => {
    const before = under[key];
    return [key, isMap(before) && isMap(value) ? merge(before, value) : value];
  });
  const all = Object.entries({ ...under, ...Object.fromEntries(laid) });
  return Object.fromEntries(all.filter(([key, value]) => value !== null || over[key] !== null));
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
