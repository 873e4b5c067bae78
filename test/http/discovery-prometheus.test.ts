import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import { startPrometheus, type RunningPrometheus } from '../support/prometheus.ts';
import { describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

const page = readFileSync(new URL('../../docs/discovery.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  );
}

/** A job of the documentation, as it stands there, but for its addresses and intervals. */
function documentedJob(name: string, changes: Record<string, string>): object {
  const text = blocks('yaml').find((block) => block.includes(`job_name: ${name}\n`))!;
  const adapted = Object.entries(changes).reduce((job, [from, to]) => {
    expect(job).toContain(from);
    return job.replaceAll(from, to);
  }, text);
  const { scrape_configs: jobs } = parse(adapted) as { scrape_configs: object[] };
  return { scrape_interval: '1s', scrape_timeout: '1s', ...jobs[0] };
}

/** Something to scrape at each of these addresses of this machine, all at one port. */
async function listenAt(addresses: readonly string[]): Promise<{ port: number; servers: Server[] }> {
  const servers: Server[] = [];
  let port = 0;
  for (const address of addresses) {
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(`greeting{from="${address}"} 1\n`);
    }).listen(port, address);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return { port, servers };
}

/** The labels of `up` of each target, by the name of its instance. */
async function targetsUp(prometheus: RunningPrometheus, job: string, value: 0 | 1) {
  const rows = await prometheus.query(`up{job="${job}"} == ${value}`);
  return rows.map(({ metric }) => metric['instance']!).toSorted();
}

function byCloud(rows: Awaited<ReturnType<RunningPrometheus['query']>>): Record<string, string> {
  return Object.fromEntries(rows.map(({ metric, value }) => [metric['cloud'], value[1]]));
}

describeWith(['prometheus'], 'a real Prometheus', () => {
  it('discovers servers and scrapes them, and keeps them while the exporter knows nothing', async () => {
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const { port, servers: listeners } = await listenAt(addresses);
    const cloud = await simulate({ servers: 6 });
    for (const [index, { id }] of cloud.fleet.servers.entries())
      cloud.fleet.change(id, {
        name: `server-${index}`,
        status: index < 3 ? 'running' : 'ready',
        os_type: 'Linux',
        ips: `127.0.0.${index + 2}`,
      });
    let passed = 0;
    const clock = {
      ...systemClock,
      now: () => Date.now() + passed,
      monotonic: () => performance.now() + passed,
    };
    const settings = settingsFor(cloud, { per_server: true, max_age: '10s' });
    const exporter = await runExporter({ prod: settings }, { clock });
    const prometheus = await startPrometheus({
      scrape_configs: [
        documentedJob('node', {
          'http://exporter:10700': exporter.url,
          'port=9100': `port=${port}`,
          'refresh_interval: 1m': 'refresh_interval: 2s',
        }),
        {
          job_name: 'cloud-platform-exporter-clouds',
          scrape_interval: '2s',
          scrape_timeout: '2s',
          static_configs: [{ targets: [new URL(exporter.url).host] }],
        },
      ],
    });

    await prometheus.until(
      () => targetsUp(prometheus, 'node', 1),
      (names) => names.length === 3,
    );
    const greetings = await prometheus.query('greeting');
    expect(greetings.map(({ metric }) => metric['from']!).toSorted()).toEqual(addresses);
    const known = cloud.fleet.servers.slice(0, 3).map(({ id, name, project }) => ({ id, name, project }));
    for (const { id, name, project } of known)
      expect(greetings.find(({ metric }) => metric['id'] === id)?.metric).toMatchObject({
        job: 'node',
        instance: name,
        cloud: 'prod',
        project,
      });

    listeners[0]!.closeAllConnections();
    listeners[0]!.close();
    await prometheus.until(
      () => targetsUp(prometheus, 'node', 0),
      (names) => names.length === 1,
    );
    const questions = blocks('promql');
    expect(questions).toHaveLength(2);
    for (const question of questions) {
      const [row, ...others] = await prometheus.until(
        () => prometheus.query(question),
        (rows) => rows.length > 0,
      );
      expect(others).toEqual([]);
      expect(row?.metric).toMatchObject({ cloud: 'prod', id: known[0]!.id });
    }
    const [named] = await prometheus.query(questions[1]!);
    expect(named?.metric).toMatchObject({ name: 'server-0', host: cloud.fleet.servers[0]!.host });

    cloud.faults.set({ operation: 'list', fault: { kind: 'status', code: 403 } });
    passed = 10 * 60_000;
    await prometheus.until(
      async () => (await fetch(`${prometheus.url}/metrics`)).text(),
      (text) => /^prometheus_sd_http_failures_total [1-9]/m.test(text),
    );
    expect((await fetch(`${exporter.url}/sd/servers?cloud=prod`)).status).toBe(503);
    const { activeTargets } = await prometheus.api<{
      activeTargets: { labels: { job: string; instance: string } }[];
    }>('targets?state=active');
    const kept = activeTargets.filter(({ labels }) => labels.job === 'node');
    expect(kept.map(({ labels }) => labels.instance).toSorted()).toEqual([
      'server-0',
      'server-1',
      'server-2',
    ]);
  });

  it('discovers the clouds and probes each by itself, with no relabelling', async () => {
    const clouds = { north: await simulate({ servers: 12 }), 'south & east': await simulate({ servers: 7 }) };
    const exporter = await runExporter({
      north: settingsFor(clouds.north),
      'south & east': settingsFor(clouds['south & east']),
      broken: settingsFor(clouds.north, { password: 'out-of-date' }),
    });
    const adapt = {
      'http://exporter:10700': exporter.url,
      '50s': '1s',
      'scrape_interval: 1m': 'scrape_interval: 1s',
    };
    clouds.north.fleet.change(clouds.north.fleet.servers[0]!.id, { zone: '' });
    const prometheus = await startPrometheus({
      global: { external_labels: { zone: 'of-prometheus' } },
      scrape_configs: [
        documentedJob('cloud-platform-exporter-clouds', adapt),
        documentedJob('cloud-platform-exporter', { 'exporter:10700': new URL(exporter.url).host }),
        documentedJob('cloud-platform-exporter-labelled', { 'exporter:10700': new URL(exporter.url).host }),
      ],
    });
    const names = ['broken', 'north', 'south & east'];
    await prometheus.until(
      () => targetsUp(prometheus, 'cloud-platform-exporter-clouds', 1),
      (found) => found.length === 3,
    );
    expect(await targetsUp(prometheus, 'cloud-platform-exporter-clouds', 1)).toEqual(names);
    const rows = await prometheus.until(
      () => prometheus.query('cloud_up{job="cloud-platform-exporter-clouds"}'),
      (found) => found.filter(({ value }) => value[1] === '1').length === 2,
    );
    for (const { metric } of rows) expect(metric['instance']).toBe(metric['cloud']);
    expect(byCloud(rows)).toEqual({ broken: '0', north: '1', 'south & east': '1' });
    const sums = await prometheus.query(
      'sum by (cloud) (cloud_servers{job="cloud-platform-exporter-clouds"})',
    );
    expect(byCloud(sums)).toEqual({ north: '12', 'south & east': '7' });
    await prometheus.until(
      () => prometheus.query('cloud_exporter_collections_total{job="cloud-platform-exporter"}'),
      (found) => found.length === 3,
    );
    const federated = async () => (await fetch(`${prometheus.url}/federate?match[]=cloud_servers`)).text();
    const zones = async (job: string) =>
      (await federated()).split('\n').flatMap((line) => {
        const ofJob = line.includes(`job="${job}"`) && line.includes('cloud="north"');
        return ofJob ? (/[,{]zone="([^"]*)"/.exec(line)?.[1] ?? []) : [];
      });
    await prometheus.until(
      () => zones('cloud-platform-exporter-labelled'),
      (found) => found.length > 0,
    );
    expect(await zones('cloud-platform-exporter-clouds')).toContain('of-prometheus');
    expect(await zones('cloud-platform-exporter-labelled')).toContain('none');
    expect(await zones('cloud-platform-exporter-labelled')).not.toContain('of-prometheus');
    const [both] = await prometheus.query('count(cloud_up{job="cloud-platform-exporter"})');
    expect(both).toBeUndefined();
  });
});

it('the group that the documentation shows is what /sd/servers answers', async () => {
  const cloud = await simulate({ servers: 5 });
  const { nics, metadata, id } = cloud.fleet.servers[0]!;
  cloud.fleet.change(id, {
    id: '0b6315fc-f25c-4e6d-a258-6f8f620d8527',
    name: 'web-1',
    region: 'Default',
    zone: 'zone-a',
    hypervisor: 'kvm',
    project_domain: 'Retail',
    project: 'shop',
    status: 'running',
    host: 'kvm-host-2',
    os_type: 'Linux',
    instance_type: 'ecs.g1.c2m4',
    brand: 'OneCloud',
    billing_type: 'postpaid',
    pending_deleted: false,
    metadata: { ...metadata, 'user:team': 'storefront' },
    ips: '10.0.1.78',
    eip: '203.0.113.7',
    nics: nics.slice(0, 1).map((nic) => Object.assign({}, nic, { ip6_addr: '' })),
  });
  const exporter = await runExporter({
    prod: settingsFor(cloud, { labels: { team: 'metadata.user:team' } }),
  });
  const groups = JSON.parse(await exporter.text('/sd/servers?cloud=prod&address=public')) as object[];
  const shown = JSON.parse(blocks('json')[0]!) as { labels: object };
  expect(groups).toContainEqual(shown);
  const answered = groups.find((group) => JSON.stringify(group).includes('"web-1"')) as { labels: object };
  expect(Object.keys(answered.labels)).toEqual(Object.keys(shown.labels));
});
