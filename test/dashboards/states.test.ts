import { beforeAll, expect, it, afterAll } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { boards, panelsOf, queriesOf, substitute, type Values } from './boards.ts';
import { greenCells } from './cells.ts';
import { askAt, showTiles, type Shown } from './tiles.ts';
import { openHistory } from './timeline/open-history.ts';
import { growth, minuteMs, planStates, type Moments } from './timeline/plan.ts';
import { storeHistory } from './timeline/record.ts';
import { clouds, job, tellTimeline } from './timeline/tell.ts';

const sizes = { demo: 80, lab: 40, paris: 40 };
const all: Values = { job, exporter_job: job, project: ['web', 'system'] };

describeWith(['prometheus', 'promtool'], 'the boards, asked of a real Prometheus,', () => {
  let folder: string;
  let store: Awaited<ReturnType<typeof openHistory>>;
  let moments: Moments;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'boards-'));
    const plan = planStates(Math.floor(Date.now() / minuteMs) * minuteMs);
    ({ moments } = plan);
    const programs = { prometheus: pathOf('prometheus'), promtool: pathOf('promtool') };
    await storeHistory(folder, await tellTimeline(plan.steps, sizes), programs);
    store = await openHistory(programs.prometheus, folder);
  });

  afterAll(async () => {
    await store?.stop();
    await rm(folder, { recursive: true });
  });

  const show = (atMs: number, values: Values = {}) => showTiles(store.url, atMs, { ...all, ...values });

  /** What one query of a panel answers. */
  async function ask(
    boardTitle: string,
    panelTitle: string,
    column: string,
    atMs: number,
    values: Values = {},
  ) {
    const board = boards.find(({ title }) => title === `Cloud: ${boardTitle}`)!;
    const panel = panelsOf(board).find(({ title }) => title === panelTitle)!;
    const query = queriesOf(panel).find(({ title }) => title === `${panelTitle} ${column}`)!;
    return askAt(store.url, substitute(query.expr, board, { ...all, ...values }), atMs);
  }

  const numbers = (shown: readonly Shown[], title: string) =>
    shown.filter(({ tile }) => tile.title === title).map(({ series }) => series.map(({ value }) => value));

  const green = (shown: readonly Shown[]) =>
    shown
      .filter(({ colours }) => colours.includes('green'))
      .map(({ tile }) => `${tile.board.title}: ${tile.title}`);

  it('say on a good day that all clouds and exporters are there and that the numbers are fresh', async () => {
    const shown = await show(moments.healthy);
    expect(numbers(shown, 'Clouds down')).toEqual(boards.map(() => [0]));
    expect(numbers(shown, 'Exporters down')).toEqual(boards.map(() => [0]));
    for (const { series, tile } of shown.filter(({ tile: { title } }) => title === 'Which are down')) {
      expect(
        series.map(({ metric }) => metric['cloud']),
        tile.board.title,
      ).toEqual(['none']);
    }
    for (const [age] of numbers(shown, 'Oldest numbers')) expect(age).toBeLessThan(60);
    expect(shown.filter(({ series }) => series.length === 0).map(({ tile }) => tile.title)).toEqual([]);
  });

  it('name the cloud that is down, and let the age of its numbers grow', async () => {
    const shown = await show(moments.cloudDown);
    expect(numbers(shown, 'Clouds down')).toEqual(boards.map(() => [1]));
    for (const { series, colours } of shown.filter(({ tile: { title } }) => title === 'Which are down')) {
      expect(series.map(({ metric }) => metric['cloud'])).toEqual(['lab']);
      expect(colours).toEqual(['red']);
    }
    for (const [age] of numbers(shown, 'Oldest numbers')) expect(age).toBeGreaterThanOrEqual(20 * 60);
  });

  it('show nothing green for a cloud that is down, but that its exporter answers', async () => {
    const shown = await show(moments.cloudDown, { cloud: 'lab' });
    expect(new Set(green(shown))).toEqual(new Set(boards.map(({ title }) => `${title}: Exporters down`)));
  });

  it('have no green cell in a table for that cloud either, but for its token and the configuration', async () => {
    const found = await greenCells(store.url, moments.cloudDown, { ...all, cloud: 'lab' });
    expect(found.filter((cell) => !/: (Token ends in|Accepted)$/.test(cell))).toEqual([]);
    expect(await greenCells(store.url, moments.exporterGone, all)).toEqual([]);
    expect(await greenCells(store.url, moments.healthy, all)).not.toEqual([]);
  });

  it('show nothing green when every exporter is gone, and count what is missing', async () => {
    const shown = await show(moments.exporterGone);
    expect(green(shown)).toEqual([]);
    expect(numbers(shown, 'Clouds down')).toEqual(boards.map(() => [clouds.length]));
    expect(numbers(shown, 'Exporters down')).toEqual(boards.map(() => [1]));
    for (const [age] of numbers(shown, 'Oldest numbers')) expect(age).toBeGreaterThanOrEqual(20 * 60);
  });

  it('show no number at all on an empty Prometheus, and nothing green, but say that nobody knows', async () => {
    const shown = await show(moments.empty, { exporter_job: '' });
    expect(green(shown)).toEqual([]);
    for (const { tile, series } of shown) {
      const names = series.map(({ metric }) => metric['cloud']);
      expect(names, tile.title).toEqual(tile.title === 'Which are down' ? ['not known'] : []);
    }
  });

  it('count nothing twice while two exporters tell of the same clouds', async () => {
    const [one, two] = [await show(moments.oneExporter), await show(moments.twoExporters)];
    const changing = new Set(['Oldest numbers', 'Failed in 1 hour', 'Late in 1 hour']);
    for (const [index, { tile, series }] of one.entries()) {
      if (changing.has(tile.title)) continue;
      expect(two[index]!.series, `${tile.board.title}: ${tile.title}`).toEqual(series);
    }
  });

  it('understand every query in every state', async () => {
    for (const board of boards) {
      for (const panel of panelsOf(board)) {
        for (const { expr } of queriesOf(panel)) {
          const query = substitute(expr, board, all);
          for (const atMs of Object.values(moments) as number[]) await askAt(store.url, query, atMs);
        }
      }
    }
  });

  it('fill columns of a table whose rows meet: no answer has the name of its metric', async () => {
    for (const board of boards) {
      for (const panel of panelsOf(board).filter(
        ({ type, targets }) => type === 'table' && targets!.length > 1,
      )) {
        for (const { title, expr } of queriesOf(panel)) {
          const answers = await askAt(store.url, substitute(expr, board, all), moments.healthy);
          for (const { metric } of answers) expect(metric, title).not.toHaveProperty('__name__');
        }
      }
    }
  });

  it('tell of changes only with a day of history, and of less beside more', async () => {
    for (const title of ['By state', 'Projects that grew most', 'Projects that shrank most']) {
      expect(await ask('Fleet', title, 'A', moments.cloudDown), title).toEqual([]);
      expect(await ask('Fleet', title, 'A', moments.exporterGone), title).toEqual([]);
    }
    const grew = await ask('Fleet', 'Projects that grew most', 'A', moments.healthy);
    expect(grew.every(({ value }) => value > 0)).toBe(true);
    expect(grew.reduce((sum, { value }) => sum + value, 0)).toBe(growth[1] * clouds.length);
    const shrank = await ask('Fleet', 'Projects that shrank most', 'A', moments.healthy);
    expect(shrank.map(({ value }) => value)).toEqual([-1]);
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
    const keys = rows.map(({ metric }) => `${metric['cloud']} ${metric['id']}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(rows.map(({ metric }) => metric['problems'])).toContain('host_down failed ');
    expect(rows.map(({ value }) => value)).toEqual(rows.map(({ value }) => value).toSorted((a, b) => b - a));
    const since = await ask('Lifecycle', 'Servers that need attention', 'B', moments.healthy);
    expect(since.every(({ value }) => value <= moments.healthy)).toBe(true);
    const ends = await ask('Lifecycle', 'Expired and expiring, by name', 'A', moments.healthy);
    expect(ends.length).toBeGreaterThanOrEqual(3);
    expect(ends.every(({ metric }) => metric['name'] !== undefined)).toBe(true);
  });
});
