import { readdirSync, readFileSync } from 'node:fs';
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

const { services } = parse(readFileSync('deploy/compose.yml', 'utf8')) as {
  services: Record<string, Service>;
};

describe('the compose stack', () => {
  it('pins every image that it does not build, in plain words that a bot can update', () => {
    const foreign = Object.values(services).filter(({ build }) => build === undefined);
    expect(foreign).toHaveLength(3);
    for (const { image } of foreign) expect(image).toMatch(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+$/);
  });

  it('shows Grafana the boards, and nothing that they are made of', () => {
    const { volumes = [], environment = {} } = services['grafana']!;
    const mount = volumes.find((volume) => volume.includes(':/etc/grafana/dashboards:'))!;
    const names = readdirSync(join('deploy', mount.split(':')[0]!), { recursive: true, encoding: 'utf8' });
    const boards = readdirSync('dashboards').filter((name) => name.endsWith('.json'));
    expect(new Set(names)).toEqual(new Set(boards));
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
  });
});
