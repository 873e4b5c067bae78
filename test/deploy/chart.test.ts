import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
import { metadataProblems, one, securityProblems, specOf, typeProblems } from './kubernetes-objects.ts';
import type { ChartRenderer, Values } from './rendered-chart.ts';
import { clouds, createChartRenderer, everyObject, everything } from './rendered-chart.ts';

const guarded = { webConfig: { secretName: 'web' } };
const enabled = { enabled: true };

describeWith(chartParts, 'the chart', () => {
  let chart: ChartRenderer;
  beforeAll(async () => {
    chart = await createChartRenderer();
  });

  const objectsOf = (values: Values) => chart.render(values).objects;
  const deploymentOf = (values: Values, as?: Parameters<ChartRenderer['render']>[1]) =>
    specOf<DeploymentSpec>(chart.render(values, as).objects, 'Deployment');
  const podOf = (values: Values): PodSpec => deploymentOf(values).template.spec!;
  const containerOf = (values: Values): Container => podOf({ demo: true, ...values }).containers[0]!;

  it('makes objects that Kubernetes and the operators know, with everything on and with little', async () => {
    const variants: readonly Values[] = [
      { demo: true },
      everyObject,
      everything,
      { ...guarded, clouds: { open: { settings: { auth_url: 'https://x' } } } },
      { ...everyObject, shards: 3, scrapeConfig: {}, serviceMonitor: {}, podMonitor: enabled },
      { existingConfigSecret: { name: 'clouds' }, scrapeConfig: { enabled: true, spec: { basicAuth: {} } } },
    ];
    const all = variants.map(objectsOf);
    for (const objects of all) expect(metadataProblems(objects)).toEqual([]);
    expect(await typeProblems(all.flat())).toBe('');
    expect(new Set(all.flat().map(({ kind }) => kind)).size).toBe(12);
  });

  it('learns of its clouds from one place, and installs nothing without', () => {
    expect(containerOf({}).args).toEqual(['--demo']);
    expect(chart.render({ demo: true }).notes).toContain('because of `demo: true`');
    const file = ['--config.file=/etc/cloud-platform-exporter/clouds/clouds.yml'];
    expect(containerOf({ clouds }).args).toEqual(file);
    const existing = podOf({ existingConfigSecret: { name: 'mine', key: 'all.yml' } });
    expect(existing.containers[0]!.args).toEqual(file);
    const items = [{ key: 'all.yml', path: 'clouds.yml' }];
    expect(existing.volumes![0]!.secret).toMatchObject({ secretName: 'mine', items });
    expect(containerOf({ extraEnv: [{ name: 'OS_AUTH_URL', value: 'https://x' }] }).args).toBeUndefined();
    expect(() => objectsOf({})).toThrow('No cloud is configured. Set `clouds`');
    expect(() => objectsOf({ clouds, existingConfigSecret: { name: 'mine' } })).toThrow('choose one');
  });

  it('runs pods that may do nothing but their work, that of `helm test` too', () => {
    const objects = objectsOf({ clouds });
    const test = one<{ spec: PodSpec }>(objects, 'Pod');
    for (const pod of [podOf({ clouds }), test.spec]) expect(securityProblems(pod)).toEqual([]);
    const { selector } = specOf<ServiceSpec>(objects, 'Service');
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
    const { args, livenessProbe, readinessProbe } = containerOf(guarded);
    for (const probe of [livenessProbe, readinessProbe]) {
      expect(probe).toMatchObject({ tcpSocket: { port: 'http' }, timeoutSeconds: 5 });
      expect(probe).not.toHaveProperty('httpGet');
    }
    expect(args).toContain('--web.config.file=/etc/cloud-platform-exporter/web/web.yml');
    const own = { httpGet: { path: '/', port: 'http', scheme: 'HTTPS' } };
    const changed = containerOf({ ...guarded, livenessProbe: own, startupProbe: null });
    expect(changed.livenessProbe).toMatchObject({ ...own, timeoutSeconds: 5 });
    expect(changed.livenessProbe).not.toHaveProperty('tcpSocket');
    expect(changed).not.toHaveProperty('startupProbe');
  });

  it('writes a configuration that the exporter loads, with every secret in a file', async () => {
    const objects = objectsOf({ clouds, extraArgs: ['--log.format=json'] });
    const pod = specOf<DeploymentSpec>(objects, 'Deployment').template.spec!;
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
    const loaded = await loadConfig({ file, environment: {} });
    const methods = loaded.clouds.map(({ name, credential }) => `${name} ${credential.method}`);
    expect(methods).toEqual(['lab aksk', 'production password']);
  });

  it('starts a new pod when the configuration or the image changed, not for a new chart', () => {
    const values = { clouds, image: { tag: '1.0.0' } };
    const { template } = deploymentOf(values);
    expect(deploymentOf(values, { version: '9.9.9' }).template).toEqual(template);
    expect(deploymentOf({ clouds }, { version: '9.9.9' }).template).not.toEqual(template);
    expect(deploymentOf({ ...values, clouds: { lab: clouds['lab'] } }).template).not.toEqual(template);
  });

  it('takes its image by registry, tag or digest, and its pull secrets from one place', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(containerOf({}).image).toMatch(new RegExp(`^[a-z0-9./-]+:${version}$`));
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

  it('hands on every value', () => {
    const text = JSON.stringify(objectsOf(everything));
    const given = leavesOf(everything).filter((leaf) => !leaf.includes('{{'));
    expect(given.length).toBeGreaterThan(80);
    expect(given.filter((leaf) => !text.includes(leaf))).toEqual([]);
    for (const name of ['trial-one', 'trial-two']) expect(text).toContain(`"name":"${name}"`);
  });

  it('lets in who scrapes, and out to DNS and to the ports that the settings name', () => {
    const a = { settings: { auth_url: 'http://a.example.com:30500', proxy_url: 'http://proxy:3128' } };
    const b = { settings: { auth_url: 'https://b', base_url: 'https://[2001:db8::1]:8443/api' } };
    const render = (more: Values) => {
      const networkPolicy = { ...enabled, platformPorts: [], ...more };
      const objects = objectsOf({ clouds: { a, b }, networkPolicy });
      const { egress, ingress } = specOf<NetworkPolicySpec>(objects, 'NetworkPolicy');
      const [from, test] = ingress![0]!.from!;
      expect(one(objects, 'Pod').metadata.labels).toMatchObject(test!.podSelector!.matchLabels!);
      return { from, ports: egress!.map(({ ports }) => ports!.map(({ port }) => port)) };
    };
    const { from, ports } = render({});
    expect(ports[0]).toEqual([53, 53, 5353, 5353]);
    expect(new Set(ports[1])).toEqual(new Set([443, 3128, 8443, 30_500]));
    const namespace = ['namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'];
    expect(from).toHaveProperty(namespace, 'monitoring');
    expect(render({ prometheusNamespace: 'other' }).from).toHaveProperty(namespace, 'other');
    expect(render({ from: [{ podSelector: {} }] }).from).toEqual({ podSelector: {} });
  });

  it('divides the clouds over a StatefulSet when asked for shards', () => {
    const objects = objectsOf({ clouds, shards: 3 });
    const { spec, metadata } = one<{ spec: StatefulSetSpec }>(objects, 'StatefulSet');
    expect(spec.replicas).toBe(3);
    const flags = parseFlags(spec.template.spec!.containers[0]!.args!, `${metadata.name}-2`);
    expect(flags).toHaveProperty('arguments.shard', { ordinal: 2, total: 3 });
    const headless = objects.find((object) => object.metadata.name === spec.serviceName)!;
    expect(headless.spec).toMatchObject({ clusterIP: 'None', selector: spec.selector.matchLabels });
  });

  it('has good names, never the same, however the release is called', () => {
    const named = (length: number) => 'team'.repeat(20).slice(0, length);
    const releases = [named(39), named(53), `${named(52)}x`, '1.5', 'e'];
    const all = releases.map((release) => chart.render({ ...everyObject, shards: 2 }, { release }).objects);
    expect(metadataProblems(all.flat())).toEqual([]);
    // Kubernetes puts a hash and a number behind it.
    for (const { metadata } of all.flat().filter(({ kind }) => kind === 'StatefulSet'))
      expect(metadata.name.length).toBeLessThanOrEqual(52);
    const { selector } = specOf<ServiceSpec>(objectsOf(everyObject), 'Service');
    const labelsOf = (release: string) => deploymentOf(everyObject, { release }).template.metadata!.labels;
    expect(labelsOf('trial')).toMatchObject(selector!);
    expect(labelsOf('another')).not.toMatchObject(selector!);
    const chosen = objectsOf({ ...everyObject, nameOverride: 'clouds', namespaceOverride: 'elsewhere' });
    expect(one(chosen, 'Deployment').metadata.name).toBe('trial-clouds');
    expect(new Set(chosen.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['elsewhere']));
  });
});

/** Every text and number of a value. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'boolean' ? [] : [String(value)];
}
