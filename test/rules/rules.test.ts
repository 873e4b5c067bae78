import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  overrideOf,
  readCatalogue,
  readRules,
  unknownNames,
  type RuleFile,
} from '../dashboards/catalogue.ts';
import { readExpression } from '../dashboards/promql.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { temporaryFolder } from '../support/simulated.ts';

const run = promisify(execFile);
const alerts = readRules('alerts');
const recordings = readRules('recording');
const thresholds = readRules('thresholds');
const catalogue = await readCatalogue();
const testFiles = readdirSync('test/rules').filter((name) => name.endsWith('.yml'));

interface AlertCase {
  readonly alertname: string;
  readonly exp_alerts: readonly {
    readonly exp_labels: { readonly severity: string; readonly concern: string };
  }[];
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly AlertCase[];
    readonly promql_expr_test?: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[];
  }[];
}

const cases = testFiles.flatMap(
  (name) => (parse(readFileSync(`test/rules/${name}`, 'utf8')) as RuleTests).tests,
);
const alertCases = cases.flatMap(({ alert_rule_test: tests = [] }) => tests);
const alertTitles = alerts.map(({ alert, labels }) => ({ alert: alert!, severity: labels!['severity']! }));

describeWith(['promtool'], 'promtool', () => {
  it('finds nothing wrong with the rules', async () => {
    const files = ['thresholds', 'recording', 'alerts'].map((name) => `dashboards/rules/${name}.yml`);
    const { stdout } = await run(pathOf('promtool'), ['check', 'rules', '--lint-fatal', ...files]);
    for (const { length } of [thresholds, recordings, alerts])
      expect(stdout).toContain(`SUCCESS: ${length} rules found`);
  });

  // Side by side, because a file takes one core for seconds.
  it.concurrent.each(testFiles)(
    'sees the alerts of %s, with the labels and texts they must have',
    async (name) => {
      const env = { ...process.env, GOGC: '400' };
      const { stdout } = await run(pathOf('promtool'), ['test', 'rules', `test/rules/${name}`], { env });
      expect(stdout).toContain('SUCCESS');
    },
  );
});

describe('the rule tests', () => {
  it.each(alertTitles)('see $alert ($severity) fire, and stay silent', ({ alert, severity }) => {
    const fires = alertCases
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts: expected }) =>
        expected.some(({ exp_labels: labels }) => labels.severity === severity),
      );
    expect(fires).toContain(true);
    expect(fires).toContain(false);
  });

  it('name no alert that does not exist', () => {
    const named = new Set(alertCases.map(({ alertname }) => alertname));
    expect([...named].toSorted()).toEqual([...new Set(alertTitles.map(({ alert }) => alert))].toSorted());
  });

  it('see no exporter in an alert that is not about one: another exporter must not start it anew', () => {
    const seen = alertCases.flatMap(({ exp_alerts: expected }) =>
      expected.map(({ exp_labels: labels }) => labels),
    );
    const others = seen.filter(({ concern }) => concern !== 'exporter');
    expect(others.length).toBeGreaterThan(30);
    for (const labels of others)
      for (const name of ['job', 'instance', 'pod']) expect(labels).not.toHaveProperty(name);
  });

  it('see each recorded series', () => {
    const samples = cases.flatMap(({ promql_expr_test: tests = [] }) =>
      tests.flatMap((one) => one.exp_samples),
    );
    const seen = new Set(samples.map(({ labels }) => labels.replace(/\{.*/, '')));
    const recorded = new Set(recordings.map(({ record }) => record!));
    expect([...seen].toSorted()).toEqual([...recorded].toSorted());
  });
});

