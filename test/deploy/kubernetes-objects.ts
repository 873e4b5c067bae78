import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { compile } from '../support/run.ts';
import { temporaryFolder } from '../support/simulated.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export function readObjects(text: string): KubernetesObject[] {
  return [...parseAllDocuments(text)].flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    return (document.toJS() as KubernetesObject | null) ?? [];
  });
}

export function one<Shape>(objects: readonly KubernetesObject[], kind: string): KubernetesObject & Shape {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind}`);
  return found[0] as KubernetesObject & Shape;
}

export const specOf = <Spec>(objects: readonly KubernetesObject[], kind: string) =>
  one<{ spec: Spec }>(objects, kind).spec;

const operator = '@kubernetes-models/prometheus-operator';
/** Of the Grafana operator's objects there are no types. */
function typeOf({ apiVersion, kind }: KubernetesObject): string {
  if (kind === 'GrafanaDashboard') return 'object';
  if (apiVersion.startsWith('monitoring.')) return `import('${operator}/${apiVersion}/${kind}').I${kind}`;
  const group = apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('.k8s.io', '');
  return `import('kubernetes-types/${group}.js').${kind}`;
}

/** What the compiler says when each object stands as a literal of its Kubernetes type: no unknown field passes. */
export async function typeProblems(objects: readonly KubernetesObject[]): Promise<string> {
  const folder = await temporaryFolder();
  const lines = objects.map(
    (object, place) => `export const object${place}: ${typeOf(object)} = ${JSON.stringify(object)};`,
  );
  await writeFile(join(folder, 'objects.ts'), lines.join('\n'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--ignoreConfig'];
  return compile(folder, ...options, 'objects.ts').then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

/** Names and labels that an API server would refuse, and names that two objects of a kind share. */
export function metadataProblems(objects: readonly KubernetesObject[]): string[] {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
  const doubled = names.filter((name, place) => names.indexOf(name) !== place);
  const bad = objects.flatMap(({ kind, metadata: { name, labels = {} }, spec }) => {
    const [shape, most] =
      kind === 'Service' ? [/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63] : [/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 253];
    const { template } = (spec ?? {}) as { template?: { metadata?: { labels?: Record<string, string> } } };
    const values = Object.values({ ...labels, ...template?.metadata?.labels });
    return [
      ...(shape.test(name) && name.length <= most ? [] : [`${kind} ${name}: bad name`]),
      ...values
        .filter((value) => typeof value !== 'string' || !labelValue.test(value) || value.length > 63)
        .map((value) => `${kind} ${name}: bad label value ${value}`),
    ];
  });
  return [...doubled.map((name) => `${name} is there twice`), ...bad];
}

const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
