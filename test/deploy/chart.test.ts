import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DeploymentSpec, StatefulSetSpec } from 'kubernetes-types/apps/v1.js';
import type { Container, PodSpec, ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { describeWith } from '../support/real-parts.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { metadataProblems, one, specOf, typeProblems } from './kubernetes-objects.ts';
import {
  chartFolder,
  clouds,
  everyObject,
  everything,
  helms,
  notesOf,
  readYaml,
  render,
  type Values,
} from './rendered-chart.ts';

const guarded = { webConfig: { secretName: 'web' } };
const enabled = { enabled: true };
type Case = { readonly values: Values } & Readonly<Record<string, object | null>>;
const { cases } = readYaml('test/deploy/rendered.yaml') as { cases: Readonly<Record<string, Case>> };

const deploymentOf = (...asked: Parameters<typeof render>) =>
  specOf<DeploymentSpec>(render(...asked), 'Deployment');

describeWith(helms, 'the chart', () => {
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
    const all = variants.map((values) => render(values));
    for (const objects of all) expect(metadataProblems(objects)).toEqual([]);
    expect(await typeProblems(all.flat())).toBe('');
    expect(new Set(all.flat().map(({ kind }) => kind)).size).toBe(12);
  });

  it.each(Object.entries(cases))('%s', (_, { values, ...kinds }) => {
    const objects = render({ demo: true, ...values });
    for (const [kind, spec] of Object.entries(kinds))
      if (spec === null) expect(objects.map((object) => object.kind)).not.toContain(kind);
      else expect(specOf(objects, kind)).toMatchObject(spec);
  });

  it('says afterwards what it shows, and what is missing', () => {
    const on = { serviceMonitor: enabled, prometheusRule: enabled, networkPolicy: enabled };
    const little = notesOf({ demo: true, ...guarded, ...on, envFrom: [{ secretRef: { name: 'cloud' } }] });
    const address = 'https://trial-cloud-platform-exporter.monitoring.svc:10700';
    const asks = [
      'because of `demo: true`',
      'set serviceMonitor.tlsConfig',
      '--set prometheusRelease=NAME',
      'add them to networkPolicy.platformPorts',
      `Alerts link to ${address}, which answers only inside\n`,
    ];
    for (const words of asks) expect(little).toContain(words);
    const enough = notesOf({ clouds, ...on, prometheusRelease: 'kps', externalUrl: 'https://x.example.com' });
    expect(enough).not.toMatch(/demo|tlsConfig|prometheusRelease|platformPorts|Alerts link/);
  });

  it('runs pods that may do nothing but their work, that of `helm test` too', () => {
    const objects = render({ clouds });
    const test = one<{ spec: PodSpec }>(objects, 'Pod');
    for (const pod of [podOf({ clouds }), test.spec]) {
      expect(pod).toMatchObject({ ...restricted, containers: [confined] });
      expect(Object.keys(pod).filter((key) => key.startsWith('host'))).toEqual([]);
      expect(pod.volumes?.filter(({ hostPath }) => hostPath) ?? []).toEqual([]);
    }
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
      const { spec } = one<{ spec: PodSpec }>(render({ demo: true, ...values }), 'Pod');
      const [program, flag = '', code = '', ...where] = spec.containers[0]!.command!;
      expect([program, ...where]).toEqual(['node', 'trial-cloud-platform-exporter', '10700']);
      const child = spawn(process.execPath, [flag, code, hostname, port], { stdio: 'ignore' });
      return (await once(child, 'close'))[0] as number;
    };
    expect([await run({}), await run(guarded)]).toEqual([0, 0]);
    await exporter.stop();
    expect([await run({}), await run(guarded)]).toEqual([1, 1]);
  });

  it('writes a configuration that the exporter loads, with every secret in a file', async () => {
    const objects = render({ clouds, extraArgs: ['--log.format=json'] });
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

  it('starts a new pod when the configuration or the image changed, not for a new chart', async () => {
    const values = { clouds, image: { tag: '1.0.0' } };
    const { template } = deploymentOf(values);
    const chart = join(await temporaryFolder(), basename(chartFolder));
    await cp(chartFolder, chart, { recursive: true });
    const next = { ...readYaml(`${chart}/Chart.yaml`), version: '9.9.9', appVersion: '9.9.9' };
    await writeFile(`${chart}/Chart.yaml`, JSON.stringify(next));
    expect(deploymentOf(values, { chart }).template).toEqual(template);
    expect(deploymentOf({ clouds }, { chart }).template).not.toEqual(template);
    expect(deploymentOf({ ...values, clouds: { lab: clouds['lab'] } }).template).not.toEqual(template);
  });

  it('hands on every value, and puts annotations and labels of its own on every object', () => {
    for (const { metadata } of render(everything)) {
      if (/-(one|two)$/.test(metadata.name)) continue;
      expect(metadata.labels).toMatchObject({ owner: 'cloud-team' });
      expect(metadata.annotations).toMatchObject({ contact: 'clouds@example.com' });
    }
    const text = JSON.stringify(render(everything));
    const given = leavesOf(everything).filter((leaf) => !leaf.includes('{{'));
    expect(given.length).toBeGreaterThan(80);
    expect(given.filter((leaf) => !text.includes(leaf))).toEqual([]);
    const { template, selector: labelSelector } = deploymentOf(everything);
    const [spread] = template.spec!.topologySpreadConstraints!;
    expect(spread).toMatchObject({ topologyKey: 'zone', labelSelector });
    for (const name of ['trial-one', 'trial-two']) expect(text).toContain(`"name":"${name}"`);
  });

  it('lets in who scrapes, and out to DNS and to the ports that the settings name', () => {
    const a = { settings: { auth_url: 'http://a.example.com:30500', proxy_url: 'http://proxy:3128' } };
    const b = { settings: { auth_url: 'https://b', base_url: 'https://[2001:db8::1]:8443/api' } };
    const policyOf = (more: Values, source: Values = { clouds: { a, b } }) => {
      const networkPolicy = { ...enabled, ...more };
      const objects = render({ ...source, networkPolicy });
      const { egress, ingress } = specOf<NetworkPolicySpec>(objects, 'NetworkPolicy');
      const [from, test] = ingress![0]!.from!;
      expect(one(objects, 'Pod').metadata.labels).toMatchObject(test!.podSelector!.matchLabels!);
      return { from, ports: egress!.map(({ ports }) => ports!.map(({ port }) => port)) };
    };
    const { from, ports } = policyOf({ platformPorts: [] });
    expect(ports[0]).toEqual([53, 53, 5353, 5353]);
    expect(new Set(ports[1])).toEqual(new Set([443, 3128, 8443, 30_500]));
    const namespace = ['namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'];
    expect(from).toHaveProperty(namespace, 'monitoring');
    expect(policyOf({ prometheusNamespace: 'other' }).from).toHaveProperty(namespace, 'other');
    expect(policyOf({ from: [{ podSelector: {} }] }).from).toEqual({ podSelector: {} });
    const unknown: readonly Values[] = [
      { existingConfigSecret: { name: 'clouds' } },
      { envFrom: [{ secretRef: { name: 'cloud' } }] },
      { extraEnv: [{ name: 'OS_AUTH_URL', valueFrom: { secretKeyRef: { name: 'cloud', key: 'url' } } }] },
    ];
    for (const source of unknown) expect(policyOf({}, source).ports[1]).toEqual([443, 30_500, 30_888]);
  });

  it('divides the clouds over a StatefulSet when asked for shards', () => {
    const objects = render({ clouds, shards: 3 });
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
    // The boards are not read again for each.
    const values = { ...everyObject, shards: 2, dashboards: {} };
    const all = releases.map((release) => render(values, { release }));
    expect(metadataProblems(all.flat())).toEqual([]);
    // Kubernetes puts a hash and a number behind it.
    for (const { metadata } of all.flat().filter(({ kind }) => kind === 'StatefulSet'))
      expect(metadata.name.length).toBeLessThanOrEqual(52);
    const { selector } = specOf<ServiceSpec>(render({ clouds }), 'Service');
    const labelsOf = (release: string) => deploymentOf({ clouds }, { release }).template.metadata!.labels;
    expect(labelsOf('trial')).toMatchObject(selector!);
    expect(labelsOf('another')).not.toMatchObject(selector!);
    const chosen = render({ ...values, shards: 0, nameOverride: 'clouds', namespaceOverride: 'elsewhere' });
    expect(one(chosen, 'Deployment').metadata.name).toBe('trial-clouds');
    expect(new Set(chosen.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['elsewhere']));
  });
});

/** What the pod security standard `restricted` asks of a pod; and that it has no token of the cluster. */
const restricted = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
};
const confined = {
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  resources: { requests: expect.anything() as object, limits: expect.anything() as object },
};

/** Every text and number of a value. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'boolean' ? [] : [String(value)];
}
