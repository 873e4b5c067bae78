import { execFile } from 'node:child_process';
import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExpression } from './dashboards/promql.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { temporaryFolder } from './support/simulated.ts';

const root = new URL('../', import.meta.url);
const dashboards = fileURLToPath(new URL('dashboards/', root));
const run = promisify(execFile);

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}
interface Board {
  readonly title: string;
  readonly tags: readonly string[];
  readonly refresh: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}
interface Rendered {
  readonly alerts: readonly Group[];
  readonly recordings: readonly Group[];
  readonly boards: Readonly<Record<string, Board>>;
}

async function jsonnet(expression: string): Promise<string> {
  const { stdout } = await run(pathOf('jsonnet'), ['-e', expression], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** What the mixin of a folder gives, with changes written in jsonnet. */
async function render(folder: string, changes = '{}'): Promise<Rendered> {
  const text = await jsonnet(`
    local mixin = (import '${join(folder, 'mixin.libsonnet')}') + ${changes};
    {
      alerts: mixin.prometheusAlerts.groups,
      recordings: mixin.prometheusRules.groups,
      boards: mixin.grafanaDashboards,
    }`);
  return JSON.parse(text) as Rendered;
}

async function groupsOfFiles(): Promise<Group[]> {
  const names = await readdir(join(dashboards, 'rules'));
  const files = names.filter((name) => name.endsWith('.yml')).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(dashboards, 'rules', name), 'utf8')));
  return texts.flatMap((text) => (parse(text) as { groups: Group[] }).groups);
}

/** A copy of the folder whose rules have a threshold of which only this test knows. */
async function copyWithThreshold(): Promise<string> {
  const folder = join(await temporaryFolder(), 'dashboards');
  await cp(dashboards, folder, { recursive: true });
  const rule = "{ record: 'cloud:threshold:patience', expr: vector(0.05) }";
  await appendFile(
    join(folder, 'rules/thresholds.yml'),
    `\n  - { name: cloud-platform-exporter.more, rules: [${rule}] }\n`,
  );
  return folder;
}

/** Readers of YAML do not agree where a long line is broken, and PromQL does not mind. */
function inOneLine(groups: readonly Group[]): unknown {
  return JSON.parse(JSON.stringify(groups).replaceAll(/(?:\\n| )+/g, ' '));
}

