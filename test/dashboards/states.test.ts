import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { beforeAll, expect, it, afterAll } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { startVictoriaMetrics } from '../support/real-programs.ts';
import {
  askAt,
  boards,
  coloured,
  openPanelsOf,
  panelsOf,
  queriesOf,
  substitute,
  type Series,
  type Values,
} from './boards.ts';
import { readRules } from './catalogue.ts';
import { readExpression } from './promql.ts';
import { openHistory } from './timeline/open-history.ts';
import { dayMs, growth, minuteMs, planStates, type Moments } from './timeline/plan.ts';
import { storeHistory } from './timeline/record.ts';
import type { Sample } from './timeline/samples.ts';
import { clouds, exporters, job, tellTimeline } from './timeline/tell.ts';

const sizes = { demo: 80, lab: 40, paris: 40 };
const all: Values = { job, exporter_job: job, project: ['web', 'system'] };

describeWith(['prometheus', 'promtool'], 'the boards, asked of a real Prometheus,', () => {
  let folder: string;
  let store: Awaited<ReturnType<typeof openHistory>>;
  let moments: Moments;
  let history: readonly Sample[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'boards-'));
    const plan = planStates(Math.floor(Date.now() / minuteMs) * minuteMs);
    ({ moments } = plan);
    const programs = { prometheus: pathOf('prometheus'), promtool: pathOf('promtool') };
    history = await storeHistory(folder, await tellTimeline(plan.steps, sizes), programs);
    store = await openHistory(programs.prometheus, folder);
  });

  afterAll(async () => {
    await store?.stop();
    await rm(folder, { recursive: true });
  });

  const ofBoard = (title: string) => boards.find((board) => board.title === `Cloud: ${title}`)!;

  /** What one query of a panel answers. */
  async function ask(title: string, panelTitle: string, refId: string, atMs: number, values: Values = {}) {
    const board = ofBoard(title);
    const panel = panelsOf(board).find((each) => each.title === panelTitle)!;
    const query = queriesOf(panel).find((each) => each.refId === refId)!;
    return askAt(store.url, substitute(query.expr, board, { ...all, ...values }), atMs);
  }

  /** What the tiles of trust show, on every board the same. */
  async function trust(atMs: number, values: Values = {}) {
    const tiles = ['A', 'B', 'C', 'D'].map((refId) =>
      ask('Fleet', 'Can these numbers be trusted?', refId, atMs, values),
    );
    const [cloudsDown, exportersDown, oldest, named] = await Promise.all(tiles);
    const valuesOf = (series: readonly Series[] = []) => series.map(({ value }) => value);
    return {
      cloudsDown: valuesOf(cloudsDown),
      exportersDown: valuesOf(exportersDown),
      oldest: valuesOf(oldest),
      named: named!.map(({ metric }) => metric['cloud']),
    };
  }

  /** The tiles and columns that would be green at that moment. */
  async function green(atMs: number, values: Values = {}): Promise<string[]> {
    const found: string[] = [];
    for (const { board, name, expr, base, colourOf } of coloured) {
      const answers = await askAt(store.url, substitute(expr, board, { ...all, ...values }), atMs);
      const colours = answers.length === 0 ? [base] : answers.map(({ value }) => colourOf(value));
      if (colours.includes('green')) found.push(name);
    }
    return found;
  }

  it('begin with the same tiles of trust', () => {
    const [first, ...others] = boards.map((board) => queriesOf(panelsOf(board)[0]!));
    for (const other of others) expect(other).toEqual(first);
  });

  it('say on a good day that all clouds and exporters are there and that the numbers are fresh', async () => {
    const { oldest, ...others } = await trust(moments.healthy);
    expect(others).toEqual({ cloudsDown: [0], exportersDown: [0], named: [] });
    expect(oldest[0]).toBeLessThan(60);
    expect(await green(moments.healthy)).not.toEqual([]);
  });

  it('name the cloud that is down, and let the age of its numbers grow', async () => {
    const { oldest, ...others } = await trust(moments.cloudDown);
    expect(others).toEqual({ cloudsDown: [1], exportersDown: [0], named: ['lab'] });
    expect(oldest[0]).toBeGreaterThanOrEqual(20 * 60);
  });

  it('show nothing green for that cloud, but for its exporter, its token and the configuration', async () => {
    const found = await green(moments.cloudDown, { cloud: 'lab' });
    expect(found.filter((name) => !/: (Exporters down|Token left|Accepted)$/.test(name))).toEqual([]);
  });

  it('show nothing green when every exporter is gone, and count what is missing', async () => {
    expect(await green(moments.exporterGone)).toEqual([]);
    const { cloudsDown, exportersDown, oldest } = await trust(moments.exporterGone);
    expect([cloudsDown, exportersDown]).toEqual([[clouds.length], [1]]);
    expect(oldest[0]).toBeGreaterThanOrEqual(20 * 60);
  });

  it('show no number at all on an empty Prometheus, and nothing green', async () => {
    expect(await green(moments.empty, { exporter_job: '' })).toEqual([]);
    for (const { board, name, expr } of coloured) {
      const query = substitute(expr, board, { ...all, exporter_job: '' });
      expect(await askAt(store.url, query, moments.empty), name).toEqual([]);
    }
  });

  /** What every panel answers, but for what is of each exporter or of the last hour. */
  async function everything(atMs: number, values: Values = {}) {
    const answers = new Map<string, Series[]>();
    for (const board of boards) {
      for (const panel of panelsOf(board)) {
        for (const { title, expr } of queriesOf(panel)) {
          if (/process_|nodejs_|scrape_|rate\(|increase\(|time\(\)|bottomk|token|build_info/.test(expr))
            continue;
          // Which of equal ones are among the largest is chance.
          const query = substitute(expr.replaceAll('topk(10,', 'topk(1000,'), board, { ...all, ...values });
          const found = await askAt(store.url, query, atMs);
          const byLabels = (one: Series, other: Series) =>
            JSON.stringify(one.metric).localeCompare(JSON.stringify(other.metric));
          answers.set(`${board.title}: ${title}`, found.toSorted(byLabels));
        }
      }
    }
    return answers;
  }

  it('count nothing twice while two exporters tell of the same clouds', async () => {
    const [one, two] = [await everything(moments.oneExporter), await everything(moments.twoExporters)];
    for (const [name, series] of one) {
      // Time has passed.
      if (!/offset|max_over_time|exporter_job/.test(name)) expect(two.get(name), name).toEqual(series);
    }
  });

  it('show what the newer of two exporters tells, while the other serves what was three minutes ago', async () => {
    // Only the one that is up to date: its address stands beside the job in every selector.
    const [newer] = exporters;
    const alone = { job: `${job}", instance="${newer}` };
    const truth = (query: string) => askAt(store.url, query, moments.pair);
    const stopped = `cloud_servers{state="stopped", instance="${newer}"}`;
    const [told, twice] = [
      await truth(`sum(${stopped})`),
      await truth(`sum(max without (instance) (cloud_servers))`),
    ];
    const [servers] = await truth(`sum(cloud_servers{instance="${newer}"})`);
    // The two do not agree: taken together they would have more.
    expect(twice[0]!.value).toBeGreaterThan(servers!.value);
    const [both, one] = [await everything(moments.pair), await everything(moments.pair, alone)];
    for (const [name, series] of one) expect(both.get(name), name).toEqual(series);
    expect(await ask('Fleet', 'Servers', 'A', moments.pair)).toEqual([servers]);
    const states = await ask('Fleet', 'Servers by state', 'E', moments.pair);
    expect(states.map(({ value }) => value)).toEqual(told.map(({ value }) => value));
  });

  it('all find something on a good day, in no more rows and lines than are allowed', async () => {
    for (const board of boards) {
      for (const panel of panelsOf(board).filter(({ type }) => type !== 'alertlist')) {
        const name = `${board.title}: ${panel.title}`;
        const isTable = panel.type === 'table';
        const rows = new Set<string>();
        for (const { legend, expr } of queriesOf(panel)) {
          // With smaller limits there are others in a small history too.
          const fewer = expr.replaceAll(/topk\(\d\d,/g, 'topk(2,').replaceAll('- 29 >', '- 2 >');
          const answers = await askAt(store.url, substitute(fewer, board, all), moments.healthy);
          for (const { metric } of answers) {
            // Columns meet in rows of the same labels.
            if (isTable && panel.targets!.length > 1) expect(metric, name).not.toHaveProperty('__name__');
            rows.add(isTable ? keyOf(metric) : `${legend} ${JSON.stringify(metric)}`);
          }
        }
        expect(rows.size, name).toBeGreaterThan(0);
        expect(rows.size, name).toBeLessThanOrEqual(mostRows(panel));
      }
    }
  });

  it('cost at most two thousand series each with three clouds', async () => {
    for (const board of boards) {
      const selectors = new Set<string>();
      for (const panel of openPanelsOf(board)) {
        for (const { expr } of queriesOf(panel)) {
          for (const { metric, matchers } of readExpression(substitute(expr, board, all)).selectors) {
            const texts = matchers.map(({ label, operator, value }) => `${label}${operator}"${value}"`);
            selectors.add(`${metric}{${texts.join(',')}}`);
          }
        }
      }
      let series = 0;
      for (const selector of selectors) {
        const [count] = await askAt(store.url, `count(${selector})`, moments.healthy);
        series += count?.value ?? 0;
      }
      expect(series, board.title).toBeLessThanOrEqual(2000);
    }
  });

  it('tell of changes only with a day of history, and of less beside more', async () => {
    const change = (atMs: number) => ask('Fleet', 'Projects that changed most', 'A', atMs);
    expect(await change(moments.cloudDown)).toEqual([]);
    expect(await change(moments.exporterGone)).toEqual([]);
    const values = (await change(moments.healthy)).map(({ value }) => value);
    expect(values.filter((value) => value < 0)).toEqual([-1]);
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(growth[1] * clouds.length - 1);
  });

  it('show growth over 7, 30 and 90 days, and what follows from it', async () => {
    const column = (letter: string) => ask('Growth', 'Servers by cloud', letter, moments.healthy);
    const [now] = await column('A');
    for (const [letter, days] of [
      ['B', 7],
      ['C', 30],
      ['D', 90],
    ] as const) {
      const grown = await column(letter);
      expect(new Set(grown.map(({ metric }) => metric['cloud']))).toEqual(new Set(clouds));
      expect(
        grown.filter(({ metric }) => metric['cloud'] === 'paris').map(({ value }) => value),
        letter,
      ).toEqual([growth[days]]);
    }
    const cloud = now!.metric['cloud'];
    const pace = (await column('C')).find(({ metric }) => metric['cloud'] === cloud)!.value;
    const quarter = (await column('E')).find(({ metric }) => metric['cloud'] === cloud);
    expect(quarter!.value).toBe(now!.value + 3 * pace);
    const doubles = (await column('F')).find(({ metric }) => metric['cloud'] === cloud);
    expect(doubles!.value).toBeCloseTo((30 * 86_400 * now!.value) / pace, 0);
  });

  it('name each server that needs attention once, with all its problems, the most urgent first', async () => {
    const rows = await ask('Lifecycle', 'Servers that need attention', 'A', moments.healthy);
    const keys = rows.map(({ metric }) => keyOf(metric));
    expect(new Set(keys).size).toBe(keys.length);
    expect(rows.map(({ metric }) => metric['problems'])).toContain('host_down failed ');
    expect(rows.map(({ value }) => value)).toEqual(rows.map(({ value }) => value).toSorted((a, b) => b - a));
    const since = await ask('Lifecycle', 'Servers that need attention', 'B', moments.healthy);
    expect(since.map(({ metric }) => keyOf(metric)).toSorted()).toEqual(keys.toSorted());
    const ends = await ask('Lifecycle', 'Expired and expiring, by name', 'A', moments.healthy);
    expect(ends.length).toBeGreaterThanOrEqual(3);
    expect(ends.every(({ metric }) => metric['name'] !== undefined)).toBe(true);
  });

  it('count a server under the worst of its problems', async () => {
    const tiles = panelsOf(ofBoard('Lifecycle')).find(({ title }) =>
      title!.startsWith('Servers that are named'),
    )!;
    let counted = 0;
    for (const { expr } of queriesOf(tiles)) {
      const [tile] = await askAt(store.url, substitute(expr, ofBoard('Lifecycle'), all), moments.healthy);
      counted += tile!.value;
    }
    const named = 'count(count by (cloud, id) (cloud_server_problem{project=~"web|system"}))';
    const [truth] = await askAt(store.url, named, moments.healthy);
    expect(counted).toBe(truth!.value);
  });

  it('call as many zones short of a host as their alert does', async () => {
    const { expr } = readRules('alerts').find(({ alert }) => alert === 'CloudZoneFullWithoutHost')!;
    const alerting = await askAt(
      store.url,
      `count(count by (cloud, region, zone) (${expr}))`,
      moments.healthy,
    );
    const shown = await ask('Host', 'Hosts, and what they have room for', 'C', moments.healthy);
    expect(shown.map(({ value }) => value)).toEqual([alerting[0]?.value ?? 0]);
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
      for (const board of boards) {
        for (const panel of panelsOf(board)) {
          for (const { title, expr } of queriesOf(panel)) {
            const query = substitute(expr, board, all);
            const there = await askAt(url, query, moments.healthy);
            if (/offset (7|30|90)d/.test(expr)) continue;
            const here = await askAt(store.url, query, moments.healthy);
            expect(there.length, `${board.title}: ${title}`).toBe(here.length);
          }
        }
      }
    });
  });
});

/** With two of each kind, the row of the others, and a few lines of another kind beside them. */
function mostRows({ type, targets }: Panel): number {
  if (!/topk\(\d\d,/.test(JSON.stringify(targets))) return 30;
  return type === 'table' ? 3 : 12;
}

/** Of a server, or of another row of a table. */
function keyOf({ cloud, id, ...others }: Readonly<Record<string, string>>): string {
  return id === undefined ? JSON.stringify({ cloud, ...others }) : `${cloud} ${id}`;
}
