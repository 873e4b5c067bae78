import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { madeOnce } from '../support/made-once.ts';
import { pathOf } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { readObjects } from './kubernetes-objects.ts';

const folder = resolve('deploy/helm/cloud-platform-exporter');
const readYaml = (file: string) => parse(readFileSync(file, 'utf8')) as Values;

export type Values = Readonly<Record<string, unknown>>;
const defaultValues = readYaml(`${folder}/values.yaml`);
export const everyObject = readYaml('test/deploy/every-object.yaml');
export const everything = readYaml('test/deploy/everything.yaml');
export const clouds = everyObject['clouds'] as Values;

export type ChartRenderer = Awaited<ReturnType<typeof createChartRenderer>>;

/** With the renderer that is compiled once for all tests. */
export async function createChartRenderer() {
  const made = await madeOnce('chart-renderer', async (where) => {
    // The libraries stay compiled from one run to the next.
    const cache = join(tmpdir(), 'cloud-platform-exporter-go-cache');
    const go = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: cache };
    const words = ['build', '-o', join(where, 'render-chart'), 'test/deploy/render-chart.go'];
    await run(pathOf('go'), words, { env: { ...process.env, ...go } });
  });
  const { name, version: shipped } = readYaml(`${folder}/Chart.yaml`) as Record<string, string>;

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
