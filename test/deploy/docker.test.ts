import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

type Service = {
  command?: string[];
  environment?: Record<string, string>;
  env_file?: unknown;
  healthcheck?: { test: string[] };
  volumes?: string[];
};
type Stack = { services: Record<string, Service>; volumes?: object };
const readStack = (name: string) => parse(readFileSync(`deploy/${name}`, 'utf8')) as Stack;
const stack = readStack('compose.yml');
const ofCloud = readStack('compose.cloud.yml');
const { services, volumes = {} } = stack;

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

  it('shows the simulated cloud, and with the file for it another one, and no flag is to be emptied', () => {
    const flagsOf = ({ command = [] }: Service) => parseFlags(command);
    const externalUrl = 'http://localhost:10700';
    expect(flagsOf(services['exporter']!)).toMatchObject({ arguments: { demo: true, externalUrl } });
    expect(flagsOf(ofCloud.services['exporter']!)).toMatchObject({ arguments: { demo: false, externalUrl } });
  });

  it('is written as docker-compose 1.29 and every later Compose understand it, and needs no variable', () => {
    for (const given of [stack, ofCloud]) {
      expect(['services', 'volumes']).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(JSON.stringify(given.services['exporter'])).not.toContain('$');
    }
    expect(ofCloud.services['exporter']!.env_file).toEqual(['exporter.env']);
  });

  it('has an example of variables that mean the same to Compose, `docker run` and a shell', async () => {
    const lines = readFileSync('deploy/exporter.env.example', 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const environment = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
    for (const value of Object.values(environment)) expect(value).not.toMatch(/["'`$#\s]/);
    const { OS_PASSWORD_FILE: inContainer = '', ...others } = environment;
    expect([...mountsOf(ofCloud.services['exporter']!).keys()]).toContain(dirname(inContainer));
    const { clouds } = await loadConfig({ file: undefined, environment: { ...others, OS_PASSWORD: 'x' } });
    expect(clouds.map(({ name }) => name)).toEqual(['production']);
  });

  it('has a health check that tells a living exporter from a dead one, which the image leaves to others', async () => {
    expect(readFileSync('Dockerfile', 'utf8')).not.toContain('HEALTHCHECK');
    const [, program, option, code = ''] = services['exporter']!.healthcheck!.test;
    expect([program, option]).toEqual(['node', '-e']);
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
});

it('the README builds the image in the folder of the project, and runs what it built', () => {
  const [build = '', next = ''] =
    readFileSync('README.md', 'utf8').match(/^docker (?:build|run) .*$/gm) ?? [];
  const [, name = ''] = /^docker build -t (\S+) \.$/.exec(build) ?? [];
  expect(next.split(' ').at(-1)).toBe(name);
});
