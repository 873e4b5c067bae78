import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { cloudFamilies } from '../../src/metrics/page.ts';
import { createSelfMetrics } from '../../src/metrics/self.ts';
import { readExpression } from './promql.ts';

/** Every metric that an expression may use, with the labels that it can have. */
export type Catalogue = ReadonlyMap<string, ReadonlySet<string>>;

/** Labels that come with the target, not from the exporter; `pod` and `namespace` only in Kubernetes. */
export const targetLabels = ['job', 'instance', 'pod', 'namespace'];

const fromPrometheus = ['up', 'scrape_duration_seconds', 'scrape_timeout_seconds', 'scrape_samples_scraped'];

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

export function readRules(name: 'thresholds' | 'recording' | 'alerts'): readonly Rule[] {
  const text = readFileSync(`dashboards/rules/${name}.yml`, 'utf8');
  return (parse(text) as RuleFile).groups.flatMap(({ rules }) => rules);
}

export async function readCatalogue(): Promise<Catalogue> {
  const catalogue = new Map<string, ReadonlySet<string>>();
  const add = (name: string, labels: readonly string[]) =>
    catalogue.set(name, new Set([...(catalogue.get(name) ?? []), ...labels]));
  for (const name of fromPrometheus) add(name, targetLabels);
  const alerts = ['alertname', 'alertstate', 'severity', 'cloud', 'zone', 'host'];
  for (const name of ['ALERTS', 'ALERTS_FOR_STATE']) add(name, [...alerts, ...targetLabels]);
  add('cloud_exporter_external_url_info', ['url', ...targetLabels]);
  for (const { name, labels } of cloudFamilies) add(name, [...labels, ...targetLabels]);
  const build = { version: '0.0.0-test', revision: '', nodeVersion: process.version };
  const self = createSelfMetrics(build, { shard: { ordinal: 0, total: 2 }, externalUrl: 'https://x' });
  // As a scrape shows them: labels with known values are there from the start.
  self.observe('any');
  for (const { name, values } of await self.families())
    for (const { metricName = name, labels } of values)
      add(metricName, [...Object.keys(labels), ...targetLabels]);
  for (const { record } of readRules('thresholds'))
    for (const name of [record!, overrideOf(record!)]) add(name, []);
  for (const rule of readRules('recording')) add(rule.record!, labelsOf(rule, catalogue));
  return catalogue;
}

/** What a user records to put another number in the place of a threshold. */
export function overrideOf(threshold: string): string {
  return threshold.replace('cloud:threshold:', 'cloud:threshold_override:');
}

/** What is recorded has the labels by which it is summed, those of the sums that it is made of, and its own. */
function labelsOf({ expr, labels = {} }: Rule, catalogue: Catalogue): string[] {
  const { groupingLabels, selectors } = readExpression(expr);
  const recorded = selectors.filter(({ metric }) => metric.includes(':'));
  const inherited = recorded.flatMap(({ metric }) => [...(catalogue.get(metric) ?? [])]);
  const targets = new Set(targetLabels);
  return [...groupingLabels, ...inherited, ...Object.keys(labels)].filter((label) => !targets.has(label));
}

/** What an expression uses that does not exist. */
export function unknownNames(text: string, catalogue: Catalogue): string[] {
  const { selectors, groupingLabels } = readExpression(text);
  // Labels that an expression makes itself.
  const made = [...text.matchAll(/, "(\w+)", "/g)].map((match) => match[1]!);
  const known = new Set([...targetLabels, ...made]);
  const unknown: string[] = [];
  for (const { metric, matchers } of selectors) {
    const labels = catalogue.get(metric);
    if (!labels) unknown.push(metric);
    for (const label of labels ?? []) known.add(label);
    for (const { label } of matchers) if (labels && !labels.has(label)) unknown.push(`${metric}{${label}}`);
  }
  return [...unknown, ...groupingLabels.filter((label) => !known.has(label))];
}
