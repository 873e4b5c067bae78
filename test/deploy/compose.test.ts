import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly env_file?: readonly {
    readonly path: string;
    readonly required: boolean;
    readonly format: string;
  }[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

const { services, volumes } = parse(readFileSync('deploy/compose.yml', 'utf8')) as {
  services: Record<string, Service>;
  volumes: object;
};

/** What a service mounts, by where it mounts it. */
function mountsOf({ volumes: mounts = [] }: Service): Map<string, string> {
  return new Map(mounts.map((mount) => mount.split(':')).map(([from, to]) => [to!, from!]));
}

describe('the compose stack', () => {
  it('pins every image that it does not build, in plain words that a bot can update', () => {
    const foreign = Object.values(services).filter(({ build }) => build === undefined);
    expect(foreign).toHaveLength(3);
    for (const { image } of foreign) expect(image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+$/);
    expect(existsSync(join('deploy', services['exporter']!.build!, 'Dockerfile'))).toBe(true);
  });

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

  it('shows Grafana the boards where it is told to read them, and nothing that they are made of', () => {
    const provisioning = 'deploy/grafana/provisioning/dashboards/cloud-platform-exporter.yml';
    const { providers } = parse(readFileSync(provisioning, 'utf8')) as {
      providers: { options: { path: string } }[];
    };
    const source = mountsOf(services['grafana']!).get(providers[0]!.options.path)!;
    const names = readdirSync(join('deploy', source), { recursive: true, encoding: 'utf8' });
    const boards = readdirSync('dashboards').filter((name) => name.endsWith('.json'));
    expect(new Set(names)).toEqual(new Set(boards));
    const { environment = {} } = services['grafana']!;
    const [home] = environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']!.split('/').slice(-1);
    expect(names).toContain(home);
  });

  it('reads variables as `docker run --env-file` does, which knows no quotes', async () => {
    expect(services['exporter']!.env_file).toEqual([{ path: '.env', required: false, format: 'raw' }]);
    const lines = readFileSync('deploy/env.example', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<
      string,
      string
    >;
    for (const value of Object.values(environment)) expect(value).not.toMatch(/["'`\s]/);
    const { clouds } = await loadConfig({ file: undefined, environment });
    expect(clouds.map(({ name }) => name)).toEqual(['production']);
    expect(environment['EXPORTER_FLAGS']).toBe('');
  });
});
