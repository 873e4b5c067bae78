import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../support/simulated.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export function readObjects(text: string): KubernetesObject[] {
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
  if (!Array.isArray(documents)) return [];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return documents
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((value) => value !== null);
}

export function one<Shape>(objects: readonly KubernetesObject[], kind: string): KubernetesObject & Shape {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind}`);
  return found[0] as KubernetesObject & Shape;
}

/** Where Kubernetes' own types are, by apiVersion; other kinds are extensions that it does not know. */
const typed: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

/** What the compiler says when each object stands as a literal of its Kubernetes type: no unknown field passes. */
export async function typeProblems(objects: readonly KubernetesObject[]): Promise<string> {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const folder = await temporaryFolder();
  const lines = objects.flatMap(({ apiVersion, kind, ...rest }, place) => {
    const home = typed[apiVersion];
    if (home === undefined) return [];
    const literal = JSON.stringify({ apiVersion, kind, ...rest });
    return `export const object${place}: import('kubernetes-types/${home}.js').${kind} = ${literal};`;
  });
  await writeFile(join(folder, 'objects.ts'), lines.join('\n'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--ignoreConfig'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, ...options, 'objects.ts'], { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

/** What keeps this pod from a namespace whose pod security standard is `restricted`, or from a read-only root. */
export function securityProblems(pod: PodSpec): string[] {
  const [container] = pod.containers as [Container];
  const { securityContext: own = {} } = container;
  const { securityContext: shared = {} } = pod;
  const wanted: Readonly<Record<string, boolean>> = {
    'runs as a user who is not root': shared.runAsNonRoot === true && (shared.runAsUser ?? 0) > 0,
    'has the default seccomp profile': shared.seccompProfile?.type === 'RuntimeDefault',
    'cannot gain privileges': own.allowPrivilegeEscalation === false,
    'drops every capability': own.capabilities?.drop?.join() === 'ALL' && own.capabilities.add === undefined,
    'writes nothing': own.readOnlyRootFilesystem === true,
    'is not privileged': own.privileged !== true,
    'shares nothing with its host': !(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC ?? false),
    'mounts no folder of its host': (pod.volumes ?? []).every(({ hostPath }) => hostPath === undefined),
    'has no token of the cluster': pod.automountServiceAccountToken === false,
    'says what it needs':
      container.resources?.requests !== undefined && container.resources.limits !== undefined,
  };
  return Object.entries(wanted).flatMap(([words, isMet]) => (isMet ? [] : words));
}
