import { beforeAll, expect, it } from 'vitest';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { everyObject, everything } from './chart-values.ts';
import { extensionProblems } from './extension-schemas.ts';
import { metadataProblems, typeProblems, type KubernetesObject } from './kubernetes-objects.ts';
import {
  createChartRenderer,
  defaultValues,
  merge,
  smallFiles,
  type ChartRenderer,
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

  it('takes null for each of its values, as a chart around it may give it', async () => {
    const given = merge(defaultValues, everyObject);
    const keys = Object.keys(given).filter((key) => key !== 'clouds');
    const tried = keys.map((key) => ({ allValues: { ...given, [key]: null }, files: smallFiles() }));
    for (const [place, { error, objects }] of chart.renderAll(tried).entries()) {
      expect(error, keys[place]).toBe('');
      expect(JSON.stringify(objects), keys[place]).not.toContain('null');
      expect(await problems(objects), keys[place]).toEqual([]);
    }
  });
});
