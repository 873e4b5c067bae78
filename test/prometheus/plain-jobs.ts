import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { documentedFamilies } from '../../tools/docs/catalogue.ts';
import { parseExposition } from '../support/exposition.ts';
import type { RunningPrometheus } from '../support/real-programs.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';
import { momentOf, targetOf, type Scene } from './scene.ts';

/** Series whose number no scrape changes. */
const steady = '__name__=~"(cloud|process)_.*", __name__!~"cloud_exporter_api_requests_.*"';
const isSteady = /^(cloud|process)_(?!exporter_api_requests_)/;
const openMetrics = { Accept: 'application/openmetrics-text; version=1.0.0' };

/** Every family that there is, in OpenMetrics, with a name that has every character that needs care; and a pair. */
export async function singleServers(): Promise<Scene> {
  const cloud = await simulate({ servers: 300 });
  const name = 'quote " backslash \\ newline \n comma , snow ☃ 雪';
  // Names hang on the ids; without one, the record's own counts.
  cloud.fleet.change(cloud.fleet.servers[0]!.id, { project: name, tenant_id: '' });
  const settings = { single: settingsFor(cloud, { per_server: true, max_age: '1h' }) };
  const [exporter, other] = [await runExporter(settings), await runExporter(settings)];
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## Single servers$(.*?)^## /ms.exec(page) ?? [];
  const joins = [...section.matchAll(/```promql\n(.*?)\n```/gs)].map(([, query = '']) => query);

  async function check(prometheus: RunningPrometheus): Promise<void> {
    const at = await momentOf(prometheus, 'cloud_up{job="single"}');
    const ask = (query: string) => prometheus.query(query, at);
    const counts = await ask(`count by (__name__) ({job="single", ${steady}})`);
    const { samples, of } = parseExposition(await exporter.text('/metrics', openMetrics), true);
    const names = new Set(samples.map((sample) => sample.name));
    const scraped = counts.map(({ metric, value }) => [metric['__name__'], Number(value[1])]);
    const told = [...names].filter((one) => isSteady.test(one)).map((one) => [one, of(one).length]);
    expect(Object.fromEntries(scraped)).toEqual(Object.fromEntries(told));
    const [dropped] = await ask('scrape_samples_scraped - scrape_samples_post_metric_relabeling');
    expect(dropped?.value[1]).toBe('0');
    expect((await ask('sum(cloud_servers{job="single"})'))[0]?.value[1]).toBe('300');
    const [hostile] = await ask('cloud_servers{job="single",project=~"(?s)quote.*"}');
    expect(hostile?.metric['project']).toBe(name.replace('\n', '\ufffd'));

    expect(joins.length).toBeGreaterThan(1);
    const ofPair = await momentOf(prometheus, 'cloud_up{job="single-too"}');
    for (const join of joins) {
      const from = (job: string) => join.replaceAll(/cloud_server_\w+(?=\))/g, `$&{job=~"${job}"}`);
      const answer = await ask(from('single'));
      expect(answer.length, join).toBeGreaterThan(1);
      const pair = await prometheus.query(from('single(-too)?'), Math.max(at, ofPair));
      expect(pair.length, join).toBe(answer.length);
    }
    for (const { example } of documentedFamilies) await prometheus.query(example, Math.max(at, ofPair));
  }

  const from = (one: typeof exporter) => ({ static_configs: [{ targets: [targetOf(one)] }] });
  const jobs = [
    { job_name: 'single', ...from(exporter) },
    { job_name: 'single-too', ...from(other) },
  ];
  return { jobs, check };
}
