import { readdirSync, readFileSync } from 'node:fs';
import type { DeploymentSpec, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import { beforeAll, expect, it } from 'vitest';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { everyObject } from './chart-values.ts';
import { metadataProblems, one } from './kubernetes-objects.ts';
import { createChartRenderer, smallFiles, type ChartRenderer, type Rendered } from './rendered-chart.ts';

const templates = new URL('../../deploy/helm/cloud-platform-exporter/templates/', import.meta.url);

const named = (length: number) => 'team'.repeat(20).slice(0, length);

describeWith(chartParts, 'the names of the chart', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const files = smallFiles();
  const rendered = (releases: readonly string[], values: object): Rendered[] =>
    chart.renderAll(releases.map((release) => ({ release, files, values: { ...everyObject, ...values } })));

  const releases = [named(28), named(39), named(53), '123', '1.5', 'my.release', '9'.repeat(53), 'e'];

  it('are good and never the same, however the release is called', () => {
    const plain = rendered(releases, {});
    const sharded = rendered(releases, { shards: 2 });
    for (const [place, { objects, error }] of [...plain, ...sharded].entries()) {
      expect(error, releases[place]).toBe('');
      expect(metadataProblems(objects), releases[place]).toEqual([]);
    }
    const boards = plain[2]!.objects.filter(({ kind }) => kind === 'GrafanaDashboard');
    expect(boards.length).toBeGreaterThanOrEqual(5);
    expect(metadataProblems(plain.flatMap(({ objects }) => objects))).toEqual([]);
  });

  it('leave a StatefulSet the room for what Kubernetes puts behind them', () => {
    const names = rendered([named(53), `${named(52)}x`, 'short'], { shards: 2 }).map(
      ({ objects }) => one<{ spec: StatefulSetSpec }>(objects, 'StatefulSet').metadata.name,
    );
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(52);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe('short-cloud-platform-exporter');
  });

  it('keep two releases in one namespace apart', () => {
    const [first, second] = rendered(['one', 'two'], {}) as [Rendered, Rendered];
    expect(metadataProblems([...first.objects, ...second.objects])).toEqual([]);
    const service = one<{ spec: ServiceSpec }>(first.objects, 'Service');
    const { template } = one<{ spec: DeploymentSpec }>(second.objects, 'Deployment').spec;
    expect(template.metadata!.labels).not.toMatchObject(service.spec.selector!);
    const own = one<{ spec: DeploymentSpec }>(first.objects, 'Deployment').spec;
    expect(own.template.metadata!.labels).toMatchObject(service.spec.selector!);
    expect(own.template.metadata!.labels).toMatchObject(own.selector.matchLabels!);
  });

  it('can be chosen, as can the namespace', () => {
    const values = { nameOverride: 'clouds', namespaceOverride: 'elsewhere' };
    const [byName, byFullName] = [
      ...rendered(['trial'], values),
      ...rendered(['trial'], { fullnameOverride: 'mine' }),
    ] as [Rendered, Rendered];
    expect(one(byName.objects, 'Deployment').metadata).toMatchObject({
      name: 'trial-clouds',
      namespace: 'elsewhere',
    });
    expect(new Set(byName.objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['elsewhere']));
    expect(one(byFullName.objects, 'Deployment').metadata.name).toBe('mine');
  });

  it('carry the recommended labels and those for all, on every object', () => {
    const { objects } = chart.render({ ...everyObject, commonLabels: { owner: 'cloud-team' } });
    const recommended = ['name', 'instance', 'version', 'component', 'part-of', 'managed-by'];
    for (const { kind, metadata } of objects) {
      const names = Object.keys(metadata.labels!);
      expect(names, kind).toEqual(
        expect.arrayContaining([...recommended.map((name) => `app.kubernetes.io/${name}`), 'helm.sh/chart']),
      );
      expect(metadata.labels, kind).toMatchObject({ owner: 'cloud-team' });
    }
    const { template } = one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec;
    expect(template.metadata!.labels).toMatchObject({ owner: 'cloud-team' });
  });

  it('stay its own beside those of a chart that has it as a dependency, by another name too', () => {
    const moreTemplates = {
      'parent/templates/_helpers.tpl':
        '{{- define "exporter.fullname" -}}PARENT{{- end -}}{{- define "parent.name" -}}PARENT{{- end -}}',
    };
    const values = { ...everyObject, enabled: true, global: { anything: { of: 'the parent' } } };
    const { objects } = chart.render(values, { moreTemplates, chart: { Name: 'clouds-north' } });
    expect(JSON.stringify(objects.map(({ metadata }) => metadata))).not.toContain('PARENT');
    expect(one(objects, 'Deployment').metadata.name).toBe('trial-clouds-north');
    expect(metadataProblems(objects)).toEqual([]);
    const texts = readdirSync(templates, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
    const helpers = texts.flatMap((text) =>
      [...text.matchAll(/define "([^"]+)"/g)].map(([, name = '']) => name),
    );
    expect(helpers.length).toBeGreaterThan(15);
    expect(helpers.filter((name) => !name.startsWith('cloud-platform-exporter.'))).toEqual([]);
  });
});
