import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentSpec, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { Container, PodSpec, ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { chartParts, describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { access, everyObject, everything, lab, podFields, production } from './chart-values.ts';
import {
  metadataProblems,
  one,
  operatorProblems,
  securityProblems,
  typeProblems,
  type KubernetesObject,
} from './kubernetes-objects.ts';
import { createChartRenderer, type ChartRenderer, type Values } from './rendered-chart.ts';

const guarded = { webConfig: { secretName: 'web' } };
const enabled = { enabled: true };

describeWith(chartParts, 'the chart', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const objectsOf = (values: Values) => chart.render(values).objects;
  const deploymentOf = (values: Values, version?: string) =>
    one<{ spec: DeploymentSpec }>(chart.render(values, version ? { version } : {}).objects, 'Deployment')
      .spec;
  const podOf = (values: Values): PodSpec => deploymentOf(values).template.spec!;
  const containerOf = (values: Values): Container => podOf({ demo: true, ...values }).containers[0]!;

  it('makes objects that Kubernetes and the operators know, with everything on and with little', async () => {
    const variants: readonly Values[] = [
      { demo: true },
      everyObject,
      everything,
      { ...guarded, clouds: { open: { settings: { auth_url: 'https://x' } } } },
      { ...everyObject, shards: 3, scrapeConfig: {}, serviceMonitor: {}, podMonitor: enabled },
      { existingConfigSecret: { name: 'clouds' }, scrapeConfig: { enabled: true, spec: access } },
    ];
    const all = variants.map(objectsOf);
    for (const objects of all) {
      expect(metadataProblems(objects)).toEqual([]);
      expect(await operatorProblems(objects)).toEqual([]);
    }
    expect(await typeProblems(all.flat())).toBe('');
    expect(new Set(all.flat().map(({ kind }) => kind)).size).toBe(12);
  });

  it('is judged by schemas that notice a misspelt field and a value without sense', async () => {
    const monitor = one<{ spec: { endpoints: Values[] } }>(objectsOf(everyObject), 'ServiceMonitor');
    const changed = (change: Values) => ({
      ...monitor,
      spec: { ...monitor.spec, endpoints: [{ ...monitor.spec.endpoints[0], ...change }] },
    });
    expect(await typeProblems([changed({ intervall: '1m' })])).toContain('intervall');
    expect(await operatorProblems([changed({ interval: 'often' })])).toHaveLength(1);
    expect(metadataProblems([monitor, monitor])).toHaveLength(1);
    expect(securityProblems({ ...podOf({ demo: true }), securityContext: {} })).not.toEqual([]);
  });

  it('learns of its clouds from one place, and installs nothing without', () => {
    expect(containerOf({}).args).toEqual(['--demo']);
    expect(chart.render({ demo: true }).notes).toContain('because of `demo: true`');
    const file = ['--config.file=/etc/cloud-platform-exporter/clouds/clouds.yml'];
    expect(containerOf({ clouds: { production } }).args).toEqual(file);
    const existing = podOf({ existingConfigSecret: { name: 'mine', key: 'all.yml' } });
    expect(existing.containers[0]!.args).toEqual(file);
    expect(existing.volumes![0]!.secret).toMatchObject({
      secretName: 'mine',
      items: [{ key: 'all.yml', path: 'clouds.yml' }],
    });
    expect(containerOf({ extraEnv: [{ name: 'OS_AUTH_URL', value: 'https://x' }] }).args).toBeUndefined();
    expect(() => objectsOf({})).toThrow('No cloud is configured. Set `clouds`');
    expect(() => objectsOf({ clouds: { production }, existingConfigSecret: { name: 'mine' } })).toThrow(
      'choose one',
    );
  });

  it('runs pods that may do nothing but their work, that of `helm test` too', () => {
    const objects = objectsOf({ clouds: { production } });
    const test = one<{ spec: PodSpec }>(objects, 'Pod');
    expect(securityProblems(podOf({ clouds: { production } }))).toEqual([]);
    expect(securityProblems(test.spec)).toEqual([]);
    const { selector } = one<{ spec: ServiceSpec }>(objects, 'Service').spec;
    expect(test.metadata.labels).not.toMatchObject(selector!);
  });

  it('has a test and probes that tell a living exporter from a dead one', async () => {
    const exporter = await runExporter({ lab: settingsFor(await simulate()) });
    const { hostname, port } = new URL(exporter.url);
    const { startupProbe, livenessProbe, readinessProbe } = containerOf({});
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      expect((await fetch(exporter.url + probe!.httpGet!.path)).status).toBe(200);
    const run = async (values: Values) => {
      const { spec } = one<{ spec: PodSpec }>(objectsOf({ demo: true, ...values }), 'Pod');
      const [program, flag = '', code = '', ...where] = spec.containers[0]!.command!;
      expect([program, ...where]).toEqual(['node', 'trial-cloud-platform-exporter', '10700']);
      const child = spawn(process.execPath, [flag, code, hostname, port], { stdio: 'ignore' });
      return (await once(child, 'close'))[0] as number;
    };
    expect([await run({}), await run(guarded)]).toEqual([0, 0]);
    await exporter.stop();
    expect([await run({}), await run(guarded)]).toEqual([1, 1]);
  });

  it('only knocks at a guarded port, and takes another probe or none', () => {
    const container = containerOf(guarded);
    expect(container.livenessProbe).toEqual({
      tcpSocket: { port: 'http' },
      periodSeconds: 15,
      timeoutSeconds: 5,
      failureThreshold: 4,
    });
    expect(container.readinessProbe!.httpGet).toBeUndefined();
    expect(container.args).toContain('--web.config.file=/etc/cloud-platform-exporter/web/web.yml');
    const own = { httpGet: { path: '/', port: 'http', scheme: 'HTTPS' } };
    const { livenessProbe, startupProbe } = containerOf({
      ...guarded,
      livenessProbe: own,
      startupProbe: null,
    });
    expect(livenessProbe).toMatchObject({ ...own, periodSeconds: 15 });
    expect(livenessProbe!.tcpSocket).toBeUndefined();
    expect(startupProbe).toBeUndefined();
  });

  it('writes a configuration that the exporter loads, with every secret in a file', async () => {
    const objects = objectsOf({ clouds: { production, lab }, extraArgs: ['--log.format=json'] });
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
    const file = join(here, 'clouds.yml');
    await writeFile(file, text.replaceAll(mount, here));
    const { clouds } = await loadConfig({ file, environment: {} });
    expect(clouds.map(({ name, credential }) => [name, credential.method])).toEqual([
      ['lab', 'aksk'],
      ['production', 'password'],
    ]);
    expect(clouds[1]!.settings.labels).toEqual({ team: 'metadata.user:team' });
  });

  it('starts a new pod when the configuration or the image changed, not for a new chart', () => {
    const values = { clouds: { production }, image: { tag: '1.0.0' } };
    const { template } = deploymentOf(values);
    expect(deploymentOf(values, '9.9.9').template).toEqual(template);
    expect(deploymentOf({ clouds: { production } }, '9.9.9').template).not.toEqual(template);
    expect(deploymentOf({ ...values, clouds: { production, lab } }).template).not.toEqual(template);
  });

  it('takes its image by registry, tag or digest, and its pull secrets from one place', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(containerOf({}).image).toBe(`cloud-platform-exporter:${version}`);
    const image = { registry: 'r.example.com', repository: 'a/b', tag: '2' };
    expect(containerOf({ image }).image).toBe('r.example.com/a/b:2');
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(containerOf({ image: { ...image, digest } }).image).toBe(`r.example.com/a/b@${digest}`);
    const global = { imageRegistry: 'g.example.com', imagePullSecrets: ['one', { name: 'two' }] };
    expect(containerOf({ global, image }).image).toBe('g.example.com/a/b:2');
    expect(podOf({ demo: true, global }).imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }]);
    const own = { pullSecrets: [{ name: 'three' }] };
    expect(podOf({ demo: true, global, image: own }).imagePullSecrets).toEqual(own.pullSecrets);
  });

  it('hands on what a pod, an account and a Service may have', () => {
    const objects = objectsOf(everything);
    const { strategy, template } = one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec;
    expect(strategy).toEqual({ type: 'Recreate' });
    expect(template.spec).toMatchObject({ ...podFields, serviceAccountName: 'exporter' });
    expect(template.spec!.containers.map(({ name }) => name)).toEqual(['exporter', 'beside']);
    expect(template.spec!.containers[0]!.volumeMounts).toContainEqual(everything.extraVolumeMounts[0]);
    expect(template.spec!.volumes).toContainEqual(everything.extraVolumes[0]);
    expect(template.metadata!.labels).toMatchObject({ team: 'cloud', owner: 'cloud-team' });
    expect(one<{ spec: ServiceSpec }>(objects, 'Service').spec).toMatchObject({
      type: 'NodePort',
      ports: [{ port: 8080, nodePort: 30_700 }],
    });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['trial-one', 'trial-two']),
    );
  });

  it('lets in who scrapes, and out to DNS and to the ports that the settings name', () => {
    const through = { settings: { auth_url: 'http://a.example.com', proxy_url: 'http://proxy:3128' } };
    const direct = { settings: { auth_url: 'https://b', base_url: 'https://[2001:db8::1]:8443/api' } };
    const clouds = { production, through, direct };
    const render = (more: Values) => {
      const objects = objectsOf({ clouds, networkPolicy: { ...enabled, platformPorts: [], ...more } });
      const { egress, ingress } = one<{ spec: NetworkPolicySpec }>(objects, 'NetworkPolicy').spec;
      const [from, test] = ingress![0]!.from!;
      expect(one(objects, 'Pod').metadata.labels).toMatchObject(test!.podSelector!.matchLabels!);
      return { from, ports: egress!.map(({ ports }) => ports!.map(({ port }) => port)) };
    };
    const name = 'kubernetes.io/metadata.name';
    const { from, ports } = render({});
    expect(from).toEqual({ namespaceSelector: { matchLabels: { [name]: 'monitoring' } } });
    expect(ports[0]).toEqual([53, 53, 5353, 5353]);
    expect(new Set(ports[1])).toEqual(new Set([80, 443, 3128, 8443, 30_500]));
    expect(render({ prometheusNamespace: 'other' }).from).toEqual({
      namespaceSelector: { matchLabels: { [name]: 'other' } },
    });
    expect(render({ from: [{ podSelector: {} }] }).from).toEqual({ podSelector: {} });
  });

  it('divides the clouds over a StatefulSet when asked for shards', () => {
    const objects = objectsOf({ clouds: { production, lab }, shards: 3 });
    const { spec, metadata } = one<{ spec: StatefulSetSpec }>(objects, 'StatefulSet');
    expect(spec.replicas).toBe(3);
    const { args = [] } = spec.template.spec!.containers[0]!;
    expect(parseFlags(args, `${metadata.name}-2`)).toHaveProperty('arguments.shard', {
      ordinal: 2,
      total: 3,
    });
    const headless = objects.find((object) => object.metadata.name === spec.serviceName)!;
    expect(headless.spec).toMatchObject({ clusterIP: 'None', selector: spec.selector.matchLabels });
    expect(securityProblems(spec.template.spec!)).toEqual([]);
  });

  it('has good names, never the same, however the release is called', () => {
    const named = (length: number) => 'team'.repeat(20).slice(0, length);
    const releases = [named(39), named(53), `${named(52)}x`, '1.5', 'e'];
    const all = releases.map((release) => chart.render({ ...everyObject, shards: 2 }, { release }).objects);
    expect(metadataProblems(all.flat())).toEqual([]);
    // Kubernetes puts a hash and a number behind it.
    for (const { metadata } of all.flat().filter(({ kind }) => kind === 'StatefulSet'))
      expect(metadata.name.length).toBeLessThanOrEqual(52);
    const [first, second] = ['one', 'two'].map((release) => chart.render(everyObject, { release }).objects);
    const { selector } = one<{ spec: ServiceSpec }>(first!, 'Service').spec;
    const labelsIn = (objects: KubernetesObject[]) =>
      one<{ spec: DeploymentSpec }>(objects, 'Deployment').spec.template.metadata!.labels;
    expect(labelsIn(first!)).toMatchObject(selector!);
    expect(labelsIn(second!)).not.toMatchObject(selector!);
    const chosen = objectsOf({ ...everyObject, nameOverride: 'clouds', namespaceOverride: 'elsewhere' });
    expect(one(chosen, 'Deployment').metadata.name).toBe('trial-clouds');
    expect(new Set(chosen.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['elsewhere']));
  });

  it('keeps its helpers apart from those of a chart around it: Helm has one room for all', () => {
    const folder = 'deploy/helm/cloud-platform-exporter/templates';
    const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    const helpers = texts.flatMap((text) => [...text.matchAll(/define "([^"]+)"/g)].map(([, name]) => name!));
    expect(helpers.length).toBeGreaterThan(15);
    expect(helpers.filter((name) => !name.startsWith('cloud-platform-exporter.'))).toEqual([]);
  });
});