describe('every alert', () => {
  const runbook = readFileSync('dashboards/runbook.md', 'utf8');
  const sections = new Map(
    runbook
      .split(/^## /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text]),
  );

  it.each(alerts)('$alert has a severity, a concern, a duration and texts', (rule) => {
    expect(rule.alert).toMatch(/^Cloud([A-Z][a-z]+)+$/);
    expect(rule.for).toMatch(/^\d+[mh]$/);
    expect(rule.labels).toEqual({
      severity: expect.stringMatching(/^(critical|warning|info)$/),
      concern: expect.stringMatching(/^(exporter|collection|fleet)$/),
    });
    expect(Object.keys(rule.annotations!).toSorted()).toEqual(['description', 'runbook_url', 'summary']);
    expect(rule.annotations!['summary']).toMatch(/^[A-Z][^{}]*\.$/);
    expect(rule.annotations!['description']).toMatch(/\.$/);
  });

  it.each(alerts)('$alert names in its description what is concerned', ({ alert, labels, annotations }) => {
    const { description } = annotations!;
    const isAboutAll = ['CloudExporterAbsent', 'CloudThresholdsMissing'].includes(alert!);
    if (isAboutAll) expect(description).toMatch(/cloud-platform-exporter|thresholds\.yml/);
    else if (labels!['concern'] === 'exporter')
      expect(description).toMatch(/\$labels\.(cloud|instance|job) /);
    else expect(description).toContain('{{ $labels.cloud }}');
  });

  it.each(alerts)('$alert says since when, and what to do first', ({ annotations }) => {
    const { description } = annotations!;
    expect(description).toMatch(/or longer|[Ww]ithin|ago|since|humanizeTimestamp|humanizeDuration|days/);
    expect(description).toMatch(/\. First [a-z].+\.$/);
  });

  it.each(alerts)('$alert has its section in the runbook, and a link to it', ({ alert, annotations }) => {
    expect(annotations!['runbook_url']).toBe(`dashboards/runbook.md#${alert!.toLowerCase()}`);
    const section = sections.get(alert!);
    for (const part of ['**Cause.**', '**Check.**', '**Cure.**']) expect(section).toContain(part);
  });

  it('links to another runbook after the one line that the runbook has for it', async () => {
    const [, command = ''] = /```sh\n(sed .*)\n```/.exec(runbook)!;
    const folder = await temporaryFolder();
    await cp('dashboards/rules', join(folder, 'rules'), { recursive: true });
    await run('sh', ['-c', command], { cwd: folder });
    const changed = parse(readFileSync(join(folder, 'rules/alerts.yml'), 'utf8')) as RuleFile;
    const links = changed.groups.flatMap(({ rules }) =>
      rules.map(({ annotations }) => annotations!['runbook_url']),
    );
    expect(links).toEqual(
      alerts.map(({ alert }) => `https://wiki.example.com/cloud-runbook#${alert!.toLowerCase()}`),
    );
  });

  it('is in the runbook in the order of the rules, and nothing else is', () => {
    expect([...sections.keys()]).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
  });
});

describe('every threshold', () => {
  it.each(thresholds)('$record is a number, and is in use with what a user may put in its place', (rule) => {
    expect(rule.record).toMatch(/^cloud:threshold:[a-z_]+$/);
    expect(rule.expr).toMatch(/^vector\([\d.]+\)$/);
    const use = `scalar(max(${overrideOf(rule.record!)}) or max(${rule.record}))`;
    expect(alerts.filter(({ expr }) => expr.includes(use))).not.toEqual([]);
  });

  it('is the only number that an alert compares with, but for 0 and 1', () => {
    const compared = alerts.flatMap(({ expr }) => [...expr.matchAll(/(?:[<>]=?|==|!=)\s*(\d[\d.]*)/g)]);
    expect(compared.length).toBeGreaterThan(10);
    for (const [, number] of compared) expect(['0', '1']).toContain(number);
  });
});

describe('every expression of a rule', () => {
  const rules = [...recordings, ...alerts].map(({ alert, record, expr }) => ({
    name: alert ?? record!,
    expr,
  }));
  const names = thresholds.map(({ record }) => record!);
  const recorded = new Set([...recordings.map(({ record }) => record!), ...names, ...names.map(overrideOf)]);

  it.each(rules)('of $name is PromQL', ({ expr }) => {
    expect(readExpression(expr).errors).toEqual([]);
  });

  it.each(rules)('of $name uses only metrics and labels that exist', ({ expr }) => {
    expect(unknownNames(expr, catalogue)).toEqual([]);
  });

  it.each(rules)('of $name asks for our job, and never for a status', ({ expr }) => {
    const { selectors, groupingLabels } = readExpression(expr);
    for (const { metric, matchers } of selectors) {
      const job = matchers.filter(({ label }) => label === 'job');
      const ours = { label: 'job', operator: '=~', value: 'cloud-platform-exporter.*' };
      expect(job).toEqual(recorded.has(metric) ? [] : [ours]);
      expect(matchers.map(({ label }) => label)).not.toContain('status');
    }
    expect(groupingLabels).not.toContain('status');
  });
});
