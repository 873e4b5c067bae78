import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { withVariables } from './dashboards/boards.ts';
import type { RuleFile } from './dashboards/catalogue.ts';
import { readExpression } from './dashboards/promql.ts';
import { describeWith, pathOf } from './support/real-parts.ts';
import { run } from './support/run.ts';
import { temporaryFolder } from './support/simulated.ts';

const dashboards = resolve('dashboards');

type Group = RuleFile['groups'][number];
interface Board {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}
interface Rendered {
  readonly alerts: readonly Group[];
  readonly recordings: readonly Group[];
  readonly boards: Readonly<Record<string, Board>>;
}

async function jsonnet<Result>(expression: string): Promise<Result> {
  const { stdout } = await run(pathOf('jsonnet'), ['-e', expression], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as Result;
}

/** What the mixin of a folder gives, with changes written in jsonnet. */
async function render(folder: string, changes = '{}'): Promise<Rendered> {
  return jsonnet(`
    local mixin = (import '${join(folder, 'mixin.libsonnet')}') + ${changes};
    {
      alerts: mixin.prometheusAlerts.groups,
      recordings: mixin.prometheusRules.groups,
      boards: mixin.grafanaDashboards,
    }`);
}

/** Readers of YAML do not agree where a long line is broken, and PromQL does not mind. */
const inOneLine = (groups: readonly Group[]): unknown =>
  JSON.parse(JSON.stringify(groups).replaceAll(/(?:\\n| )+/g, ' '));

/** Every query of a board, wherever it stands. */
function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'expr' && typeof inner === 'string' ? [inner] : expressionsIn(inner),
  );
}

async function expectAccepted({ alerts, recordings }: Rendered): Promise<void> {
  const file = join(await temporaryFolder(), 'rules.json');
  await writeFile(file, JSON.stringify({ groups: [...alerts, ...recordings] }));
  expect((await run(pathOf('promtool'), ['check', 'rules', file])).stdout).toContain('SUCCESS');
}

describeWith(['jsonnet', 'promtool'], 'the mixin', () => {
  it('gives the rules and boards of the plain files, as they are', async () => {
    const { alerts, recordings, boards } = await render(dashboards);
    const groupsOf = async (name: string) =>
      (parse(await readFile(join(dashboards, `rules/${name}.yml`), 'utf8')) as RuleFile).groups;
    expect(inOneLine(alerts)).toEqual(inOneLine(await groupsOf('alerts')));
    const recording = [...(await groupsOf('recording')), ...(await groupsOf('thresholds'))];
    expect(inOneLine(recordings)).toEqual(inOneLine(recording));
    const names = (await readdir(dashboards)).filter((name) => name.endsWith('.json'));
    expect(Object.keys(boards).toSorted()).toEqual(names.toSorted());
    for (const name of names)
      expect(boards[name], name).toEqual(JSON.parse(await readFile(join(dashboards, name), 'utf8')));
  });

  it('asks for other series where the configuration says so', async () => {
    const rendered = await render(dashboards, `{ _config+:: { selector: 'job="clouds", team="a"' } }`);
    const alerts = rendered.alerts.flatMap(({ rules }) => rules);
    // Names of groups and the program's own command stay.
    const texts = alerts.map(({ expr, annotations }) => ({ expr, annotations }));
    const told = JSON.stringify([texts, rendered.recordings]);
    expect(told).not.toMatch(/job=~|starts with cloud-platform-exporter/);
    const down = alerts.find(({ alert }) => alert === 'CloudExporterDown');
    expect(down?.expr).toContain('up{job="clouds", team="a"}');
    await expectAccepted(rendered);
  });

  it('keeps the clusters of one store apart, in every sum and on every board', async () => {
    const rendered = await render(dashboards, `{ _config+:: { clusterLabel: 'cluster' } }`);
    await expectAccepted(rendered);
    const rules = rendered.recordings.flatMap((group) => group.rules);
    const sums = rules.filter(({ expr }) => / by \(/.test(expr));
    expect(sums.length).toBeGreaterThan(20);
    for (const { record, expr } of sums) expect(expr, record).not.toMatch(/\b(by|on) \((?!cluster)/);
    for (const board of Object.values(rendered.boards)) {
      const variables = board.templating.list.map(({ name }) => name);
      expect(variables.slice(0, 3)).toEqual(['datasource', 'cluster', 'job']);
      for (const expr of expressionsIn(board).filter((text) => !text.includes('ALERTS'))) {
        const { errors, selectors } = readExpression(withVariables(expr));
        expect(errors, expr).toEqual([]);
        const apart = selectors.filter(({ metric }) => !metric.startsWith('cloud:threshold'));
        for (const { matchers } of apart)
          expect(matchers, expr).toContainEqual(expect.objectContaining({ label: 'cluster' }));
      }
    }
  });

  it('names, tags and refreshes the boards as the configuration says, and leads to another runbook', async () => {
    const { alerts, boards } = await render(
      dashboards,
      `{ _config+:: {
        dashboardTags: ['ours'], dashboardPrefix: 'Ours / ', dashboardRefresh: '5m',
        selector: 'job="clouds"', runbookBase: 'https://wiki.example.com/alerts/',
      } }`,
    );
    expect(boards['fleet.json']).toMatchObject({ title: 'Ours / Fleet', tags: ['ours'], refresh: '5m' });
    // Growth no more often than before.
    expect(boards['growth.json']).toMatchObject({ title: 'Ours / Growth', refresh: '15m' });
    const job = boards['host.json']!.templating.list.find(({ name }) => name === 'job');
    expect(job?.query).toContain('job="clouds"');
    for (const { alert, annotations } of alerts.flatMap(({ rules }) => rules).filter(({ alert }) => alert))
      expect(annotations!['runbook_url']).toBe(`https://wiki.example.com/alerts/${alert!}`);
  });

  it('has each recorded threshold as configuration, and names those there are when one is misspelt', async () => {
    // With a threshold of which only this test knows.
    const folder = join(await temporaryFolder(), 'dashboards');
    await cp(dashboards, folder, { recursive: true });
    const rule = "{ record: 'cloud:threshold:patience', expr: vector(0.05) }";
    const group = `\n  - { name: cloud-platform-exporter.more, rules: [${rule}] }\n`;
    await appendFile(join(folder, 'rules/thresholds.yml'), group);
    const patienceWith = async (thresholds: string) => {
      const { recordings } = await render(folder, `{ _config+:: { thresholds+: ${thresholds} } }`);
      const rules = recordings.flatMap(({ rules }) => rules);
      return rules.find(({ record }) => record === 'cloud:threshold:patience')?.expr;
    };
    expect(await patienceWith('{}')).toBe('vector(0.05)');
    expect(await patienceWith('{ patience: 1209600 }')).toBe('vector(1209600)');
    expect(await patienceWith(`{ patience: '14 * 86400' }`)).toBe('vector(14 * 86400)');
    const words = /no threshold is called patients; there are: .*patience/;
    await expect(patienceWith('{ patients: 1 }')).rejects.toThrow(words);
  });
});
