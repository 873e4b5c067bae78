import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RuleFile } from '../dashboards/catalogue.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { one, specOf } from './kubernetes-objects.ts';
import { everyObject, helms, render, type Values } from './rendered-chart.ts';

interface Monitor {
  readonly selector: { readonly matchLabels: Values };
  readonly endpoints?: readonly Values[];
  readonly podMetricsEndpoints?: readonly Values[];
}
const namesIn = (folder: string, ending: string) =>
  readdirSync(folder).filter((name) => name.endsWith(ending));
const enabled = { enabled: true };
describeWith([...helms, 'promtool'], 'what the chart brings for monitoring', () => {
  const objectsOf = (values: Values) => render({ demo: true, ...values });
  const endpointOf = (values: Values) =>
    specOf<Monitor>(objectsOf({ serviceMonitor: enabled, ...values }), 'ServiceMonitor').endpoints![0]!;
  const rulesOf = (values: Values, more: Values = {}) =>
    objectsOf({ prometheusRule: { ...enabled, ...values }, ...more })
      .filter(({ kind }) => kind === 'PrometheusRule')
      .map(({ spec }) => spec as RuleFile);
  const groupsOf = (values: Values) => rulesOf(values).flatMap(({ groups }) => groups);

  it('is a ServiceMonitor that finds the Service, and no other of the release', () => {
    const objects = objectsOf({ serviceMonitor: enabled, shards: 2 });
    const { selector, endpoints } = specOf<Monitor>(objects, 'ServiceMonitor');
    const found = objects.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels![name] === value),
    );
    expect(found).toHaveLength(1);
    const ports = (found[0]!.spec as ServiceSpec).ports!.map(({ name }) => name);
    expect(ports).toContain(endpoints![0]!['port']);
  });

  it('is a PodMonitor in its place, which finds the pods and asks the same', () => {
    const objects = objectsOf({ podMonitor: enabled });
    const { selector, podMetricsEndpoints } = specOf<Monitor>(objects, 'PodMonitor');
    expect(podMetricsEndpoints).toEqual([endpointOf({})]);
    const { template } = specOf<DeploymentSpec>(objects, 'Deployment');
    expect(template.metadata!.labels).toMatchObject(selector.matchLabels);
    expect(one(objects, 'Pod').metadata.labels).not.toMatchObject(selector.matchLabels);
  });

  it('has the label of kube-prometheus-stack by one value, on every object of the operator', () => {
    const objects = render({ ...everyObject, dashboards: {}, prometheusRelease: 'kps' });
    const operated = objects.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com'));
    expect(new Set(operated.map(({ kind }) => kind)).size).toBe(3);
    for (const { metadata } of operated) expect(metadata.labels).toMatchObject({ release: 'kps' });
  });

  it('has every board, small enough for a ConfigMap, in a file that is of no other chart', () => {
    const objects = objectsOf({ dashboards: everyObject['dashboards'] });
    const boards = objects
      .filter(({ kind }) => kind === 'GrafanaDashboard')
      .map(({ metadata: { name }, spec }) => ({ name, ...(spec as object) }));
    for (const board of namesIn('dashboards', '.json')) {
      const file = `cloud-platform-exporter-${board}`;
      const { data, metadata } = objects.find((object) => object.data?.[file] !== undefined)!;
      expect(data![file]).toBe(readFileSync(join('dashboards', board), 'utf8').trimEnd());
      expect(data![file]!.length).toBeLessThan(1_000_000);
      expect(metadata.labels).toHaveProperty('grafana_dashboard', '1');
      expect(metadata.annotations).toHaveProperty('grafana_folder', 'Cloud');
      const configMapRef = { name: metadata.name, key: file };
      expect(boards).toContainEqual(expect.objectContaining({ name: metadata.name, configMapRef }));
    }
    const onlyOperator = objectsOf({ dashboards: { grafanaOperator: enabled } });
    expect(JSON.stringify(onlyOperator)).not.toContain('"grafana_dashboard"');
  });

  it('has every rule as it is, but for the link to its runbook', () => {
    const service = 'trial-cloud-platform-exporter.monitoring.svc:10700';
    const https = { webConfig: { secretName: 'web' }, service: { port: 443 } };
    const wiki = 'https://wiki.example.com/';
    const links: readonly (readonly [Values, string, Values?])[] = [
      [{}, `http://${service}/runbook#`],
      [{}, `https://${service.replace('10700', '443')}/runbook#`, https],
      [{}, 'https://clouds.example.com/a/runbook#', { externalUrl: 'https://clouds.example.com/a/' }],
      [{ runbookBase: `${wiki}clouds/` }, `${wiki}clouds/`],
      [{ runbookBase: `${wiki}page` }, `${wiki}page#`, { externalUrl: 'https://clouds.example.com' }],
    ];
    const files = namesIn('dashboards/rules', '.yml').map((name) =>
      readFileSync(join('dashboards/rules', name), 'utf8'),
    );
    for (const [values, link, more = {}] of links) {
      const expected = files.map((text) =>
        text.replaceAll(/'\{\{ with query "url:.*?\/runbook#/g, `'${link}`),
      );
      const found = rulesOf({ watchdog: true, ...values }, more);
      expect(found).toEqual(expected.map((text) => parse(text) as RuleFile));
    }
  });

  it('leaves out, changes and adds what it is asked to, and Prometheus accepts that', async () => {
    const rulesIn = (values: Values) => groupsOf(values).flatMap(({ rules }) => rules);
    const all = rulesIn({ watchdog: true });
    const without = (...names: string[]) => all.filter(({ alert }) => !names.includes(alert!));
    expect(rulesIn({})).toEqual(without('CloudWatchdog'));
    const disabled = ['CloudsDown', 'CloudWatchdog'];
    expect(rulesIn({ watchdog: true, disabled })).toEqual(without(...disabled));
    const extra = { name: 'own', rules: [{ record: 'own:sum', expr: 'sum(cloud_servers)' }] };
    const changes = {
      alerts: { CloudDown: { severity: 'page', for: '7m', labels: { tier: 'gold' } } },
      thresholds: { unsteady_changes: 0.25 },
      groups: { 'cloud-platform-exporter.hourly': false },
      extraRules: [extra],
    };
    const found = groupsOf(changes);
    expect(found.map(({ name }) => name)).not.toContain('cloud-platform-exporter.hourly');
    expect(found).toContainEqual(extra);
    const rules = found.flatMap((group) => group.rules);
    const threshold = rules.find(({ record }) => record === 'cloud:threshold:unsteady_changes');
    expect(threshold?.expr).toBe('vector(0.25)');
    // What was a warning and later critical is one alert now, beside the one with another reason.
    const labels = { severity: 'page', tier: 'gold', concern: 'collection' };
    const down = rules.filter(({ alert }) => alert === 'CloudDown');
    expect(down.map((rule) => rule.labels)).toEqual([labels, { ...labels, what: 'unsteady' }]);
    expect(down.map((rule) => rule.for)).toEqual(['7m', '7m']);
    const file = join(await temporaryFolder(), 'rules.yml');
    await writeFile(file, stringify({ groups: found }));
    const said = execFileSync(pathOf('promtool'), ['check', 'rules', file], { encoding: 'utf8' });
    expect(said).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
