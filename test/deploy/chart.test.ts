import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { leftoverChartFiles, renderChartFiles } from '../docs/chart-files.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';
import { one, securityProblems, typeProblems } from './kubernetes-objects.ts';
import {
  createChartRenderer,
  merge,
  standardValues,
  valuesSchema,
  type ChartRenderer,
} from './rendered-chart.ts';

const root = new URL('../../', import.meta.url);

const production = {
  settings: {
    auth_url: 'https://cloud.example.com:30500/v3',
    username: 'exporter',
    user_domain_name: 'Default',
    project_name: 'system',
    project_domain_name: 'Default',
    query: { scope: 'system' },
    labels: { team: 'metadata.user:team' },
  },
  secrets: { password: { name: 'cloud-production', key: 'password' } },
};
const lab = {
  settings: { auth_url: 'https://lab.example.com/v3', max_age: '30s' },
  secrets: {
    access_key: { name: 'cloud-lab', key: 'id' },
    secret_key: { name: 'cloud-lab', key: 'secret' },
  },
};
const everything = {
  clouds: { production, lab },
  extraArgs: ['--log.format=json'],
  extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=400' }],
  imagePullSecrets: [{ name: 'registry' }],
  podLabels: { team: 'cloud' },
  podAnnotations: { note: 'x' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'monitoring', operator: 'Exists' }],
  networkPolicy: { enabled: true },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, endpoint: { scheme: 'https' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboards: { enabled: true },
};

