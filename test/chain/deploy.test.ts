import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { openStore } from '../dashboards/store.ts';
import { boards } from '../dashboards/boards.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { startPrometheus } from './programs.ts';

const run = promisify(execFile);

function readYaml(path: string): unknown {
  return parse(readFileSync(path, 'utf8'));
}

describeWith(['prometheus', 'promtool'], 'the Prometheus configuration', () => {
  it.each(['prometheus.yml', 'many-clouds.yml'])(
    '%s is accepted, with the rules where it expects them',
    async (name) => {
      const folder = await temporaryFolder();
      await cp(`deploy/prometheus/${name}`, join(folder, name));
      await cp('dashboards/rules', join(folder, 'rules'), { recursive: true });
      const { stdout } = await run(pathOf('promtool'), [
        'check',
        'config',
        '--lint-fatal',
        join(folder, name),
      ]);
      expect(stdout).toContain('3 rule files found');
      expect(stdout).not.toContain('FAILED');
    },
  );

  it('of the agents is accepted, and so are the rules about them', async () => {
    const check = async (...words: string[]) => (await run(pathOf('promtool'), ['check', ...words])).stdout;
    expect(await check('config', '--agent', 'deploy/scale/agent.yml')).toContain('SUCCESS');
    expect(await check('rules', '--lint-fatal', 'deploy/scale/agents.rules.yml')).toContain('2 rules found');
  });

  it('for many clouds finds each by service discovery and counts none twice', async () => {
    const folder = await temporaryFolder();
    const north = await simulate({ servers: 40 });
    const south = await simulate({ servers: 30 });
    const exporter = await runExporter({ north: settingsFor(north), south: settingsFor(south) });
    const config = readYaml('deploy/prometheus/many-clouds.yml') as { scrape_configs: object[] };
    const [clouds, own] = config.scrape_configs;
    const often = { scrape_interval: '1s', scrape_timeout: '1s' };
    const file = join(folder, 'many-clouds.yml');
    const jobs = [
      { ...clouds, ...often, http_sd_configs: [{ url: `${exporter.url}/sd/clouds` }] },
      { ...own, ...often, static_configs: [{ targets: [new URL(exporter.url).host] }] },
    ];
    await writeFile(file, stringify({ scrape_configs: jobs }));
    const store = openStore(await startPrometheus(folder, file));
    const once = async (expr: string) => store.count({ expr, instant: true });
    await expect.poll(() => once('up == 1'), { timeout: 30_000 }).toBe(3);
    await expect.poll(() => once('sum by (cloud) (cloud_servers) == 40'), { timeout: 30_000 }).toBe(1);
    await expect.poll(() => once('sum by (cloud) (cloud_servers) == 30'), { timeout: 30_000 }).toBe(1);
    await expect.poll(() => once('cloud_exporter_collections_total'), { timeout: 30_000 }).toBe(2);
  });
});

describe('the compose stack', () => {
  interface Service {
    readonly volumes?: readonly string[];
    readonly image: string;
    readonly build?: string;
  }
  const { services, volumes } = readYaml('deploy/compose.yml') as {
    services: Record<string, Service>;
    volumes: object;
  };

  it('mounts only what exists', () => {
    const sources = Object.values(services).flatMap(({ volumes: mounts = [] }) =>
      mounts.map((mount) => mount.split(':')[0]!),
    );
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      if (source.startsWith('.')) expect(existsSync(join('deploy', source)), source).toBe(true);
      else expect(Object.keys(volumes)).toContain(source);
    }
    expect(existsSync(join('deploy', services['exporter']!.build!, 'Dockerfile'))).toBe(true);
  });

  it('lets each service find the others by the names that the configurations use', () => {
    const texts = ['prometheus/prometheus.yml', 'grafana/provisioning/datasources/prometheus.yml'];
    const named = texts.map((path) => readFileSync(`deploy/${path}`, 'utf8')).join('');
    const hosts = [...named.matchAll(/([a-z]+):(9090|9093|10700)/g)];
    expect(new Set(hosts.map(([, host]) => host))).toEqual(
      new Set(['alertmanager', 'exporter', 'prometheus']),
    );
    for (const [, host] of hosts) expect(Object.keys(services)).toContain(host);
  });

  it('shows the boards from where Grafana is told to read them', () => {
    const { providers } = readYaml('deploy/grafana/provisioning/dashboards/cloud-platform-exporter.yml') as {
      providers: { options: { path: string } }[];
    };
    const mounts = services['grafana']!.volumes!.map((mount) => mount.split(':').slice(0, 2));
    const [source] = mounts.find(([, target]) => target === providers[0]!.options.path)!;
    for (const { uid } of boards) {
      expect(existsSync(join('deploy', source!, `${uid!.replace('cloud-', '')}.json`))).toBe(true);
    }
  });

  it('has an example of the variables that names a cloud', async () => {
    const environment = parseEnv(readFileSync('deploy/env.example', 'utf8')) as Record<string, string>;
    const { clouds } = await loadConfig({ file: undefined, environment });
    expect(clouds.map(({ name }) => name)).toEqual(['production']);
    expect(environment['EXPORTER_FLAGS']).toBe('');
  });
});
