import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Rows, RunningPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { targetOf, type Scene } from './scene.ts';

const page = readFileSync('docs/discovery.md', 'utf8');

/** The blocks of the documentation in one language. */
export function documented(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'));
  return [...blocks].map(([, text = '']) => text);
}

/** A job of the documentation, as it stands there, but for its addresses and intervals. */
function documentedJob(name: string, changes: Record<string, string>): object {
  const text = documented('yaml').find((block) => block.includes(`job_name: ${name}\n`))!;
  const adapted = Object.entries(changes).reduce((job, [from, to]) => {
    expect(job).toContain(from);
    return job.replaceAll(from, to);
  }, text);
  return jobsIn(adapted)[0]!;
}

const jobsIn = (text: string) => (parse(text) as { scrape_configs: object[] }).scrape_configs;

const instances = (rows: Rows) => rows.map(({ metric }) => metric['instance']!).toSorted();

/** The jobs for many clouds as they are shipped, under names of their own. */
function shippedJobs({ url }: { readonly url: string }): object[] {
  const [clouds, own] = jobsIn(readFileSync('deploy/prometheus/many-clouds.yml', 'utf8'));
  const discovery = { scrape_timeout: '2s', http_sd_configs: [{ url: `${url}/sd/clouds` }] };
  return [
    { ...clouds, ...discovery, job_name: 'shipped-clouds' },
    { ...own, job_name: 'shipped-own', static_configs: [{ targets: [targetOf({ url })] }] },
  ];
}

/** Each cloud that the exporter names is probed by itself, with no relabelling, and nothing counts twice. */
export async function discoveredClouds(): Promise<Scene> {
  const north = await simulate({ servers: 12 });
  const { id } = north.fleet.servers[0]!;
  north.fleet.change(id, { host_id: '', host: '', zone: '', region: '' });
  const others = await simulate({ servers: 7 });
  const steady = { max_age: '1h' };
  const exporter = await runExporter({
    north: settingsFor(north, steady),
    'south & east': settingsFor(others, steady),
    broken: settingsFor(north, { password: 'out-of-date' }),
  });
  const jobs = [
    documentedJob('cloud-platform-exporter-clouds', {
      'http://exporter:10700': exporter.url,
      '50s': '2s',
      'scrape_interval: 1m': 'scrape_interval: 2s',
    }),
    documentedJob('cloud-platform-exporter', { 'exporter:10700': targetOf(exporter) }),
    documentedJob('cloud-platform-exporter-labelled', { 'exporter:10700': targetOf(exporter) }),
    ...shippedJobs(exporter),
  ];
  const names = ['broken', 'north', 'south & east'];
  const byCloud = (rows: Rows) =>
    Object.fromEntries(rows.map(({ metric, value }) => [metric['cloud'], value[1]]));

  async function check(prometheus: RunningPrometheus): Promise<void> {
    const ask = (query: string) => () => prometheus.query(query);
    const labelled = (labels: string) => ask(`{job="cloud-platform-exporter-labelled",${labels}}`);
    await prometheus.until(labelled('__name__="cloud_servers",zone="none"'), (rows) => rows.length === 1);
    for (const labels of [
      '__name__=~"cloud_(servers.*|host.*|storage.*|network.*)",zone=""',
      '__name__!~"cloud_(servers.*|host.*|storage.*|network.*|server_problem)",zone!=""',
    ])
      expect(await labelled(labels)(), labels).toEqual([]);
    for (const [clouds, own] of [
      ['cloud-platform-exporter-clouds', 'cloud-platform-exporter'],
      ['shipped-clouds', 'shipped-own'],
    ]) {
      const areAll = (rows: Rows) => String(instances(rows)) === String(names);
      await prometheus.until(ask(`up{job="${clouds}"} == 1`), areAll);
      const states = await prometheus.until(ask(`cloud_up{job="${clouds}"}`), (rows) => rows.length === 3);
      for (const { metric } of states) expect(metric['instance']).toBe(metric['cloud']);
      expect(byCloud(states)).toEqual({ broken: '0', north: '1', 'south & east': '1' });
      const sums = ask(`sum by (cloud) (cloud_servers{job="${clouds}"})`);
      const told = await prometheus.until(sums, (rows) => rows.length === 2);
      expect(byCloud(told)).toEqual({ north: '12', 'south & east': '7' });
      const collections = ask(`cloud_exporter_collections_total{job="${own}", by=""}`);
      await prometheus.until(collections, (rows) => rows.length === 3);
      expect(await prometheus.query(`cloud_up{job="${own}", by=""}`)).toEqual([]);
    }
  }

  return { jobs, check };
}
