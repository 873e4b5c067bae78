import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readRules } from '../../test/dashboards/catalogue.ts';

interface Expected {
  readonly exp_labels: Readonly<Record<string, string>>;
  readonly exp_annotations: Readonly<Record<string, string>>;
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly Expected[];
    }[];
  }[];
}

/** Every alert as the rule tests see it fire, by name and severity. */
function renderedAlerts(): Map<string, Expected> {
  const rendered = new Map<string, Expected>();
  for (const name of readdirSync('test/rules').filter((file) => file.endsWith('.yml'))) {
    const { tests } = parse(readFileSync(`test/rules/${name}`, 'utf8')) as RuleTests;
    const cases = tests.flatMap(({ alert_rule_test: checks = [] }) => checks);
    for (const { alertname, exp_alerts: alerts } of cases) {
      for (const alert of alerts) {
        const key = `${alertname} ${alert.exp_labels['severity']}`;
        if (!rendered.has(key)) rendered.set(key, alert);
      }
    }
  }
  return rendered;
}

/** What each alert says, how severe it is and how long it waits, in the order of the rules. */
export function alertTexts(): string {
  const rendered = renderedAlerts();
  const rules = readRules('alerts');
  const names = new Set(rules.map(({ alert }) => alert!));
  const parts = [...names].map((name) => {
    const grades = rules.filter(({ alert }) => alert === name);
    const texts = new Map<string, string[]>();
    for (const { labels, for: duration } of grades) {
      const { exp_annotations: says } = rendered.get(`${name} ${labels!['severity']}`)!;
      const text = `**${says['summary']}** ${says['description']}`;
      texts.set(text, [...(texts.get(text) ?? []), `${labels!['severity']} after ${duration}`]);
    }
    const lines = [...texts].map(([text, when]) => `- ${when.join(', ')}: ${text}`);
    return [`### ${name}`, ...lines, `[What to do](../dashboards/runbook.md#${name.toLowerCase()})`].join(
      '\n\n',
    );
  });
  return parts.join('\n\n');
}

/** Every number that alerts compare with, and which alert that is. */
export function thresholdTable(): string {
  const alerts = readRules('alerts');
  const rows = readRules('thresholds').map(({ record, expr }) => {
    const users = alerts.filter((alert) => alert.expr.includes(`max(${record})`));
    const names = new Set(users.map(({ alert }) => alert!));
    return `| \`${record!.replace('cloud:threshold:', '')}\` | ${expr.slice('vector('.length, -1)} | ${[...names].join(', ')} |`;
  });
  return ['| threshold | number | alert |', '| --- | --- | --- |', ...rows].join('\n');
}
