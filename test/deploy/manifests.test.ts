import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js';
import type { ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { parseFlags } from '../../src/flags.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate, temporaryFolder } from '../support/simulated.ts';
import { extensionProblems } from './extension-schemas.ts';
import { metadataProblems, one, readObjects, securityProblems, typeProblems } from './kubernetes-objects.ts';

const folder = new URL('../../deploy/kubernetes/', import.meta.url);
const kustomization = parse(readFileSync(new URL('kustomization.yaml', folder), 'utf8')) as {
  resources: string[];
};
const objects = kustomization.resources.flatMap((name) =>
  readObjects(readFileSync(new URL(name, folder), 'utf8')),
);
const deployment = one<{ spec: DeploymentSpec }>(objects, 'Deployment');
const pod = deployment.spec.template.spec!;
const [container] = pod.containers;

describe('the Kubernetes manifests', () => {
  it('are all named by the kustomization', () => {
    const files = readdirSync(folder).filter(
      (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
    );
    expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  });

  it('have no field that Kubernetes does not know', async () => {
    expect(await typeProblems(objects)).toBe('');
    expect(await extensionProblems(objects)).toEqual([]);
    expect(metadataProblems(objects)).toEqual([]);
    const misspelt = structuredClone(deployment) as { spec: DeploymentSpec };
    Object.assign(misspelt.spec.template.spec!, { dnsPolice: 'None' });
    expect(await typeProblems([misspelt as typeof deployment])).toContain('dnsPolice');
  });

  it('run a pod that may do nothing but its work', () => {
    expect(securityProblems(pod)).toEqual([]);
    expect(securityProblems({ ...pod, securityContext: {} })).not.toEqual([]);
  });

  it('give flags that the exporter knows, and a configuration that it loads', async () => {
    expect(parseFlags(container!.args!)).toMatchObject({
      arguments: { configFiles: ['/etc/cloud-platform-exporter/clouds.yml'] },
    });
    const secrets = pod.volumes!.find(({ name }) => name === 'secrets')!.secret!.secretName;
    expect(secrets).toBe('cloud-platform-exporter');
    const mount = container!.volumeMounts!.find(({ name }) => name === 'secrets')!.mountPath;
    const here = await temporaryFolder();
    await writeFile(join(here, 'password'), 'a password');
    const text = one(objects, 'ConfigMap').data!['clouds.yml']!.replaceAll(mount, here);
    const file = join(here, 'clouds.yml');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    const { clouds } = await loadConfig({ file, environment: {} });
    expect(clouds.map(({ name, credential }) => [name, credential.method])).toEqual([
      ['production', 'password'],
    ]);
  });

  it('ask paths that the exporter answers', async () => {
    const exporter = await runExporter({ lab: settingsFor(await simulate()) });
    for (const { httpGet } of [container!.livenessProbe!, container!.readinessProbe!]) {
      expect((await fetch(`${exporter.url}${httpGet!.path}`)).status).toBe(200);
    }
  });

  it('find each other by their labels and ports', () => {
    const labels = deployment.spec.template.metadata!.labels!;
    const service = one<{ spec: ServiceSpec }>(objects, 'Service');
    expect(labels).toMatchObject(deployment.spec.selector.matchLabels!);
    expect(labels).toMatchObject(service.spec.selector!);
    const ports = container!.ports!.map(({ name }) => name);
    expect(ports).toContain(service.spec.ports![0]!.targetPort);
    const monitor = one<{ spec: Monitor }>(objects, 'ServiceMonitor').spec;
    expect(service.metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(service.spec.ports!.map(({ name }) => name)).toContain(monitor.endpoints[0]!.port);
  });

  it('have labels of their own: the Service takes no pod of the chart', () => {
    const { selector } = one<{ spec: ServiceSpec }>(objects, 'Service').spec;
    expect(Object.keys(selector!)).toContain('app.kubernetes.io/instance');
    expect(selector!['app.kubernetes.io/instance']).not.toBe('cloud-platform-exporter');
    const policy = one<{ spec: NetworkPolicySpec }>(objects, 'NetworkPolicy').spec;
    expect(policy.podSelector.matchLabels).toEqual(selector);
    expect(deployment.spec.selector.matchLabels).toEqual(selector);
    expect(JSON.stringify(objects)).not.toContain('prometheus.io/');
  });

  it('let the exporter out to DNS on both ports that clusters have it on', () => {
    const policy = one<{ spec: NetworkPolicySpec }>(objects, 'NetworkPolicy').spec;
    expect(policy.egress![0]!.ports!.map(({ port }) => port)).toEqual([53, 53, 5353, 5353]);
  });

  it('are explained in this order: what to edit, then how to apply', () => {
    const page = readFileSync(new URL('README.md', folder), 'utf8');
    expect(page.indexOf('`kustomization.yaml`')).toBeLessThan(page.indexOf('kubectl apply'));
    expect(page.indexOf('`configmap.yaml`')).toBeLessThan(page.indexOf('kubectl apply'));
  });
});

interface Monitor {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly endpoints: readonly { readonly port: string }[];
}