/** Every query of a board, wherever it stands. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'expr' && typeof inner === 'string' ? [inner] : expressionsIn(inner),
  );
}

function expressionOf(rendered: Rendered, record: string): string | undefined {
  return rendered.recordings.flatMap(({ rules }) => rules).find((rule) => rule.record === record)?.expr;
}

describeWith(['jsonnet', 'promtool'], 'the mixin', () => {
  it('gives the rules and boards of the plain files, as they are', async () => {
    const { alerts, recordings, boards } = await render(dashboards);
    const groups = await groupsOfFiles();
    const alerting = groups.filter(({ rules }) => rules.some(({ alert }) => alert !== undefined));
    expect(alerting.length).toBeGreaterThan(0);
    expect(inOneLine(alerts)).toEqual(inOneLine(alerting));
    expect(inOneLine(recordings)).toEqual(inOneLine(groups.filter((group) => !alerting.includes(group))));
    const names = (await readdir(dashboards)).filter((name) => name.endsWith('.json'));
    expect(Object.keys(boards).toSorted()).toEqual(names.toSorted());
    for (const name of names)
      expect(boards[name], name).toEqual(JSON.parse(await readFile(join(dashboards, name), 'utf8')));
  });

  it('asks for other series where the configuration says so, in rules that promtool accepts', async () => {
    const { alerts, recordings } = await render(
      dashboards,
      `{ _config+:: { selector: 'job="clouds", team="a"' } }`,
    );
    // Names of groups and the program's own command stay.
    const texts = alerts
      .flatMap(({ rules }) => rules)
      .map(({ expr, annotations }) => ({ expr, annotations }));
    expect(JSON.stringify([texts, recordings])).not.toMatch(/job=~|starts with cloud-platform-exporter/);
    const down = alerts.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'CloudExporterDown');
    expect(down?.expr).toContain('up{job="clouds", team="a"}');
    const file = join(await temporaryFolder(), 'rules.json');
    await writeFile(file, JSON.stringify({ groups: [...alerts, ...recordings] }));
    expect((await run(pathOf('promtool'), ['check', 'rules', file])).stdout).toContain('SUCCESS');
  });

  it('keeps the clusters of one store apart, in every sum and on every board', async () => {
    const { alerts, recordings, boards } = await render(
      dashboards,
      `{ _config+:: { clusterLabel: 'cluster' } }`,
    );
    const file = join(await temporaryFolder(), 'rules.json');
    await writeFile(file, JSON.stringify({ groups: [...alerts, ...recordings] }));
    expect((await run(pathOf('promtool'), ['check', 'rules', file])).stdout).toContain('SUCCESS');
    const sums = recordings.flatMap(({ rules }) => rules).filter(({ expr }) => / by \(/.test(expr));
    expect(sums.length).toBeGreaterThan(20);
    for (const { record, expr } of sums) expect(expr, record).not.toMatch(/\b(by|on) \((?!cluster)/);
    for (const board of Object.values(boards)) {
      expect(board.templating.list.map(({ name }) => name).slice(0, 3)).toEqual([
        'datasource',
        'cluster',
        'job',
      ]);
      const expressions = expressionsIn(board).filter((expr) => !expr.includes('ALERTS'));
      for (const expr of expressions) {
        const plain = expr
          .replaceAll('${measure}', 'cloud_servers')
          .replaceAll(/\$__(rate_)?(interval|range)/g, '5m')
          .replaceAll(/\$(vcpus|gibibytes)/g, '1');
        const { errors, selectors } = readExpression(plain);
        expect(errors, expr).toEqual([]);
        const apart = selectors.filter(({ metric }) => !metric.startsWith('cloud:threshold'));
        for (const { matchers } of apart)
          expect(
            matchers.map(({ label }) => label),
            expr,
          ).toContain('cluster');
      }
    }
  });

  it('names, tags and refreshes the boards as the configuration says, Growth no more often than before', async () => {
    const { boards } = await render(
      dashboards,
      `{ _config+:: { dashboardTags: ['ours'], dashboardPrefix: 'Ours / ', dashboardRefresh: '5m', selector: 'job="clouds"' } }`,
    );
    expect(boards['fleet.json']).toMatchObject({ title: 'Ours / Fleet', tags: ['ours'], refresh: '5m' });
    expect(boards['growth.json']).toMatchObject({ title: 'Ours / Growth', refresh: '15m' });
    expect(boards['host.json']!.templating.list.find(({ name }) => name === 'job')?.query).toContain(
      'job="clouds"',
    );
  });

  it('leads to another runbook where the configuration says so', async () => {
    const { alerts } = await render(
      dashboards,
      `{ _config+:: { runbookBase: 'https://wiki.example.com/alerts/' } }`,
    );
    for (const { alert, annotations } of alerts.flatMap(({ rules }) => rules).filter(({ alert }) => alert))
      expect(annotations!['runbook_url']).toBe(`https://wiki.example.com/alerts/${alert!}`);
  });

  it('has each recorded threshold as configuration, and names those there are when one is misspelt', async () => {
    const folder = await copyWithThreshold();
    const record = 'cloud:threshold:patience';
    expect(expressionOf(await render(folder), record)).toBe('vector(0.05)');
    const changed = (value: string) =>
      render(folder, `{ _config+:: { thresholds+: { patience: ${value} } } }`);
    expect(expressionOf(await changed('0.07'), record)).toBe('vector(0.07)');
    expect(expressionOf(await changed('1209600'), record)).toBe('vector(1209600)');
    expect(expressionOf(await changed(`'14 * 86400'`), record)).toBe('vector(14 * 86400)');
    await expect(render(folder, '{ _config+:: { thresholds+: { patients: 1 } } }')).rejects.toThrow(
      /no threshold is called patients; there are: .*patience/,
    );
  });

  it('can be added to another mixin', async () => {
    const other = `{ prometheusAlerts+:: { groups+: [{ name: 'theirs', rules: [] }] } }`;
    const file = join(dashboards, 'mixin.libsonnet');
    const text = await jsonnet(`(${other} + (import '${file}')).prometheusAlerts.groups`);
    const groups = (JSON.parse(text) as Group[]).map(({ name }) => name);
    expect(groups[0]).toBe('theirs');
    expect(groups.length).toBeGreaterThan(1);
  });
});
