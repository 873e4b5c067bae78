import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

type Service = { environment?: Record<string, string>; volumes?: string[] };
const { services, volumes } = parse(readFileSync('deploy/compose.yml', 'utf8')) as {
  services: Record<string, Service>;
  volumes: object;
};

/** What a service mounts, by where it mounts it. */
function mountsOf({ volumes: mounts = [] }: Service): Map<string, string> {
  return new Map(mounts.map((mount) => mount.split(':')).map(([from, to]) => [to!, from!]));
}

describe('the compose stack', () => {
  it('mounts only what exists', () => {
    const sources = Object.values(services).flatMap((service) => [...mountsOf(service).values()]);
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      if (source.startsWith('.')) expect(existsSync(join('deploy', source)), source).toBe(true);
      else expect(Object.keys(volumes)).toContain(source);
    }
  });

  it('lets each service find the others by the names that the configurations use', () => {
    const texts = ['prometheus/prometheus.yml', 'grafana/provisioning/datasources/prometheus.yml'];
    const named = texts.map((path) => readFileSync(`deploy/${path}`, 'utf8')).join('');
    const hosts = [...named.matchAll(/([a-z]+):(9090|9093|10700)/g)].map(([, host]) => host!);
    expect(new Set(hosts)).toEqual(new Set(['alertmanager', 'exporter', 'prometheus']));
    for (const host of hosts) expect(Object.keys(services)).toContain(host);
  });

  it('shows Grafana the boards where it is told to read them, and no other JSON', () => {
    const provisioning = 'deploy/grafana/provisioning/dashboards/cloud-platform-exporter.yml';
    type Provider = { options: { path: string } };
    const { providers } = parse(readFileSync(provisioning, 'utf8')) as { providers: [Provider] };
    const { path } = providers[0].options;
    const source = join('deploy', mountsOf(services['grafana']!).get(path)!);
    const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
    const found = names.filter((name) => name.endsWith('.json'));
    expect(found.length).toBeGreaterThanOrEqual(5);
    for (const name of found)
      expect(JSON.parse(readFileSync(join(source, name), 'utf8')), name).toHaveProperty('panels');
    const home = services['grafana']!.environment!['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']!;
    expect(found).toContain(home.replace(`${path}/`, ''));
  });

  it('reads variables as `docker run --env-file` does, which knows no quotes', async () => {
    const lines = readFileSync('deploy/env.example', 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const environment = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
    for (const value of Object.values(environment)) expect(value).not.toMatch(/["'`\s]/);
    const { clouds } = await loadConfig({ file: undefined, environment });
    expect(clouds.map(({ name }) => name)).toEqual(['production']);
  });
});

it('the Dockerfile has a health check that tells a living exporter from a dead one', async () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8').replace(/\\\n/g, ' ');
  const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, , code] = JSON.parse(command) as [string, string, string];
  const exporter = await runExporter({ lab: settingsFor(await simulate()) });
  expect(code).toContain('http://127.0.0.1:10700/');
  const check = async () => {
    const child = spawn(process.execPath, ['-e', code.replace('http://127.0.0.1:10700', exporter.url)]);
    return (await once(child, 'close'))[0] as number;
  };
  expect(await check()).toBe(0);
  await exporter.stop();
  expect(await check()).toBe(1);
});

it('the README builds the image in the folder of the project, and runs what it built', () => {
  const [build = '', next = ''] =
    readFileSync('README.md', 'utf8').match(/^docker (?:build|run) .*$/gm) ?? [];
  const [, name = ''] = /^docker build -t (\S+) \.$/.exec(build) ?? [];
  expect(next.split(' ').at(-1)).toBe(name);
});
