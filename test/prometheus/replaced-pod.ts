import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { RunningPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { targetOf, type Scene } from './scene.ts';

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
  const rules: Record<string, readonly [kind: string, rules: object[]]> = {
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
    for (const name of ['plain', 'shippedShards']) await finds(`cloud_up{by="${name}"}`).toBe(2);
    await finds('cloud_up{by="shipped"}').toBe(1);
    await finds('sum by (by) (cloud_servers{by="shipped"}) == 40').toBe(1);
    const addressOf = (host: string) => `instance="${host}.monitoring.svc:10700"`;
    await finds(`cloud_up{by="shippedShards", ${addressOf(`${name}-1.${name}-shards`)}}`).toBe(1);
    await finds(`cloud_up{by="shipped", ${addressOf(name)}}`).toBe(1);
    expect(await prometheus.query('cloud_up{pod!=""}')).toEqual([]);
  }

  return { jobs, check };
}