describe('the files of the chart', () => {
  it('are those of the project: otherwise run `npm run docs`', async () => {
    for (const [path, text] of await renderChartFiles(root)) {
      expect(readFileSync(new URL(path, root), 'utf8'), path).toBe(text);
    }
    expect(await leftoverChartFiles(root)).toEqual([]);
  });

  it('accept its own values and good ones, and refuse secrets and misspellings', () => {
    const schema = z.fromJSONSchema(valuesSchema);
    const accepts = (values: object) => schema.safeParse(merge(standardValues, values as never)).success;
    expect(accepts({})).toBe(true);
    expect(accepts(everything)).toBe(true);
    const page = readFileSync(new URL('deploy/helm/cloud-platform-exporter/README.md', root), 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    expect(accepts(parse(example) as object)).toBe(true);
    expect(accepts({ cloud: {} })).toBe(false);
    expect(accepts({ clouds: { production: { ...production, secret: {} } } })).toBe(false);
    expect(accepts({ clouds: { production: { settings: { auth_url: 'https://x', password: 'p' } } } })).toBe(
      false,
    );
    expect(accepts({ clouds: { 'no/slash': production } })).toBe(false);
    expect(
      accepts({ clouds: { production: { ...production, secrets: { pasword: { name: 'a', key: 'b' } } } } }),
    ).toBe(false);
    expect(accepts({ service: { port: 'http' } })).toBe(false);
  });
});

describeWith(['go'], 'the chart', () => {
  let chart: ChartRenderer;
  beforeAll(() => {
    chart = createChartRenderer();
  });
  afterAll(() => chart.remove());

  it('shows the demo before a cloud is configured', () => {
    const { objects, notes } = chart.render({});
    expect(objects.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'Service']);
    const pod = one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec.template.spec!;
    expect(pod.containers[0]!.args).toEqual(['--demo']);
    expect(pod.volumes).toBeUndefined();
    expect(notes).toContain('a simulated one');
  });

  it('has no field that Kubernetes does not know, with everything on and with nothing', async () => {
    const guarded = {
      webConfig: { secretName: 'web' },
      clouds: { open: { settings: { auth_url: 'https://x' } } },
    };
    const objects = [{}, everything, guarded].flatMap((values) => chart.render(values).objects);
    expect(await typeProblems(objects)).toBe('');
  });

  it('runs a pod that may do nothing but its work', () => {
    const { objects } = chart.render(everything);
    expect(
      securityProblems(one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec.template.spec!),
    ).toEqual([]);
  });

  it('writes a configuration that the exporter loads, with every secret in a file', async () => {
    const { objects } = chart.render(everything);
    const pod = one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec.template.spec!;
    const [container] = pod.containers;
    expect(parseFlags(container!.args!)).toHaveProperty('arguments.logFormat', 'json');
    const here = await temporaryFolder();
    const mount = container!.volumeMounts!.find(({ name }) => name === 'secrets')!.mountPath;
    for (const source of pod.volumes!.find(({ name }) => name === 'secrets')!.projected!.sources!) {
      const { path } = source.secret!.items![0]!;
      await mkdir(join(here, path, '..'), { recursive: true });
      await writeFile(join(here, path), `secret of ${path}`);
    }
    const text = objects.find(({ data }) => data?.['clouds.yml'])!.data!['clouds.yml']!;
    expect(text).not.toContain('secret of');
    const file = join(here, 'clouds.yml');
    await writeFile(file, text.replaceAll(mount, here));
    const { clouds } = await loadConfig({ file, environment: {} });
    expect(clouds.map(({ name, credential }) => [name, credential.method])).toEqual([
      ['lab', 'aksk'],
      ['production', 'password'],
    ]);
    expect(clouds[0]!.settings.max_age).toBe(30_000);
    expect(clouds[1]!.settings.labels).toEqual({ team: 'metadata.user:team' });
  });

  it('starts a new pod when the configuration changed, and only then', () => {
    const checksum = (values: object) =>
      one<{ spec: DeploymentSpec }>(chart.render(values as never).objects, 'Deployment').spec.template
        .metadata!.annotations!['checksum/clouds'];
    expect(checksum({ clouds: { production } })).toBe(
      checksum({ clouds: { production }, podLabels: { a: 'b' } }),
    );
    expect(checksum({ clouds: { production } })).not.toBe(checksum({ clouds: { production, lab } }));
  });

  it('only knocks at the port when the door is guarded', () => {
    const { objects } = chart.render({ webConfig: { secretName: 'web' } });
    const [container] = one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec.template.spec!.containers;
    expect(container!.livenessProbe!.tcpSocket).toEqual({ port: 'http' });
    expect(container!.readinessProbe!.httpGet).toBeUndefined();
    expect(container!.args).toContain('--web.config.file=/etc/cloud-platform-exporter/web/web.yml');
  });

  it('has labels by which its parts and its rules find the exporter', () => {
    const { objects } = chart.render(everything);
    const { spec } = one<{ spec: DeploymentSpec }>(objects, 'Deployment');
    const service = one<{ spec: ServiceSpec }>(objects, 'Service');
    const monitor = one<{
      spec: { jobLabel: string; selector: { matchLabels: object }; endpoints: object[] };
    }>(objects, 'ServiceMonitor');
    expect(spec.template.metadata!.labels).toMatchObject(spec.selector.matchLabels!);
    expect(spec.template.metadata!.labels).toMatchObject(service.spec.selector!);
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(monitor.spec.endpoints).toEqual([
      { port: 'http', interval: '1m', scrapeTimeout: '30s', scheme: 'https' },
    ]);
    expect(service.metadata.labels![monitor.spec.jobLabel]).toBe('cloud-platform-exporter');
    expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' });
  });

  it('brings every dashboard, small enough for a ConfigMap', () => {
    const { objects } = chart.render(everything);
    const boards = objects.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const names = readdirSync(new URL('dashboards/', root)).filter((name) => name.endsWith('.json'));
    expect(boards.flatMap(({ data }) => Object.keys(data!)).toSorted()).toEqual(names.toSorted());
    for (const [name, text] of boards.flatMap(({ data }) => Object.entries(data!))) {
      expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(new URL(`dashboards/${name}`, root), 'utf8')));
      expect(text.length).toBeLessThan(1_000_000);
    }
  });

  it('brings every rule as it is', () => {
    const { objects } = chart.render(everything);
    const rules = objects.filter(({ kind }) => kind === 'PrometheusRule').map(({ spec }) => spec);
    const files = readdirSync(new URL('dashboards/rules/', root)).map(
      (name) => parse(readFileSync(new URL(`dashboards/rules/${name}`, root), 'utf8')) as unknown,
    );
    expect(rules).toHaveLength(files.length);
    for (const file of files) expect(rules).toContainEqual(file);
  });
});

describeWith(['go', 'promtool'], 'the rules of the chart', () => {
  it('are ones that Prometheus accepts', async () => {
    const chart = createChartRenderer();
    const { objects } = chart.render(everything);
    chart.remove();
    const folder = await temporaryFolder();
    const rules = objects.filter(({ kind }) => kind === 'PrometheusRule');
    for (const { metadata, spec } of rules) {
      const file = join(folder, `${metadata.name}.yml`);
      await writeFile(file, stringify(spec));
      expect(execFileSync(pathOf('promtool'), ['check', 'rules', file], { encoding: 'utf8' })).toContain(
        'SUCCESS',
      );
    }
    expect(rules.length).toBeGreaterThan(0);
  });
});
