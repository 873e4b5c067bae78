import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { everyObject, everything, production } from './chart-values.ts';
import { extensionProblems } from './extension-schemas.ts';
import { metadataProblems, typeProblems, type KubernetesObject } from './kubernetes-objects.ts';
import {
  createChartRenderer,
  defaultValues,
  merge,
  smallFiles,
  type ChartRenderer,
  type Installation,
  type Values,
} from './rendered-chart.ts';

const kinds = [
  'ConfigMap',
  'Deployment',
  'GrafanaDashboard',
  'NetworkPolicy',
  'Pod',
  'PrometheusRule',
  'ScrapeConfig',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
];

/** Each value of the chart, at every depth, by its keys; what is inside a value of Kubernetes' own is not ours. */
function pathsOf(values: Values, own: Values = defaultValues, before: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...before, key];
    const known = key === 'clouds' || before[0] === 'clouds' ? value : own[key];
    const isOurs = isMap(value) && isMap(known) && Object.keys(known).length > 0;
    return [path, ...(isOurs ? pathsOf(value, known, path) : [])];
  });
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null in one place, left there as Helm leaves it in the values of a dependency. */
function withNull(values: Values, [key = '', ...rest]: readonly string[]): Values {
  return { ...values, [key]: rest.length === 0 ? null : withNull(values[key] as Values, rest) };
}

function valueAt(values: Values, [key = '', ...rest]: readonly string[]): unknown {
  return rest.length === 0 ? values[key] : valueAt(values[key] as Values, rest);
}

function handfuls<Item>(items: readonly Item[]): Item[][] {
  const size = 8;
  const starts = items.map((_, place) => place).filter((place) => place % size === 0);
  return starts.map((start) => items.slice(start, start + size));
}

async function problems(objects: readonly KubernetesObject[]): Promise<unknown> {
  return [await extensionProblems(objects), metadataProblems(objects)].flat();
}

describeWith(chartParts, 'the chart, with many values', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  it('makes objects that Kubernetes and the operators know, with everything on and with little', async () => {
    const guarded = {
      webConfig: { secretName: 'web' },
      clouds: { open: { settings: { auth_url: 'https://x' } } },
    };
    const all = [
      { demo: true },
      everyObject,
      everything,
      guarded,
      { ...everyObject, shards: 3 },
      { existingConfigSecret: { name: 'clouds' } },
    ].map((values) => chart.render(values).objects);
    for (const objects of all) expect(await problems(objects)).toEqual([]);
    expect(await typeProblems(all.flat())).toBe('');
    expect([...new Set(all.flat().map(({ kind }) => kind))].toSorted()).toEqual(
      [...kinds, 'StatefulSet'].toSorted(),
    );
  });

  it('is judged by schemas that notice a misspelt field and a value without sense', async () => {
    const { objects } = chart.render(everyObject);
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor')!;
    const spec = monitor.spec as { endpoints: Values[] };
    const misspelt = {
      ...monitor,
      spec: { ...spec, endpoints: [{ ...spec.endpoints[0], intervall: '1m' }] },
    };
    expect(await typeProblems([misspelt])).toContain('intervall');
    const senseless = {
      ...monitor,
      spec: { ...spec, endpoints: [{ ...spec.endpoints[0], interval: 'often' }] },
    };
    expect(await extensionProblems([senseless])).toHaveLength(1);
    expect(metadataProblems([monitor, monitor])).toHaveLength(1);
  });

  it('takes null for any value, from the command line and from a chart around it', async () => {
    const given = merge(defaultValues, everything);
    const full = merge(defaultValues, everyObject);
    const needed = new Set(['auth_url', 'settings', 'name', 'key']);
    const paths = pathsOf(given).filter((path) => path[0] !== 'clouds' || !needed.has(path.at(-1)!));
    expect(paths.length).toBeGreaterThan(120);
    // What takes an object or a map away is tried alone, the rest in handfuls: each rendering takes its time.
    const isLarge = (path: readonly string[]) =>
      path.at(-1) === 'enabled' || path[0] === 'clouds' || isMap(valueAt(given, path));
    const groups = [
      ...paths.filter(isLarge).map((path) => [path]),
      ...handfuls(paths.filter((path) => !isLarge(path))),
    ];
    const kept = groups.map((group) => ({ allValues: group.reduce(withNull, given), group }));
    const keys = Object.keys(full).filter((key) => key !== 'clouds');
    const removed = handfuls(keys.map((key) => [key])).map((group) => ({
      allValues: merge(full, group.reduce(withNull, full)),
      group,
    }));
    const tried = [...kept, ...removed].map((one) => ({ ...one, files: smallFiles() }));
    for (const [place, { error, objects }] of chart.renderAll(tried).entries()) {
      const name = tried[place]!.group.map((path) => path.join('.')).join(', ');
      expect(error, name).toBe('');
      expect(JSON.stringify(objects), name).not.toContain('null');
      expect(await problems(objects), name).toEqual([]);
    }
  }, 120_000);

  it('upgrades a release of 0.1 with --reuse-values, and keeps its image', () => {
    const file = new URL('../fixtures/chart/values-0.1.0.yaml', import.meta.url);
    const before = parse(readFileSync(file, 'utf8')) as Values;
    const given = {
      image: { repository: 'registry.example.com/mine', tag: '0.1.0' },
      clouds: { production },
      serviceMonitor: { enabled: true, endpoint: { scheme: 'https' } },
      prometheusRule: { enabled: true },
      dashboards: { enabled: true },
      networkPolicy: { enabled: true },
    };
    const installation: Installation = { allValues: merge(before, given) };
    const [{ objects, error }] = chart.renderAll([installation]) as [ReturnType<ChartRenderer['render']>];
    expect(error).toBe('');
    expect(metadataProblems(objects)).toEqual([]);
    expect(JSON.stringify(objects.find(({ kind }) => kind === 'Deployment'))).toContain(
      '"image":"registry.example.com/mine:0.1.0"',
    );
    expect(JSON.stringify(objects.find(({ kind }) => kind === 'ServiceMonitor'))).toContain(
      '"scheme":"https"',
    );
  });
});
