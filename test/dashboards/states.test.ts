import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/real-parts.ts';
import { startVictoriaMetrics } from '../support/real-programs.ts';
import { green } from '../../dashboards/look.ts';
import { needs } from '../../dashboards/absence.ts';
import { boards, lookOf, openPanelsOf, panelsOf, queriesOf, substitute, type Values } from './boards.ts';
import { readRules } from './catalogue.ts';
import { readExpression } from './promql.ts';
import { ask, openHistory } from './timeline/open-history.ts';
import { dayMs, growth, minuteMs, planStates, type Moments } from './timeline/plan.ts';
import { storeHistory, type Sample } from './timeline/record.ts';
import { clouds, exporters, job, tellTimeline } from './timeline/tell.ts';

const sizes = { demo: 80, lab: 40, paris: 40 };
const all: Values = { job, exporter_job: job, project: ['web', 'system'] };

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

async function askAt(url: string, query: string, atMs: number): Promise<Series[]> {
  type Answer = Pick<Series, 'metric'> & { value: [number, string] };
  const found = await ask<Answer>(url, 'query', { query, time: String(atMs / 1000) });
  const numbers = found.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  return numbers.filter(({ value }) => !Number.isNaN(value));
}

const valuesOf = (series: readonly Series[]) => series.map(({ value }) => value);
const cloudsOf = (series: readonly Series[]) => new Set(series.map(({ metric }) => metric['cloud']));

/** Of a server, or of another row of a table: without labels that only one column brings. */
function keyOf({ metric: { cloud, id, ...others } }: Series): string {
  if (id !== undefined) return `${cloud} ${id}`;
  const own = Object.entries(others).filter(
    ([label]) => !/^(runbook|reason|version|node_version)$/.test(label),
  );
  return JSON.stringify({ cloud, ...Object.fromEntries(own) });
}

/** Every query of every board, with its panel. */
const everyQuery = boards.flatMap((board) =>
  panelsOf(board).flatMap((panel) =>
    queriesOf(panel).map((query) => ({ ...query, board, panel, title: `${board.title}: ${query.title}` })),
  ),
);

interface Look {
  readonly thresholds?: { readonly steps: readonly { value: number | null; color: string }[] };
  readonly mappings?: readonly { readonly options: Readonly<Record<string, { color?: string }>> }[];
}

/** A tile, and the colour of a number in it. */
const tiles = everyQuery
  .filter(({ panel: { type } }) => type === 'stat')
  .map(({ board, panel, name, expr, refId }) => {
    const { thresholds, mappings = [] } = lookOf(panel, refId) as Look;
    const colourOf = (number: number) =>
      mappings[0]?.options[String(number)]?.color ??
      thresholds?.steps.findLast(({ value }) => value === null || value <= number)?.color;
    return { board, expr, colourOf, name: `${board.title}: ${panel.title}: ${name}` };
  });

