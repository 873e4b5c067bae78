import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import { beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { chartParts, describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { everyObject, everything } from './chart-values.ts';
import { one } from './kubernetes-objects.ts';
import { createChartRenderer, type ChartRenderer, type Values } from './rendered-chart.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: { readonly runbook_url?: string };
}
interface RuleSpec {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}
interface Monitor {
  readonly spec: { selector: { matchLabels: Values }; endpoints: Values[]; sampleLimit?: number };
}

const thresholds = `groups:
  - name: cloud-platform-exporter.thresholds
    rules:
      - { record: 'cloud:threshold:failed_ratio', expr: vector(0.1) }
      - { record: 'cloud:threshold:stale_seconds', expr: vector(600) }
  - name: cloud-platform-exporter.fleet
    rules:
      - { alert: A, expr: a > on() group_left() cloud:threshold:failed_ratio }
`;

describeWith([...chartParts, 'promtool'], 'what the chart brings for monitoring', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const rulesOf = (values: Values, files?: Record<string, string>) =>
    chart
      .render({ demo: true, prometheusRule: { enabled: true, ...values } }, files ? { files } : {})
      .objects.filter(({ kind }) => kind === 'PrometheusRule')
      .map(({ spec }) => spec as RuleSpec);
  const monitorOf = (values: Values) =>
    one<Monitor>(chart.render({ demo: true, ...values }).objects, 'ServiceMonitor').spec;

  it('is a ServiceMonitor that finds the Service, and no other of the release', () => {
    const { objects } = chart.render({ ...everyObject, shards: 2 });
    const monitor = one<Monitor>(objects, 'ServiceMonitor').spec;
    const found = objects
      .filter(({ kind }) => kind === 'Service')
      .filter(({ metadata: { labels } }) =>
        Object.entries(monitor.selector.matchLabels).every(([name, value]) => labels![name] === value),
      );
    expect(found).toHaveLength(1);
    const ports = (found[0]!.spec as ServiceSpec).ports!.map(({ name }) => name);
    expect(ports).toContain(monitor.endpoints[0]!['port']);
  });

  it('scrapes by https when the port has TLS, and says so', () => {
    const serviceMonitor = { enabled: true };
    const guarded = { demo: true, serviceMonitor, webConfig: { secretName: 'web' } };
    expect(monitorOf({ serviceMonitor }).endpoints[0]).toMatchObject({ scheme: 'http', honorLabels: true });
    expect(monitorOf(guarded).endpoints[0]).toMatchObject({ scheme: 'https' });
    const { notes } = chart.render(guarded);
    expect(notes).toContain('https://localhost:10700/');
    expect(notes).toContain('set serviceMonitor.tlsConfig');
    const passwordsOnly = { ...guarded, webConfig: { secretName: 'web', tls: false } };
    expect(monitorOf(passwordsOnly).endpoints[0]).toMatchObject({ scheme: 'http' });
    expect(chart.render(passwordsOnly).notes).toContain('http://localhost:10700/');
  });

  it('has every field of a scrape as a value', () => {
    const { objects } = chart.render(everything);
    const { metadata, spec } = one<Monitor>(objects, 'ServiceMonitor');
    const {
      enabled: _,
      namespace,
      labels,
      sampleLimit,
      endpoint,
      relabelings,
      ...rest
    } = everything.serviceMonitor;
    const { metricRelabelings, ...plain } = rest;
    expect(metadata).toMatchObject({ namespace, labels: { ...labels, release: 'kps' } });
    expect(spec.sampleLimit).toBe(sampleLimit);
    expect(spec.endpoints[0]).toMatchObject({ ...plain, ...endpoint });
    expect((spec.endpoints[0]!['relabelings'] as unknown[]).at(-1)).toEqual(relabelings[0]);
    expect((spec.endpoints[0]!['metricRelabelings'] as unknown[]).at(-1)).toEqual(metricRelabelings[0]);
  });

  it('has the label of kube-prometheus-stack by one value, on every object of the operator', () => {
    const { objects, notes } = chart.render({ ...everyObject, prometheusRelease: 'kps' });
    const operated = objects.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com'));
    expect(new Set(operated.map(({ kind }) => kind)).size).toBe(3);
    for (const { metadata } of operated) expect(metadata.labels).toMatchObject({ release: 'kps' });
    expect(notes).not.toContain('kube-prometheus-stack');
    expect(chart.render(everyObject).notes).toContain('--set prometheusRelease=NAME');
  });

  it('sets no annotation by which another job would scrape it too', () => {
    expect(JSON.stringify(chart.render(everyObject).objects)).not.toContain('prometheus.io/');
  });

  it('is a target for each cloud if asked for, at each shard, and then nothing counts twice', () => {
    const urls = (values: Values) =>
      one<{ spec: { httpSDConfigs: { url: string }[]; scheme: string } }>(
        chart.render({ ...everyObject, ...values }).objects,
        'ScrapeConfig',
      ).spec.httpSDConfigs.map(({ url }) => url);
    expect(urls({})).toEqual(['http://trial-cloud-platform-exporter.monitoring.svc:10700/sd/clouds']);
    const shard = 'trial-cloud-platform-exporter-1.trial-cloud-platform-exporter-shards.monitoring.svc:10700';
    expect(urls({ shards: 2, webConfig: { secretName: 'web' } })[1]).toBe(`https://${shard}/sd/clouds`);
    expect(monitorOf(everyObject).endpoints[0]!['metricRelabelings']).toEqual([
      { sourceLabels: ['__name__'], regex: 'cloud_exporter_.*|process_.*|nodejs_.*', action: 'keep' },
    ]);
  });

  it('has every board, small enough for a ConfigMap, in a file that is of no other chart', () => {
    const { objects } = chart.render(everyObject);
    const boards = objects.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const names = readdirSync(new URL('dashboards/', root)).filter((name) => name.endsWith('.json'));
    expect(boards.flatMap(({ data }) => Object.keys(data!)).toSorted()).toEqual(
      names.map((name) => `cloud-platform-exporter-${name}`).toSorted(),
    );
    for (const { data, metadata } of boards) {
      const [[name, text]] = Object.entries(data!) as [[string, string]];
      const origin = read(`dashboards/${name.replace('cloud-platform-exporter-', '')}`);
      expect(JSON.parse(text)).toEqual(JSON.parse(origin));
      expect(text.length).toBeLessThan(1_000_000);
      expect(metadata.annotations).toEqual({ grafana_folder: 'Cloud' });
      const dashboard = objects.find(
        (other) => other.kind === 'GrafanaDashboard' && other.metadata.name === metadata.name,
      );
      expect(dashboard!.spec).toMatchObject({
        folder: 'Cloud',
        configMapRef: { name: metadata.name, key: name },
      });
    }
    const onlyOperator = { dashboards: { grafanaOperator: { enabled: true } }, demo: true };
    expect(JSON.stringify(chart.render(onlyOperator).objects)).not.toContain('"grafana_dashboard"');
  });

  it('has every rule as it is, or with the links of the runbook elsewhere', () => {
    const files = readdirSync(new URL('dashboards/rules/', root))
      .filter((name) => name.endsWith('.yml'))
      .map((name) => parse(read(`dashboards/rules/${name}`)) as RuleSpec);
    const rules = rulesOf({});
    expect(rules).toHaveLength(files.length);
    for (const file of files) expect(rules).toContainEqual(file);
    for (const [base, expected] of [
      ['https://wiki.example.com/clouds/', 'https://wiki.example.com/clouds/cloudexporterdown'],
      ['https://wiki.example.com/page', 'https://wiki.example.com/page#cloudexporterdown'],
    ] as const) {
      const moved = rulesOf({ runbookBase: base }).flatMap(({ groups }) =>
        groups.flatMap((group) => group.rules),
      );
      const links = moved.flatMap(({ annotations }) => annotations?.runbook_url ?? []);
      expect(links).toContain(expected);
      expect(links.filter((link) => !link.startsWith(base))).toEqual([]);
    }
  });

  it('has other thresholds, fewer groups and more rules if told to', () => {
    const files = { 'files/rules/alerts.yml': thresholds };
    const [changed, extra] = rulesOf(
      {
        thresholds: { failed_ratio: 0.25 },
        groups: { 'cloud-platform-exporter.fleet': false },
        extraRules: everything.prometheusRule.extraRules,
      },
      files,
    );
    expect(changed!.groups.map(({ name }) => name)).toEqual(['cloud-platform-exporter.thresholds']);
    expect(changed!.groups[0]!.rules.map(({ expr }) => expr)).toEqual(['vector(0.25)', 'vector(600)']);
    expect(extra!.groups).toEqual(everything.prometheusRule.extraRules);
    expect(() => rulesOf({ thresholds: { faild_ratio: 1 } }, files)).toThrow(
      'prometheusRule.thresholds.faild_ratio: there is no such threshold. Known: failed_ratio, stale_seconds',
    );
    expect(() => rulesOf({ groups: { fleet: false } }, files)).toThrow(
      'prometheusRule.groups.fleet: there is no such group. Known: cloud-platform-exporter.fleet, ',
    );
  });

  it('are rules that Prometheus accepts', async () => {
    const folder = await temporaryFolder();
    const specs = [...rulesOf(everything.prometheusRule), ...rulesOf({})];
    for (const [place, spec] of specs.entries()) {
      const file = join(folder, `${place}.yml`);
      await writeFile(file, stringify(spec));
      const said = execFileSync(pathOf('promtool'), ['check', 'rules', file], { encoding: 'utf8' });
      expect(said).toContain('SUCCESS');
    }
    expect(specs.length).toBeGreaterThan(2);
  });
});
