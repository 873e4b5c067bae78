import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { specOf, type KubernetesObject } from '../deploy/kubernetes-objects.ts';
import { render, type Values } from '../deploy/rendered-chart.ts';
import type { RunningPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { targetOf, type Scene } from './scene.ts';

/** What the operator makes of a ServiceMonitor: its own labels first, then the relabelings as they are. */
function relabelConfigs(objects: readonly KubernetesObject[]): object[] {
  const { endpoints } = specOf<{ endpoints: { relabelings: Values[] }[] }>(objects, 'ServiceMonitor');
  const given = endpoints[0]!.relabelings.map(({ sourceLabels, targetLabel, ...rest }) => ({
    ...rest,
    source_labels: sourceLabels,
    target_label: targetLabel,
  }));
  return [{ source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' }, ...given];
}

function shippedRelabelings(): object[] {
  const shipped: unknown = parse(readFileSync('deploy/prometheus/kubernetes.yml', 'utf8'));
  return (shipped as { scrape_configs: [{ relabel_configs: object[] }] }).scrape_configs[0].relabel_configs;
}

const prefix = '__meta_kubernetes_';
/** Of everything that the chart makes of a release `trial`. */
const name = 'trial-cloud-platform-exporter';
const service = {
  [`${prefix}namespace`]: 'monitoring',
  [`${prefix}service_name`]: name,
  [`${prefix}service_label_app_kubernetes_io_part_of`]: 'cloud-platform-exporter',
  [`${prefix}service_label_app_kubernetes_io_component`]: 'exporter',
  [`${prefix}endpointslice_port_name`]: 'http',
};

/** Two pods that tell of one cloud: a new one beside the one that it replaces, or two shards. */
export async function replacedPod(): Promise<Scene> {
  const cloud = await simulate({ servers: 40 });
  const settings = settingsFor(cloud, { max_age: '1h' });
  const pods = await Promise.all([1, 2].map(() => runExporter({ lab: settings })));
  const targets = (kind: string) =>
    pods.map((pod, place) => ({
      targets: [targetOf(pod)],
      labels: {
        ...service,
        [`${prefix}pod_controller_kind`]: kind,
        [`${prefix}pod_name`]: `${name}-${place}`,
      },
    }));
  const chart = (values: Values) => relabelConfigs(render({ demo: true, ...values }));
  const serviceMonitor = { enabled: true };
  const rules: Record<string, readonly [kind: string, rules: object[]]> = {
    chart: ['ReplicaSet', chart({ serviceMonitor })],
    shards: ['StatefulSet', chart({ serviceMonitor, shards: 2 })],
    shipped: ['ReplicaSet', shippedRelabelings()],
    shippedShards: ['StatefulSet', shippedRelabelings()],
    // What Prometheus does by itself, to know that this test can tell.
    plain: ['ReplicaSet', []],
  };
  const jobs = Object.entries(rules).map(([name, [kind, relabelings]]) => ({
    job_name: name,
    static_configs: targets(kind),
    relabel_configs: [...relabelings, { target_label: 'by', replacement: name }],
  }));

  async function check(prometheus: RunningPrometheus): Promise<void> {
    const finds = (query: string) =>
      expect.poll(async () => (await prometheus.query(query)).length, { message: query });
    for (const name of Object.keys(rules))
      await prometheus.until(
        () => prometheus.api<{ activeTargets: { health: string }[] }>(`targets?scrapePool=${name}`),
        ({ activeTargets }) => activeTargets.every(({ health }) => health === 'up'),
      );
    for (const name of ['plain', 'shards', 'shippedShards']) await finds(`cloud_up{by="${name}"}`).toBe(2);
    for (const name of ['chart', 'shipped']) {
      await finds(`cloud_up{by="${name}"}`).toBe(1);
      await finds(`sum by (by) (cloud_servers{by="${name}"}) == 40`).toBe(1);
    }
    const addressOf = (host: string) => `instance="${host}.monitoring.svc:10700"`;
    await finds(`cloud_up{by=~"shards|shippedShards", ${addressOf(`${name}-1.${name}-shards`)}}`).toBe(2);
    await finds(`cloud_up{by=~"chart|shipped", ${addressOf(name)}}`).toBe(2);
    await finds('cloud_up{by=~"chart|shards", job="cloud-platform-exporter"}').toBe(3);
    expect(await prometheus.query('cloud_up{pod!=""}')).toEqual([]);
  }

  return { jobs, check };
}
