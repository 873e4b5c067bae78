import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { documentedFamilies } from '../tools/docs/catalogue.ts';
import { parseExposition } from './support/exposition.ts';
import { startPrometheus } from './support/prometheus.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { settingsFor } from './support/settings.ts';
import { runExporter, simulate } from './support/simulated.ts';

function lint(text: string): string {
  return execFileSync(pathOf('promtool'), ['check', 'metrics'], { input: text, encoding: 'utf8' });
}

describeWith(['promtool'], 'promtool', () => {
  it('finds nothing to say about a scrape, healthy or failed, single servers included', async () => {
    const cloud = await simulate({ servers: 300 });
    const exporter = await runExporter({ one: settingsFor(cloud, { per_server: true }) });
    expect(lint(await exporter.text('/metrics'))).toBe('');
    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 500 } });
    expect(lint(await exporter.text('/metrics'))).toBe('');
    expect(lint(await exporter.text('/probe?cloud=one'))).toBe('');
  });
});

describeWith(['prometheus'], 'a real Prometheus', () => {
  it('scrapes OpenMetrics, which it asks for, and drops no sample', async () => {
    const cloud = await simulate({ servers: 300 });
    const [hostile] = cloud.fleet.servers;
    const name = 'quote " backslash \\ newline \n comma , snow ☃ 雪';
    cloud.fleet.change(hostile!.id, { project: name });
    const exporter = await runExporter({ one: settingsFor(cloud, { per_server: true }) });
    const target = new URL(exporter.url).host;
    const job = { metrics_path: '/metrics', static_configs: [{ targets: [target] }] };
    const prometheus = await startPrometheus({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [{ job_name: 'negotiated', ...job }],
    });
    const up = await prometheus.until(
      () => prometheus.query('up'),
      (result) => result.some(({ value }) => value[1] === '1'),
    );
    expect(up).toHaveLength(1);

    const parsed = parseExposition(await exporter.text('/metrics'));
    // What Node.js tells of itself changes from scrape to scrape, and so do the counters by code.
    const steady = /^(cloud|process)_(?!exporter_api_requests_total)/;
    const names = [...new Set(parsed.samples.map((sample) => sample.name))].filter((name) =>
      steady.test(name),
    );
    const missing = [];
    for (const metric of names) {
      const [row] = await prometheus.query(`count({__name__="${metric}"})`);
      if (Number(row?.value[1]) !== parsed.of(metric).length) missing.push(`${metric}: ${row?.value[1]}`);
    }
    expect(missing).toEqual([]);
    const [sum] = await prometheus.query('sum(cloud_servers)');
    expect(sum?.value[1]).toBe('300');
    const projects = await prometheus.query(`cloud_servers{project=~"(?s)quote.*"}`);
    expect(projects[0]?.metric['project']).toBe(name);
    const { activeTargets } = await prometheus.api<{ activeTargets: { lastError: string }[] }>('targets');
    expect(activeTargets.map(({ lastError }) => lastError)).toEqual(['']);
    const [scraped] = await prometheus.query(
      'scrape_samples_scraped - scrape_samples_post_metric_relabeling',
    );
    expect(scraped?.value[1]).toBe('0');
  });

  it('runs every query of the documentation on single servers, and finds something', async () => {
    const cloud = await simulate({ servers: 120 });
    const exporter = await runExporter({ one: settingsFor(cloud, { per_server: true }) });
    const prometheus = await startPrometheus({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [{ job_name: 'one', static_configs: [{ targets: [new URL(exporter.url).host] }] }],
    });
    await prometheus.until(
      () => prometheus.query('cloud_server_info'),
      (result) => result.length === 120,
    );
    const page = await readFile(new URL('../docs/metrics.md', import.meta.url), 'utf8');
    const [, section = ''] = /^## Single servers$(.*?)^## /ms.exec(page) ?? [];
    const joins = [...section.matchAll(/```promql\n(.*?)\n```/gs)].map(([, query = '']) => query);
    expect(joins.length).toBeGreaterThan(2);
    for (const query of joins) expect(await prometheus.query(query), query).not.toEqual([]);
    for (const { name, note } of await documentedFamilies()) {
      // An alert's condition may hold for nothing; what matters is that the query is one.
      const rows = await prometheus.query(note.example);
      expect(Array.isArray(rows), name).toBe(true);
    }
  });

  it('scrapes text through a gateway that asks for nothing else', async () => {
    const cloud = await simulate({ servers: 40 });
    const exporter = await runExporter({ one: settingsFor(cloud) });
    const gateway = createServer((_request, response) => {
      void fetch(`${exporter.url}/metrics`, { headers: { Accept: 'text/plain' } }).then(async (answer) => {
        response.setHeader('Content-Type', answer.headers.get('content-type') ?? '').end(await answer.text());
      });
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    onTestFinished(() => {
      gateway.closeAllConnections();
      gateway.close();
    });
    const { port } = gateway.address() as AddressInfo;
    const prometheus = await startPrometheus({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [{ job_name: 'one', static_configs: [{ targets: [`127.0.0.1:${port}`] }] }],
    });
    await prometheus.until(
      () => prometheus.query('up == 1'),
      (result) => result.length === 1,
    );
    const [sum] = await prometheus.query('sum(cloud_servers)');
    expect(sum?.value[1]).toBe('40');
  });
});
