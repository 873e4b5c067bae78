import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import { beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { chartParts, describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { one, specOf } from './kubernetes-objects.ts';
import { createChartRenderer, everyObject, type ChartRenderer, type Values } from './rendered-chart.ts';

interface RuleSpec {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { record?: string; expr: string; annotations?: { runbook_url?: string } }[];
  }[];
}
interface Monitor {
  readonly selector: { readonly matchLabels: Values };
  readonly endpoints?: readonly Values[];
  readonly podMetricsEndpoints?: readonly Values[];
}
interface Scraped {
  readonly httpSDConfigs: readonly Values[];
}

const namesIn = (folder: string, ending: string) =>
  readdirSync(folder).filter((name) => name.endsWith(ending));
const enabled = { enabled: true };
const auth = (key: string) => ({ name: 'auth', key });
const access = {
  tlsConfig: { ca: { secret: auth('ca.crt') }, serverName: 'exporter' },
  basicAuth: { username: auth('user'), password: auth('password') },
};

describeWith([...chartParts, 'promtool'], 'what the chart brings for monitoring', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const objectsOf = (values: Values) => chart.render({ demo: true, ...values }).objects;
  const endpointOf = (values: Values) =>
    specOf<Monitor>(objectsOf({ serviceMonitor: enabled, ...values }), 'ServiceMonitor').endpoints![0]!;
  const rulesOf = (values: Values) =>
    objectsOf({ prometheusRule: { ...enabled, ...values } })
      .filter(({ kind }) => kind === 'PrometheusRule')
      .map(({ spec }) => spec as RuleSpec);
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
    expect(() => objectsOf({ podMonitor: enabled, serviceMonitor: enabled })).toThrow('Choose one');
  });

  it('comes to every guarded door with what it asks for: scrapes, discovery, and scrapes of clouds', () => {
    const webConfig = { secretName: 'web' };
    const values = { webConfig, serviceMonitor: { ...enabled, ...access }, scrapeConfig: enabled };
    const spec = specOf<Scraped>(objectsOf(values), 'ScrapeConfig');
    expect(endpointOf(values)).toMatchObject({ ...access, scheme: 'https' });
    expect(spec).toMatchObject({ ...access, scheme: 'HTTPS' });
    expect(spec.httpSDConfigs).toEqual([
      { ...access, url: 'https://trial-cloud-platform-exporter.monitoring.svc:10700/sd/clouds' },
    ]);
    const { notes } = chart.render({ demo: true, webConfig, serviceMonitor: enabled });
    expect(notes).toContain('set serviceMonitor.tlsConfig');
    expect(endpointOf({ webConfig: { ...webConfig, tls: false } })).toMatchObject({ scheme: 'http' });
    const ownAccess = { ...enabled, spec: { basicAuth: access.basicAuth } };
    const own = specOf<Scraped>(objectsOf({ scrapeConfig: ownAccess }), 'ScrapeConfig');
    expect(own.httpSDConfigs[0]).toMatchObject({ basicAuth: access.basicAuth });
  });

  it('lists each cloud once: where clouds are targets, the monitor asks for the exporter alone', () => {
    const params = { 'collect[]': ['exporter'] };
    const shards = { serviceMonitor: enabled, shards: 2 };
    expect(endpointOf({ scrapeConfig: enabled })['params']).toEqual(params);
    expect(endpointOf(shards)['params']).toEqual(params);
    const shard = 'trial-cloud-platform-exporter-1.trial-cloud-platform-exporter-shards.monitoring.svc:10700';
    const { httpSDConfigs } = specOf<Scraped>(objectsOf(shards), 'ScrapeConfig');
    expect(httpSDConfigs[1]).toEqual({ url: `http://${shard}/sd/clouds` });
    for (const values of [{}, { ...shards, scrapeConfig: { enabled: false } }]) {
      expect(endpointOf(values)).not.toHaveProperty('params');
      expect(objectsOf(values).map(({ kind }) => kind)).not.toContain('ScrapeConfig');
    }
    expect(objectsOf({ shards: 2 }).map(({ kind }) => kind)).not.toContain('ScrapeConfig');
  });

  it('relabels as the values say, or not at all', () => {
    const relabelings = [{ targetLabel: 'site', replacement: 'north' }];
    const given = (values: Values) =>
      endpointOf({ serviceMonitor: { ...enabled, ...values } })['relabelings'];
    expect(given({ relabelings })).toEqual([...(given({}) as Values[]), ...relabelings]);
    expect(given({ relabelings, defaultRelabelings: false })).toEqual(relabelings);
    expect(given({ defaultRelabelings: false })).toBeUndefined();
  });

  it('has the label of kube-prometheus-stack by one value, on every object of the operator', () => {
    const { objects, notes } = chart.render({ ...everyObject, prometheusRelease: 'kps' });
    const operated = objects.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com'));
    expect(new Set(operated.map(({ kind }) => kind)).size).toBe(3);
    for (const { metadata } of operated) expect(metadata.labels).toMatchObject({ release: 'kps' });
    expect(notes).not.toContain('kube-prometheus-stack');
    expect(chart.render(everyObject).notes).toContain('--set prometheusRelease=NAME');
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

  it('has every rule as it is, or with the links of the runbook elsewhere', () => {
    const rules = rulesOf({});
    for (const name of namesIn('dashboards/rules', '.yml'))
      expect(rules).toContainEqual(parse(readFileSync(join('dashboards/rules', name), 'utf8')));
    const links = {
      'https://wiki.example.com/clouds/': 'https://wiki.example.com/clouds/CloudConfigRejected',
      'https://wiki.example.com/page': 'https://wiki.example.com/page#CloudConfigRejected',
    };
    for (const [runbookBase, link] of Object.entries(links)) {
      const found = groupsOf({ runbookBase })
        .flatMap((group) => group.rules)
        .flatMap(({ annotations }) => annotations?.runbook_url ?? []);
      expect(found).toContain(link);
      expect(found.filter((one) => !one.startsWith(runbookBase))).toEqual([]);
    }
  });

  it('has other thresholds, fewer groups and more rules if told to, and Prometheus accepts them', async () => {
    const extra = { name: 'own', rules: [{ record: 'own:sum', expr: 'sum(cloud_servers)' }] };
    const changes = {
      extraRules: [extra],
      thresholds: { unsteady_changes: 0.25 },
      groups: { 'cloud-platform-exporter.hourly': false },
    };
    const found = groupsOf(changes);
    expect(found.map(({ name }) => name)).not.toContain('cloud-platform-exporter.hourly');
    expect(found.flatMap(({ rules }) => rules)).toContainEqual(
      expect.objectContaining({ record: 'cloud:threshold:unsteady_changes', expr: 'vector(0.25)' }),
    );
    expect(found).toContainEqual(extra);
    expect(() => rulesOf({ thresholds: { no_such: 1 } })).toThrow('there is no such threshold. Known: ');
    expect(() => rulesOf({ groups: { fleet: false } })).toThrow('there is no such group. Known: ');
    const folder = await temporaryFolder();
    for (const [place, spec] of rulesOf(changes).entries()) {
      const file = join(folder, `${place}.yml`);
      await writeFile(file, stringify(spec));
      const said = execFileSync(pathOf('promtool'), ['check', 'rules', file], { encoding: 'utf8' });
      expect(said).toContain('SUCCESS');
    }
  });
});
