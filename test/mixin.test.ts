import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderMixinFiles, writeMixinFiles } from '../tools/docs/mixin-files.ts';
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
interface Rendered {
  readonly alerts: readonly Group[];
  readonly recordings: readonly Group[];
  readonly boards: Readonly<Record<string, unknown>>;
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
  const project = await temporaryFolder();
  const folder = join(project, 'dashboards');
  await cp(join(dashboards, 'rules'), join(folder, 'rules'), { recursive: true });
  await cp(join(dashboards, 'mixin.libsonnet'), join(folder, 'mixin.libsonnet'));
  await mkdir(join(folder, 'mixin'));
  const rule = `{ record: 'cloud:threshold:patience', expr: vector(0.05) }`;
  await writeFile(
    join(folder, 'rules/more.yml'),
    `groups: [{ name: cloud-platform-exporter.more, rules: [${rule}] }]`,
  );
  await writeMixinFiles(pathToFileURL(`${project}/`));
  return folder;
}

function expressionOf(rendered: Rendered, record: string): string | undefined {
  return rendered.recordings.flatMap(({ rules }) => rules).find((rule) => rule.record === record)?.expr;
}

it('what the mixin reads is what rules and boards are: otherwise run `npm run docs`', async () => {
  for (const [path, text] of await renderMixinFiles(root))
    expect(await readFile(new URL(path, root), 'utf8'), path).toBe(text);
});

describeWith(['jsonnet', 'promtool'], 'the mixin', () => {
  it('gives the rules and boards of the plain files, as they are', async () => {
    const { alerts, recordings, boards } = await render(dashboards);
    const groups = await groupsOfFiles();
    const alerting = groups.filter(({ rules }) => rules.some(({ alert }) => alert !== undefined));
    expect(alerting.length).toBeGreaterThan(0);
    expect(alerts).toEqual(alerting);
    expect(recordings).toEqual(groups.filter((group) => !alerting.includes(group)));
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
    expect(JSON.stringify([alerts, recordings])).not.toContain('job=~');
    const down = alerts.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'CloudExporterDown');
    expect(down?.expr).toContain('up{job="clouds", team="a"}');
    const file = join(await temporaryFolder(), 'rules.json');
    await writeFile(file, JSON.stringify({ groups: [...alerts, ...recordings] }));
    expect((await run(pathOf('promtool'), ['check', 'rules', file])).stdout).toContain('SUCCESS');
  });

  it('leads to another runbook where the configuration says so', async () => {
    const { alerts } = await render(
      dashboards,
      `{ _config+:: { runbookBase: 'https://wiki.example.com/alerts/' } }`,
    );
    for (const { alert, annotations } of alerts.flatMap(({ rules }) => rules).filter(({ alert }) => alert))
      if (annotations!['runbook_url'])
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
