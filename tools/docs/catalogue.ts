import { cloudFamilies } from '../../src/metrics/page.ts';
import { createSelfMetrics } from '../../src/metrics/self.ts';
import { metricNotes } from './metric-notes.ts';

export interface Documented {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
  readonly note: { readonly series: string; readonly example: string };
}

/** Every family that the exporter has, from the code that exports it, in the order of /metrics. */
export async function documentedFamilies(): Promise<Documented[]> {
  const self = createSelfMetrics(
    { version: '', revision: '', nodeVersion: '' },
    { shard: { ordinal: 0, total: 1 }, externalUrl: '' },
  );
  self.observe('any');
  self.reloaded(true, 0);
  const own = (await self.families())
    .filter(({ name }) => name.startsWith('cloud_'))
    .map(({ name, type, help, values }) => ({ name, type, help, labels: labelsOf(values) }));
  return [...cloudFamilies, ...own].map(({ name, type, help, labels }) => {
    const note = metricNotes[name];
    if (!note) throw new Error(`${name} has no note in metric-notes.ts`);
    return { name, type, help, labels, note };
  });
}

function labelsOf(values: readonly { labels: Readonly<Record<string, unknown>> }[]): string[] {
  const names = new Set(values.flatMap(({ labels }) => Object.keys(labels)));
  names.delete('le');
  return [...names];
}