describeWith(['prometheus', 'promtool'], 'the boards, asked of a real Prometheus,', () => {
  let folder: string;
  let store: Awaited<ReturnType<typeof openHistory>>;
  let moments: Moments;
  let history: readonly Sample[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'boards-'));
    const plan = planStates(Math.floor(Date.now() / minuteMs) * minuteMs);
    ({ moments } = plan);
    history = await storeHistory(folder, await tellTimeline(folder, plan.steps, sizes));
    store = await openHistory(folder);
  });

  afterAll(async () => {
    await store?.stop();
    await rm(folder, { recursive: true });
  });

  const told = (board: Dashboard, expr: string, atMs: number, values: Values = {}) =>
    askAt(store.url, substitute(expr, board, { ...all, ...values }), atMs);

  /** What one query of a panel answers. */
  function show(board: string, panel: string, name: string, atMs: number): Promise<Series[]> {
    const query = everyQuery.find(
      (each) => each.board.title === `Cloud: ${board}` && each.panel.title === panel && each.name === name,
    )!;
    return told(query.board, query.expr, atMs);
  }

  /** The tiles that would be green at that moment; cells of tables never are. */
  async function greenAt(atMs: number, values: Values = {}): Promise<string[]> {
    const found: string[] = [];
    for (const { board, name, expr, colourOf } of tiles) {
      const colours = (await told(board, expr, atMs, values)).map(({ value }) => colourOf(value));
      if (colours.includes(green)) found.push(name);
    }
    return found;
  }

  it.each([
    { moment: 'healthy', clouds: 0, exporters: 0, named: [], oldest: [0, 60] },
    { moment: 'cloudDown', clouds: 1, exporters: 0, named: ['lab'], oldest: [1200, Infinity] },
    { moment: 'exporterGone', clouds: 3, exporters: 1, named: clouds.slice(0, 2), oldest: [1200, Infinity] },
  ] as const)('count and name what is down, and how old numbers are: $moment', async (expected) => {
    const tile = (name: string) =>
      show('Fleet', 'Can these numbers be trusted?', name, moments[expected.moment]);
    expect(valuesOf(await tile('Clouds down'))).toEqual([expected.clouds]);
    expect(valuesOf(await tile('Exporters down'))).toEqual([expected.exporters]);
    // No more than have width to be read.
    expect(cloudsOf(await tile('{{cloud}} is down for')).size).toBe(expected.named.length);
    const [oldest] = valuesOf(await tile('Oldest numbers'));
    expect(oldest).toBeGreaterThanOrEqual(expected.oldest[0]);
    expect(oldest).toBeLessThan(expected.oldest[1]);
  });

  it('show nothing green while a chosen cloud is down, but for exporters, their configuration and the age', async () => {
    expect(await greenAt(moments.healthy)).not.toEqual([]);
    for (const values of [{}, { cloud: 'lab' }]) {
      const found = await greenAt(moments.cloudDown, values);
      expect(found.filter((name) => !/: (Exporters down|Oldest sync)$/.test(name))).toEqual([]);
    }
  });

  it('show nothing green when every exporter is gone, and no number at all on an empty Prometheus', async () => {
    expect(await greenAt(moments.exporterGone)).toEqual([]);
    expect(await greenAt(moments.empty, { exporter_job: '' })).toEqual([]);
    for (const { board, panel, title, expr } of everyQuery)
      if (panel.type !== 'timeseries')
        expect(await told(board, expr, moments.empty, { exporter_job: '' }), title).toEqual([]);
  });

  const notes = everyQuery.filter(({ name }) => /note/.test(name));

  it('say in every table and chart why there is nothing: not read, not listed, or no exporter', async () => {
    expect(notes.length).toBeGreaterThan(45);
    const said = async (note: (typeof notes)[number], atMs: number, values: Values = {}, expr = note.expr) =>
      (await told(note.board, expr, atMs, values)).map(({ metric }) => metric['note'] ?? '').join();
    for (const note of notes) {
      const { panel, title, expr } = note;
      const isTable = panel.type === 'table';
      // What is of an exporter, or of an alert, is known all the same.
      if (!/Each|Firing/.test(title))
        expect(await said(note, moments.exporterGone), title).toMatch(/not known/i);
      const nobody = isTable ? String(panel.fieldConfig!.defaults.noValue) : await said(note, moments.empty);
      expect(nobody, title).toMatch(/no exporter/i);
      for (const { has, tile, cure } of Object.values(needs)) {
        const missing = substitute(has, note.board, all).replaceAll(/[{](?=.)/g, '{cloud="nowhere", ');
        const without = substitute(expr, note.board, all);
        if (!without.includes(substitute(has, note.board, all))) continue;
        const nothing = isTable
          ? without.replace(/ unless on \(\) count\((?!.* unless on \(\) count\().*$/s, '')
          : without;
        const text = await said(
          note,
          moments.healthy,
          {},
          nothing.replaceAll(substitute(has, note.board, all), missing),
        );
        expect(text, title).toContain(isTable ? cure : tile);
      }
    }
    const attention = notes.find(({ title }) => title.startsWith('Cloud: Lifecycle: Which servers'))!;
    expect(await said(attention, moments.healthy, { project: 'nobody' })).toBe('No server needs attention.');
    expect(await said(attention, moments.cloudDown, { project: 'nobody' })).toMatch(
      /^None in the clouds that are read/,
    );
  });

  /** What every panel answers, but for what is of each exporter or of the last hour. */
  async function everything(atMs: number, values: Values = {}) {
    const answers = new Map<string, string[]>();
    for (const { board, title, expr } of everyQuery) {
      if (/process_|nodejs_|scrape_|rate\(|increase\(|time\(\)|bottomk|token|build_info/.test(expr)) continue;
      // Which of equal ones are among the largest is chance.
      const found = await told(board, expr.replaceAll('topk(10,', 'topk(1000,'), atMs, values);
      answers.set(title, found.map((series) => JSON.stringify(series)).toSorted());
    }
    return answers;
  }

  it('show what the newer of two exporters tells, while the other serves what was three minutes ago', async () => {
    // Only the one that is up to date: its address stands beside the job in every selector.
    const [newer] = exporters;
    const alone = { job: `${job}", instance="${newer}` };
    const truth = async (query: string) => valuesOf(await askAt(store.url, query, moments.pair));
    const servers = await truth(`sum(cloud_servers{instance="${newer}"})`);
    // The two do not agree: taken together they would have more.
    const [twice] = await truth('sum(max without (instance) (cloud_servers))');
    expect(twice).toBeGreaterThan(servers[0]!);
    const [both, one] = [await everything(moments.pair), await everything(moments.pair, alone)];
    for (const [name, series] of one) expect(both.get(name), name).toEqual(series);
    expect(valuesOf(await show('Fleet', 'All servers', 'Servers', moments.pair))).toEqual(servers);
    const stopped = await truth(`sum(cloud_servers{state="stopped", instance="${newer}"})`);
    expect(valuesOf(await show('Fleet', 'Servers by state', 'stopped', moments.pair))).toEqual(stopped);
  });

  it('all find something on a good day, in no more rows and lines than are allowed, the others last', async () => {
    let tablesWithOthers = 0;
    for (const board of boards) {
      for (const panel of panelsOf(board)) {
        const name = `${board.title}: ${panel.title}`;
        const isTable = panel.type === 'table';
        const rows = new Set<string>();
        for (const { name: legend, expr } of queriesOf(panel).filter(({ name: of }) => !/note/.test(of))) {
          // With smaller limits there are others in a small history too.
          const fewer = expr.replaceAll(/topk\(\d\d,/g, 'topk(2,').replaceAll('- 29 >', '- 2 >');
          const answers = await told(board, fewer, moments.healthy);
          for (const series of answers) rows.add(`${isTable ? '' : legend} ${keyOf(series)}`);
          // Columns meet in rows of the same labels, and rows stand in the order of the first query.
          if (isTable) for (const { metric } of answers) expect(metric, name).not.toHaveProperty('__name__');
          if (legend !== 'order') continue;
          expect([...rows].join(), name).not.toContain('others');
          expect(valuesOf(answers), name).toEqual(valuesOf(answers).toSorted((one, other) => other - one));
        }
        // On such a day nothing fails, and nobody logs in again.
        if (!/Failed|Retries|Logins/.test(name)) expect(rows.size, name).toBeGreaterThan(0);
        if (isTable && [...rows].join().includes('others')) tablesWithOthers += 1;
        const isBounded = /topk\(\d\d,/.test(JSON.stringify(panel.targets));
        // With two of each kind, the others, and a few lines of another kind beside them.
        expect(rows.size, name).toBeLessThanOrEqual(isTable ? 3 : isBounded ? 12 : 30);
      }
    }
    expect(tablesWithOthers).toBeGreaterThan(15);
  });

  it('cost at most 2500 series each with three clouds', async () => {
    for (const board of boards) {
      const selectors = new Set<string>();
      for (const { expr } of openPanelsOf(board).flatMap(queriesOf)) {
        for (const { metric, matchers } of readExpression(substitute(expr, board, all)).selectors) {
          const texts = matchers.map(({ label, operator, value }) => `${label}${operator}"${value}"`);
          selectors.add(`${metric}{${texts.join(',')}}`);
        }
      }
      let series = 0;
      for (const selector of selectors) {
        const [count] = await askAt(store.url, `count(${selector})`, moments.healthy);
        series += count?.value ?? 0;
      }
      expect(series, board.title).toBeLessThanOrEqual(2500);
    }
  });

  it('tell of changes only with a day of history, and of less beside more', async () => {
    const change = async (moment: keyof Moments) =>
      valuesOf(await show('Fleet', 'Projects that changed most within a day', 'Servers', moments[moment]));
    expect(await change('cloudDown')).toEqual([]);
    expect(await change('exporterGone')).toEqual([]);
    const values = await change('healthy');
    expect(values.filter((value) => value < 0)).toEqual([-1]);
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(growth[1] * clouds.length - 1);
  });

  it('show growth over 7, 30 and 90 days, and what follows from it', async () => {
    const rows = await show('Growth', 'vCPUs by project', 'Now', moments.healthy);
    const key = keyOf(rows.find(({ metric }) => metric['cloud'] === 'paris')!);
    const of = async (column: string) => {
      const found = await show('Growth', 'vCPUs by project', column, moments.healthy);
      return found.find((row) => keyOf(row) === key)?.value ?? 0;
    };
    const [now, month] = [await of('Now'), await of('30 days')];
    expect(await of('7 days')).toBeLessThanOrEqual(month);
    expect(await of('90 days')).toBeGreaterThanOrEqual(month);
    expect(await of('In a quarter')).toBe(now + 3 * month);
    expect(await of('Doubles in')).toBeCloseTo(month === 0 ? 0 : (30 * 86_400 * now) / month, 0);
  });

  it('name who is down and why, and what is full before what is not', async () => {
    const down = await show('Exporter', 'Each cloud', 'State', moments.cloudDown);
    expect(down.find(({ value }) => value === 0)!.metric).toMatchObject({
      cloud: 'lab',
      reason: 'unauthorized',
    });
    const gone = await show('Exporter', 'Each cloud', 'State', moments.exporterGone);
    expect(new Set(gone.map(({ metric, value }) => `${value} ${metric['reason']}`))).toEqual(
      new Set(['0 exporter down']),
    );
    expect(valuesOf(await show('Exporter', 'Each exporter', 'State', moments.exporterGone))).toEqual([0]);
    expect(valuesOf(await show('Exporter', 'Clouds up and down', '{{cloud}}', moments.exporterGone))).toEqual(
      [0, 0, 0],
    );
    const [full] = await show('Host', 'Storages: down, then the fullest', 'Promised', moments.healthy);
    expect(full).toBeDefined();
    const [tile] = valuesOf(await show('Host', 'Hosts and storages', 'Storages full', moments.healthy));
    expect(tile).toBeGreaterThan(0);
    const alerts = await show('Fleet', 'Firing alerts', 'Severity', moments.healthy);
    expect(alerts.map(({ metric }) => metric['alertname'])).not.toContain('CloudWatchdog');
    expect(alerts[0]!.metric['runbook']).toMatch(/^http.*\/runbook$/);
  });

  it('name each server that needs attention once, with all its problems, the most urgent first', async () => {
    const column = (name: string) => show('Lifecycle', 'Which servers', name, moments.healthy);
    const rows = await column('Urgency');
    const keys = rows.map(keyOf).toSorted();
    expect(new Set(keys).size).toBe(keys.length);
    expect(rows.map(({ metric }) => metric['problems'])).toContain('Host down, Failed');
    const order = (await column('order')).map(keyOf);
    const urgencies = order.map((key) => rows.find((row) => keyOf(row) === key)!.value);
    expect(urgencies).toEqual(urgencies.toSorted((one, other) => other - one));
    expect((await column('When')).map(keyOf).toSorted()).toEqual(keys);
    const ends = await show('Lifecycle', 'Expired and expiring, by name', 'Ends', moments.healthy);
    expect(ends.length).toBeGreaterThanOrEqual(3);
    expect(ends.every(({ metric }) => metric['name'] !== undefined)).toBe(true);
  });

  it('count a server under the worst of its problems', async () => {
    const tiles = everyQuery.filter(
      ({ panel }) => panel.title === 'Servers that need attention, each counted once',
    );
    let counted = 0;
    for (const { board, expr } of tiles) counted += (await told(board, expr, moments.healthy))[0]!.value;
    const named = 'count(count by (cloud, id) (cloud_server_problem{project=~"web|system"}))';
    expect([counted]).toEqual(valuesOf(await askAt(store.url, named, moments.healthy)));
  });

  it('call as many zones short of a host as their alert does', async () => {
    const { expr } = readRules('alerts').find(({ alert }) => alert === 'CloudZoneFullWithoutHost')!;
    const zones = `count(count by (cloud, region, zone) (${expr})) or vector(0)`;
    const shown = await show('Host', 'Hosts and storages', 'Zones without spare', moments.healthy);
    expect(valuesOf(shown)).toEqual(valuesOf(await askAt(store.url, zones, moments.healthy)));
  });

  describeWith(['victoria-metrics'], 'and of a real VictoriaMetrics,', () => {
    it('find as much in the one as in the other', async () => {
      const config = join(folder, 'nothing-to-scrape.yml');
      await writeFile(config, '{}');
      const url = await startVictoriaMetrics(folder, config);
      // It keeps a month.
      const recent = history.filter(({ atMs }) => atMs > moments.healthy - 2 * dayMs);
      const body = recent.map(({ series, value, atMs }) => `${series} ${value} ${atMs}\n`).join('');
      expect((await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body })).ok).toBe(true);
      await fetch(`${url}/internal/force_flush`);
      for (const { board, title, expr } of everyQuery) {
        const there = await askAt(url, substitute(expr, board, all), moments.healthy);
        // It keeps no month, finds for some minutes what no longer fires, and looks further back for a rate.
        if (/offset (7|30|90)d|ALERTS|histogram_quantile/.test(expr)) continue;
        expect(there.length, title).toBe((await told(board, expr, moments.healthy)).length);
      }
    });
  });
});
