/** Where the schemas of kinds are that Kubernetes itself does not know, by apiVersion. */
export const extensions: Readonly<Record<string, string>> = {
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  'monitoring.coreos.com/v1alpha1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1',
};

interface Extension {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

type Model = new (data: object) => { validate(): void };

/** What the operators' own schemas say about objects of their kinds: values that have the type but not the shape. */
export async function extensionProblems(objects: readonly Extension[]): Promise<string[]> {
  const problems: string[] = [];
  for (const object of objects) {
    const home = extensions[object.apiVersion];
    if (home === undefined) continue;
    const { [object.kind]: Kind } = (await import(`${home}/${object.kind}`)) as Record<string, Model>;
    if (!Kind) throw new Error(`${home} has no ${object.kind}`);
    try {
      new Kind(object).validate();
    } catch (error) {
      problems.push(`${object.kind} ${object.metadata.name}: ${String(error)}`);
    }
  }
  return problems;
}
