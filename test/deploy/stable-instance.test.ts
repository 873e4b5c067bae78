import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { startPrometheus } from '../chain/programs.ts';
import { openStore } from '../dashboards/store.ts';
import { chartParts, describeWith, pathOf } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { one, readObjects, type KubernetesObject } from './kubernetes-objects.ts';
import { createChartRenderer, type Values } from './rendered-chart.ts';

interface Relabeling {
  readonly sourceLabels?: readonly string[];
  readonly targetLabel?: string;
  readonly [field: string]: unknown;
}

/** What the operator makes of a ServiceMonitor: its own labels first, then the relabelings as they are. */
function relabelConfigs(objects: readonly KubernetesObject[]): object[] {
  const { endpoints } = one<{ spec: { endpoints: { relabelings: Relabeling[] }[] } }>(
    objects,
    'ServiceMonitor',
  ).spec;
  const given = endpoints[0]!.relabelings.map(({ sourceLabels, targetLabel, ...rest }) => ({
    ...(sourceLabels && { source_labels: sourceLabels }),
    ...(targetLabel && { target_label: targetLabel }),
    ...rest,
  }));
  return [{ source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' }, ...given];
}

const shipped = readFileSync('deploy/prometheus/kubernetes.yml', 'utf8');

function shippedJob(): object[] {
  const { scrape_configs: jobs } = parse(shipped) as { scrape_configs: { relabel_configs: object[] }[] };
  return jobs[0]!.relabel_configs;
}

const prefix = '__meta_kubernetes_';
const service = {
  [`${prefix}namespace`]: 'monitoring',
  [`${prefix}service_name`]: 'clouds',
  [`${prefix}service_label_app_kubernetes_io_part_of`]: 'cloud-platform-exporter',
  [`${prefix}service_label_app_kubernetes_io_component`]: 'exporter',
  [`${prefix}endpointslice_port_name`]: 'http',
};

describeWith([...chartParts, 'prometheus'], 'a pod that is replaced', () => {
  it('doubles nothing, by the ServiceMonitors and by the scrape configuration for Kubernetes', async () => {
    const cloud = await simulate({ servers: 40 });
    const pods = await Promise.all([1, 2].map(() => runExporter({ lab: settingsFor(cloud) })));
    const targets = (kind: string) =>
      pods.map(({ url }, place) => ({
        targets: [new URL(url).host],
        labels: {
          ...service,
          [`${prefix}pod_controller_kind`]: kind,
          [`${prefix}pod_name`]: `clouds-${place}`,
        },
      }));
    const chart = createChartRenderer();
    const render = (values: Values) => relabelConfigs(chart.render({ demo: true, ...values }).objects);
    const serviceMonitor = { enabled: true };
    const jobs: Record<string, [kind: string, rules: object[]]> = {
      chart: ['ReplicaSet', render({ serviceMonitor })],
      shards: ['StatefulSet', render({ serviceMonitor, shards: 2 })],
      manifests: [
        'ReplicaSet',
        relabelConfigs(readObjects(readFileSync('deploy/kubernetes/servicemonitor.yaml', 'utf8'))),
      ],
      shipped: ['ReplicaSet', shippedJob()],
      shippedShards: ['StatefulSet', shippedJob()],
      // What Prometheus does by itself, to know that this test can tell.
      plain: ['ReplicaSet', []],
    };
    chart.remove();
    const often = { scrape_interval: '1s', scrape_timeout: '1s' };
    const scrapes = Object.entries(jobs).map(([name, [kind, rules]]) => ({
      job_name: name,
      ...often,
      static_configs: targets(kind),
      relabel_configs: [...rules, { target_label: 'by', replacement: name }],
    }));
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'prometheus.yml'), stringify({ scrape_configs: scrapes }));
    const store = openStore(await startPrometheus(folder, join(folder, 'prometheus.yml')));
    const count = (expr: string) => store.count({ expr, instant: true });
    await expect.poll(() => count('cloud_up{by="plain"}'), { timeout: 30_000 }).toBe(2);
    for (const name of ['chart', 'manifests', 'shipped']) {
      await expect.poll(() => count(`cloud_up{by="${name}"}`), { timeout: 30_000 }).toBe(1);
      expect(await count(`sum by (by) (cloud_servers{by="${name}"}) == 40`)).toBe(1);
    }
    for (const name of ['shards', 'shippedShards'])
      await expect.poll(() => count(`cloud_up{by="${name}"}`), { timeout: 30_000 }).toBe(2);
    expect(await count('cloud_up{by="shards", instance="clouds-1.monitoring"}')).toBe(1);
    expect(await count('cloud_up{by="shippedShards", instance="clouds-1.monitoring"}')).toBe(1);
    expect(await count('cloud_up{by="shipped", instance="clouds.monitoring"}')).toBe(1);
    expect(await count('cloud_up{pod!=""}')).toBe(0);
    expect(await count('cloud_up{by=~"chart|shards|manifests", job="cloud-platform-exporter"}')).toBe(4);
  });
});

describeWith(['promtool'], 'the Prometheus configuration for Kubernetes', () => {
  it('is accepted, but for the discovery that Debian builds Prometheus without', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'kubernetes.yml');
    const discovery = /kubernetes_sd_configs:\n +- role: endpointslice\n/;
    expect(shipped).toMatch(discovery);
    await writeFile(file, shipped.replace(discovery, "static_configs: [{ targets: ['exporter:10700'] }]\n"));
    await cp('dashboards/rules', join(folder, 'rules'), { recursive: true });
    const said = execFileSync(pathOf('promtool'), ['check', 'config', '--lint-fatal', file], {
      encoding: 'utf8',
    });
    expect(said).toContain('is valid prometheus config file syntax');
    expect(said).toMatch(/[1-9]\d* rule files found/);
  });
});
