import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { overrideOf, readCatalogue, readRules, unknownNames } from '../dashboards/catalogue.ts';
import { readExpression } from '../dashboards/promql.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { run } from '../support/run.ts';
import { causes } from './causes.ts';
import { alertmanagerFile } from './notified.ts';

const alerts = readRules('alerts');
const recordings = readRules('recording');
const thresholds = readRules('thresholds');
const catalogue = await readCatalogue();
const names = [...new Set(alerts.map(({ alert }) => alert!))];
const runbook = readFileSync('dashboards/runbook.md', 'utf8');

describeWith(['promtool', 'amtool'], 'promtool and amtool', () => {
  it('find nothing wrong', async () => {
    const files = ['thresholds', 'recording', 'alerts'].map((name) => `dashboards/rules/${name}.yml`);
    const { stdout } = await run(pathOf('promtool'), ['check', 'rules', '--lint-fatal', ...files]);
    for (const { length } of [thresholds, recordings, alerts])
      expect(stdout).toContain(`SUCCESS: ${length} rules found`);
    expect((await run(pathOf('amtool'), ['check-config', alertmanagerFile])).stdout).toContain('SUCCESS');
  });
});

const recordedAddress =
  '{{ with query "url:cloud_exporter_external_url_info:max" }}{{ . | first | label "url" }}{{ end }}';

describe('every alert', () => {
  it('is one of 28, has a section of the runbook, and is seen to arrive', () => {
    expect(names).toHaveLength(28);
    const sections = [
      ...runbook.matchAll(/^## (Cloud\w+)\n\n\*\*Cause\.\*\* .*\n\n\*\*Check\.\*\* .*\n\n\*\*Cure\.\*\* /gm),
    ];
    expect(sections.map(([, name]) => name)).toEqual(names);
    const told = causes.flatMap(({ tells }) => tells.flatMap((text) => text.split(': ')[1]!.split(', ')));
    expect([...new Set([...told, 'CloudWatchdog'])].toSorted()).toEqual(names.toSorted());
  });

  it('says what is wrong and where, what to do first, and where to read more', () => {
    for (const { alert, labels, annotations } of alerts) {
      const { summary, description, runbook_url: link } = annotations!;
      expect(labels!['severity'], alert).toMatch(/^(critical|warning|info)$/);
      expect(labels!['concern'], alert).toMatch(/^(exporter|collection|fleet)$/);
      expect(summary, alert).toMatch(/^[A-Z].*\.$/);
      if (alert === 'CloudWatchdog') continue;
      expect(description, alert).toMatch(/\bFirst |First \{\{/);
      if (['CloudExporterDown', 'CloudNotObserved'].includes(alert!)) expect(link).toBeUndefined();
      else expect(link).toBe(`${recordedAddress}/runbook#${alert}`);
    }
  });
});

describe('every threshold', () => {
  it('is a number, and is in use with what a user may put in its place', () => {
    for (const { record, expr } of thresholds) {
      expect(expr).toMatch(/^vector\([\d.]+\)$/);
      const use = `scalar(max(${overrideOf(record!)}) or max(${record}))`;
      expect(
        [...alerts, ...recordings].some((rule) => rule.expr.includes(use)),
        record,
      ).toBe(true);
    }
  });
});

describe('every expression of a rule', () => {
  const rules = [...recordings, ...alerts];
  const numbers = thresholds.map(({ record }) => record!);
  const recorded = new Set([
    ...recordings.map(({ record }) => record!),
    ...numbers,
    ...numbers.map(overrideOf),
  ]);

  it('is PromQL, uses only what exists, asks for our job, and never for a status', () => {
    for (const { alert, record, expr } of rules) {
      const { errors, selectors, groupingLabels } = readExpression(expr);
      expect(errors, alert ?? record).toEqual([]);
      // A storm is recorded by exporter, and the catalogue has such labels of scraped series only.
      const unknown = unknownNames(expr, catalogue).filter((name) => !name.endsWith('{instance}'));
      expect(unknown, alert ?? record).toEqual([]);
      for (const { metric, matchers } of selectors) {
        const job = matchers.filter(({ label }) => label === 'job');
        const ours = { label: 'job', operator: '=~', value: 'cloud-platform-exporter.*' };
        expect(job, alert ?? record).toEqual(recorded.has(metric) ? [] : [ours]);
        expect(matchers.map(({ label }) => label)).not.toContain('status');
      }
      expect(groupingLabels).not.toContain('status');
    }
  });
});
