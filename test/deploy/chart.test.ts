import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentSpec, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { PodSpec, ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { everything, lab, production } from './chart-values.ts';
import { one, securityProblems } from './kubernetes-objects.ts';
import {
  createChartRenderer,
  defaultValues,
  type ChartRenderer,
  type Installation,
  type Values,
} from './rendered-chart.ts';

const root = new URL('../../', import.meta.url);

describeWith(chartParts, 'the chart', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const deploymentOf = (values: Values, installation?: Installation) =>
    one<{ spec: DeploymentSpec }>(chart.render(values, installation).objects, 'Deployment').spec;
  const podOf = (values: Values, installation?: Installation): PodSpec =>
    deploymentOf(values, installation).template.spec!;
  const imageOf = (values: Values) => podOf({ demo: true, ...values }).containers[0]!.image;

  it('shows the demo to who asks for it, and installs nothing for who asks for nothing', () => {
    const { objects, notes } = chart.render({ demo: true });
    expect(objects.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Pod',
      'Service',
      'ServiceAccount',
    ]);
    expect(podOf({ demo: true }).containers[0]!.args).toEqual(['--demo']);
    expect(podOf({ demo: true }).volumes).toBeUndefined();
    expect(notes).toContain('because of `demo: true`');
    expect(chart.render({ demo: true, prometheusRule: { enabled: true } }).notes).toContain(
      'The alerts are on, and are about the simulated cloud too.',
    );
    expect(() => chart.render({})).toThrow('No cloud is configured. Set `clouds`');
  });

  it('ends the demo when variables, clouds or a Secret name a cloud', () => {
    const extraEnv = [{ name: 'OS_AUTH_URL', value: 'https://cloud.example.com' }];
    expect(podOf({ demo: true, extraEnv }).containers[0]!.args).toBeUndefined();
    expect(podOf({ extraEnv }).containers[0]!.env).toEqual(extraEnv);
    const envFrom = [{ secretRef: { name: 'rc' } }];
    expect(podOf({ envFrom }).containers[0]!.envFrom).toEqual(envFrom);
    const flag = ['--config.file=/etc/cloud-platform-exporter/clouds/clouds.yml'];
    expect(podOf({ demo: true, clouds: { production } }).containers[0]!.args).toEqual(flag);
    const existing = podOf({ demo: true, existingConfigSecret: { name: 'mine', key: 'all.yml' } });
    expect(existing.containers[0]!.args).toEqual(flag);
    expect(existing.volumes![0]!.secret).toMatchObject({
      secretName: 'mine',
      items: [{ key: 'all.yml', path: 'clouds.yml' }],
    });
    expect(() => chart.render({ clouds: { production }, existingConfigSecret: { name: 'mine' } })).toThrow(
      'choose one',
    );
  });

  it('runs pods that may do nothing but their work, that of `helm test` too', () => {
    const values = { clouds: { production } };
    expect(securityProblems(podOf(values))).toEqual([]);
    const test = one<{ spec: PodSpec }>(chart.render(values).objects, 'Pod');
    expect(securityProblems(test.spec)).toEqual([]);
    expect(test.metadata.annotations).toHaveProperty(['helm.sh/hook'], 'test');
    const service = one<{ spec: ServiceSpec }>(chart.render(values).objects, 'Service');
    expect(test.metadata.labels).not.toMatchObject(service.spec.selector!);
  });

  it('has a test that tells a living exporter from a dead one', async () => {
    const exporter = await runExporter({ lab: settingsFor(await simulate()) });
    const { hostname, port } = new URL(exporter.url);
    const run = async (values: Values) => {
      const { spec } = one<{ spec: PodSpec }>(chart.render({ demo: true, ...values }).objects, 'Pod');
      const [program, flag, code, ...where] = spec.containers[0]!.command as [
        string,
        string,
        string,
        ...string[],
      ];
      expect([program, ...where]).toEqual(['node', 'trial-cloud-platform-exporter', '10700']);
      const child = spawn(process.execPath, [flag, code, hostname, port], { stdio: 'ignore' });
      return (await once(child, 'close'))[0] as number;
    };
    const guarded = { webConfig: { secretName: 'web' } };
    expect([await run({}), await run(guarded)]).toEqual([0, 0]);
    await exporter.stop();
    expect([await run({}), await run(guarded)]).toEqual([1, 1]);
  });

  it('writes a configuration that the exporter loads, with every secret in a file', async () => {
    const { objects } = chart.render({ clouds: { production, lab }, extraArgs: ['--log.format=json'] });
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

  it('starts a new pod when the configuration or the image changed, not for a new chart', () => {
    const values = { clouds: { production }, image: { tag: '1.0.0' } };
    const { template } = deploymentOf(values);
    const newer = { chart: { Version: '9.9.9', AppVersion: '9.9.9' } };
    expect(deploymentOf(values, newer).template).toEqual(template);
    expect(
      deploymentOf({ ...values, image: { digest: `sha256:${'a'.repeat(64)}` } }, newer).template,
    ).toEqual(deploymentOf({ ...values, image: { digest: `sha256:${'a'.repeat(64)}` } }).template);
    expect(deploymentOf({ clouds: { production } }, newer).template).not.toEqual(template);
    expect(deploymentOf({ ...values, clouds: { production, lab } }).template).not.toEqual(template);
    expect(chart.render(values, newer).objects[0]!.metadata.labels).toMatchObject({
      'helm.sh/chart': 'cloud-platform-exporter-9.9.9',
    });
  });

  it('takes its image by registry, tag or digest', () => {
    const version = (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string })
      .version;
    const { repository } = defaultValues['image'] as { repository: string };
    expect(imageOf({})).toBe(`${repository}:${version}`);
    expect(imageOf({ image: null })).toBe(`${repository}:${version}`);
    expect(imageOf({ image: { registry: 'r.example.com', repository: 'a/b', tag: '2' } })).toBe(
      'r.example.com/a/b:2',
    );
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(imageOf({ image: { repository: 'a/b', tag: '2', digest } })).toBe(`a/b@${digest}`);
    const global = { imageRegistry: 'g.example.com', imagePullSecrets: ['one', { name: 'two' }] };
    expect(imageOf({ global, image: { repository: 'a/b', tag: '2' } })).toBe('g.example.com/a/b:2');
    expect(podOf({ demo: true, global, imagePullSecrets: [{ name: 'three' }] }).imagePullSecrets).toEqual(
      ['one', 'two', 'three'].map((name) => ({ name })),
    );
  });

  it('only knocks at the port when the door is guarded', () => {
    const [container] = podOf({ demo: true, webConfig: { secretName: 'web' } }).containers;
    expect(container!.livenessProbe!.tcpSocket).toEqual({ port: 'http' });
    expect(container!.readinessProbe!.httpGet).toBeUndefined();
    expect(container!.args).toContain('--web.config.file=/etc/cloud-platform-exporter/web/web.yml');
  });

  it('hands on what a pod, an account and a Service may have', () => {
    const { objects } = chart.render(everything);
    const { strategy, revisionHistoryLimit, template } = one<{ spec: DeploymentSpec }>(
      objects,
      'Deployment',
    ).spec;
    expect([strategy, revisionHistoryLimit]).toEqual([{ type: 'Recreate' }, 2]);
    const fields = ['priorityClassName', 'topologySpreadConstraints', 'hostAliases', 'dnsConfig'] as const;
    for (const field of [...fields, 'initContainers', 'tolerations', 'nodeSelector'] as const)
      expect(template.spec![field]).toEqual(everything[field]);
    expect(template.spec!.serviceAccountName).toBe('exporter');
    expect(template.spec!.containers.map(({ name }) => name)).toEqual(['exporter', 'beside']);
    expect(template.spec!.containers[0]!.volumeMounts).toContainEqual(everything.extraVolumeMounts[0]);
    expect(template.spec!.volumes).toContainEqual(everything.extraVolumes[0]);
    expect(template.metadata!.labels).toMatchObject({ team: 'cloud', owner: 'cloud-team' });
    expect(one<{ spec: ServiceSpec }>(objects, 'Service').spec).toMatchObject({
      type: 'NodePort',
      ipFamilyPolicy: 'PreferDualStack',
      ports: [{ port: 8080, nodePort: 30_700 }],
    });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['trial-one', 'trial-two']),
    );
  });

  it('opens the network to the ports that the settings name, and to DNS', () => {
    const through = { settings: { auth_url: 'http://a.example.com', proxy_url: 'http://proxy:3128' } };
    const direct = { settings: { auth_url: 'https://b', base_url: 'https://[2001:db8::1]:8443/api' } };
    const { objects } = chart.render({
      clouds: { production, through, direct },
      networkPolicy: { enabled: true, platformPorts: [] },
    });
    const policy = one<{ spec: NetworkPolicySpec }>(objects, 'NetworkPolicy').spec;
    const [names, platform] = policy.egress!.map(({ ports }) => ports!.map(({ port }) => port));
    expect(names).toEqual([53, 53, 5353, 5353]);
    expect(new Set(platform)).toEqual(new Set([80, 443, 3128, 8443, 30_500]));
    const test = policy.ingress![0]!.from!.at(-1)!.podSelector!.matchLabels!;
    expect(one(objects, 'Pod').metadata.labels).toMatchObject(test);
    expect(one(objects, 'Service').metadata.labels).not.toMatchObject(test);
  });

  it('divides the clouds over a StatefulSet when asked for shards', () => {
    const { objects } = chart.render({ clouds: { production, lab }, shards: 3 });
    expect(objects.filter(({ kind }) => kind === 'Deployment')).toEqual([]);
    const { spec } = one<{ spec: StatefulSetSpec }>(objects, 'StatefulSet');
    expect(spec.replicas).toBe(3);
    const { args = [] } = spec.template.spec!.containers[0]!;
    expect(args).toEqual(expect.arrayContaining(['--shard=auto', '--total-shards=3']));
    const pod = parseFlags(args, `${one(objects, 'StatefulSet').metadata.name}-2`);
    expect(pod).toHaveProperty('arguments.shard', { ordinal: 2, total: 3 });
    const headless = objects.find(({ metadata }) => metadata.name === spec.serviceName)!;
    expect(headless.spec).toMatchObject({ clusterIP: 'None', selector: spec.selector.matchLabels });
    expect(securityProblems(spec.template.spec!)).toEqual([]);
  });
});
