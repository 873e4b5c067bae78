import { readFileSync } from 'node:fs';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { describe, expect, it } from 'vitest';
import { boardLinks } from '../../dashboards/board.ts';
import { renderDashboards } from '../../dashboards/generate.ts';
import { states } from '../../dashboards/look.ts';
import { gpuTypes } from '../../dashboards/promql.ts';
import {
  boards,
  lookOf,
  openPanelsOf,
  panelsOf,
  queriesOf,
  substitute,
  variablesOf,
  withVariables,
} from './boards.ts';
import { readCatalogue, readRules, unknownNames } from './catalogue.ts';
import { readExpression } from './promql.ts';

const catalogue = await readCatalogue();
const panels = boards.flatMap((board) =>
  panelsOf(board).map((panel) => ({ board, name: `${board.title}: ${panel.title}`, panel })),
);
const asking = panels.filter(({ panel: { type } }) => type !== 'alertlist');

const someValues = { job: 'some', exporter_job: 'some', project: 'web' };
const queries = asking.flatMap(({ board, panel }) =>
  queriesOf(panel).map(({ title, expr, name: legend }) => {
    const substituted = substitute(expr, board, someValues);
    return {
      name: `${board.title}: ${title}`,
      isOfExporter: board.uid === 'cloud-exporter' && panel.title !== 'Can these numbers be trusted?',
      legend,
      expr,
      substituted,
      read: readExpression(substituted),
      selectors: readExpression(withVariables(expr)).selectors,
    };
  }),
);

/** The queries about which there is something to say, and what. */
function complaints(find: (query: (typeof queries)[number]) => readonly string[]): string[] {
  return queries.flatMap((query) => find(query).map((complaint) => `${query.name}: ${complaint}`));
}

describe('the boards together', () => {
  it.each([...renderDashboards().keys()])('%s is what the code writes (npm run docs)', (name) => {
    expect(readFileSync(`dashboards/${name}`, 'utf8')).toBe(renderDashboards().get(name));
  });

  it('are seven, in one order, with at most a hundred panels, and mean the same by a GPU as the alerts', () => {
    expect(boards.map(({ uid }) => uid)).toEqual(boardLinks.map(({ uid }) => uid));
    expect(boards).toHaveLength(7);
    expect(panels.length).toBeLessThanOrEqual(100);
    expect(readRules('alerts').some(({ expr }) => expr.includes(gpuTypes))).toBe(true);
  });
});

describe.each(boards)('$title', (board) => {
  it('can not be edited, begins with one panel that says whether it can be trusted, and refreshes', () => {
    expect(board).toMatchObject({ id: null, editable: false, tags: ['cloud-platform-exporter'] });
    expect(board.panels![0]).toMatchObject({ type: 'stat', title: 'Can these numbers be trusted?' });
    expect(board.refresh).toBe(board.uid === 'cloud-growth' ? '15m' : '1m');
    const marks = (board.annotations?.list ?? []) as { name: string; expr: string }[];
    expect(marks.map(({ name }) => name)).toEqual(['Firing alerts', 'Restarts of the exporter']);
    for (const { expr } of marks)
      expect(readExpression(substitute(expr, board, someValues)).errors).toEqual([]);
  });

  it('finds the jobs by itself, and offers in each choice what the choices before it leave', () => {
    const [source, job, exporterJob] = variablesOf(board);
    expect(source).toMatchObject({ name: 'datasource', current: { text: 'default', value: 'default' } });
    expect(job).toMatchObject({ name: 'job', allValue: '.+', hide: 2 });
    // Other jobs have up and process_* too, so that "all" of these must be no pattern.
    expect(exporterJob).toMatchObject({ name: 'exporter_job', includeAll: true, hide: 2 });
    expect(exporterJob).not.toHaveProperty('allValue');
    const before: string[] = ['job'];
    for (const variable of variablesOf(board).slice(3)) {
      if (variable.type !== 'query') continue;
      const [, selector = '', label] = /^label_values\((.*), (\w+)\)$/.exec(variable.query as string)!;
      if (variable.includeAll) expect(variable.allValue).toBe('.*');
      expect(unknownNames(selector, catalogue)).toEqual([]);
      const [{ metric, matchers } = { metric: '', matchers: [] }] = readExpression(selector).selectors;
      expect(catalogue.get(metric)).toContain(label);
      const known = before.filter((name) => catalogue.get(metric)?.has(name));
      expect(matchers.map(({ value }) => value)).toEqual(known.map((name) => `$${name}`));
      before.push(variable.name);
    }
  });

  it('has names above the fold of a laptop', () => {
    // 1280 × 720, less Grafana's own lines and two of choices, in its steps of 38 pixels.
    const fold = (720 - 150) / 38;
    const named = openPanelsOf(board).find(({ type }) => type === 'table' || type === 'alertlist')!;
    // A title, a header and three rows.
    expect(named.gridPos!.y + 4, named.title).toBeLessThanOrEqual(fold);
  });

  it('leads to the other boards in one order, at the same time, but hands no "all" to that of one project', () => {
    const others = boardLinks.filter(({ uid }) => uid !== board.uid).map(({ uid }) => `/d/${uid}`);
    expect(board.links?.map(({ url }) => url?.replace(/\?.*/, ''))).toEqual(others);
    for (const { url, includeVars, keepTime } of board.links ?? []) {
      expect(keepTime).toBe(true);
      expect(includeVars).toBe(!url!.startsWith('/d/cloud-project'));
      expect(url).not.toMatch(/project=|project:queryparam/);
    }
  });
});

it('every link leads to a board that there is, with variables that it has, and keeps clouds and time', () => {
  const urls = panels.flatMap(({ panel: { fieldConfig } }) => {
    const { defaults, overrides } = fieldConfig ?? { defaults: {}, overrides: [] };
    const ofColumns = overrides.flatMap(({ properties }) => properties.filter(({ id }) => id === 'links'));
    const links = [...(defaults.links ?? []), ...ofColumns.flatMap(({ value }) => value as unknown[])];
    return links.map((link) => (link as { url: string }).url);
  });
  expect(urls.length).toBeGreaterThan(10);
  for (const url of urls) {
    expect(url).toContain('${__url_time_range}');
    expect(url).toContain('var-datasource=${datasource}');
    expect(url).toMatch(/\$\{cloud:queryparam\}|var-cloud=\$\{__data\.fields\.Cloud:percentencode\}/);
  }
  for (const url of [...urls, ...boards.flatMap(({ links = [] }) => links.map((link) => link.url!))]) {
    const goal = boards.find(({ uid }) => uid === /^\/d\/([\w-]+)/.exec(url)![1])!;
    const names = variablesOf(goal).map(({ name }) => name);
    for (const match of url.matchAll(/var-(\w+)=|\$\{(\w+):queryparam\}/g))
      expect(names, url).toContain(match[1] ?? match[2]);
  }
});

describe('every query', () => {
  it('is PromQL of metrics and labels that exist, for at most thirty rows or lines', () => {
    expect(queries.length).toBeGreaterThan(150);
    expect(complaints(({ read }) => read.errors)).toEqual([]);
    // Of what Fleet shows by region, one spelling of the chosen measure exists and the other does not.
    const known = queries.filter(({ expr }) => !expr.includes('${measure}_bytes'));
    expect(known.flatMap(({ substituted }) => unknownNames(substituted, catalogue))).toEqual([]);
    for (const { name, expr } of queries)
      for (const [, most] of expr.matchAll(/(?:top|bottom)k\((\d+)/g))
        expect(Number(most), name).toBeLessThanOrEqual(30);
  });

  // On other boards a cloud may be read by any exporter, and what two of them tell counts once.
  it('asks for what is chosen, and only the jobs of exporters for what every target has', () => {
    const missing = complaints(({ isOfExporter, selectors }) =>
      selectors.flatMap(({ metric, matchers }) => {
        const isOfCloud = catalogue.get(metric)?.has('cloud') && !metric.startsWith('cloud:threshold');
        const wanted = [
          metric !== '' && !metric.includes(':') && '$job',
          isOfCloud && '$cloud',
          /^(up|scrape_\w+|process_\w+|nodejs_\w+)$/.test(metric) && '$exporter_job',
          isOfExporter && '$instance',
        ];
        const asked = new Set<unknown>(matchers.map(({ value }) => value));
        return wanted.filter((name) => name && !asked.has(name)).map((name) => `${metric} without ${name}`);
      }),
    );
    expect(missing).toEqual([]);
    const elsewhere = queries.filter(({ name }) => !name.startsWith('Cloud: Exporter'));
    expect(elsewhere.filter(({ expr }) => expr.includes('$instance'))).toEqual([]);
  });

  it('takes counters as rates, over the window that Grafana finds right', () => {
    const bare =
      /(?<!\brate\(|\bincrease\()\b\w+_(total|bucket)\{|\brate\([^[]*\[(?!\$__rate_interval)[^\]]*\]/g;
    expect(complaints(({ expr }) => expr.match(bare) ?? [])).toEqual([]);
  });

  it('names in its legend only labels that its answer has, and the cloud beside what is of a cloud', () => {
    const wrong = complaints(({ legend, read }) => {
      const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
      const isOfCloud = /region|zone|project|host/.test(named.join(' '));
      return [
        ...named.filter((label) => !read.groupingLabels.includes(label)),
        ...(isOfCloud && !named.includes('cloud') ? ['no cloud'] : []),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('of the fleet and of its growth is made of sums, so that it costs the same with a million servers', () => {
    const ofClouds =
      /^(cloud_(up|snapshot_timestamp_seconds|last_success_timestamp_seconds|server_problems)|up)$/;
    const dear = queries
      .filter(({ name }) => /Fleet|Growth/.test(name))
      .flatMap(({ read }) => read.selectors.map(({ metric }) => metric))
      .filter((metric) => metric !== '' && !metric.includes(':') && !ofClouds.test(metric));
    expect(new Set(dear)).toEqual(new Set());
  });
});

describe('every panel', () => {
  it.each(panels)('$name says what it is, in a title that a laptop shows whole', ({ panel }) => {
    expect(panel.description).toMatch(/^[A-Z].*\.$/);
    // Of 1366 pixels Grafana leaves a board about 900; beside a title stand margins and the sign of the description.
    const room = panel.gridPos!.w * (900 / 24) - 8 - 96;
    expect(panel.title!.length * 7.2).toBeLessThanOrEqual(room);
    if (panel.type === 'alertlist') return;
    expect(panel.fieldConfig!.defaults.noValue).toMatch(/^[a-zA-Z]{2,}/);
    expect(panel.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    // Steps in Grafana's own yellow can not be read on white.
    expect(JSON.stringify(panel.fieldConfig)).not.toMatch(/"color":"[a-z-]*yellow"/);
  });

  it('of lines has an axis that stays low for zeros, a colour for each line, and states in the order of urgency', () => {
    const charts = asking.filter(({ panel: { type } }) => type === 'timeseries');
    expect(charts.length).toBeGreaterThan(20);
    for (const { name, panel } of charts) {
      const { axisSoftMax } = panel.fieldConfig!.defaults.custom as { axisSoftMax: number };
      expect(axisSoftMax, name).toBeLessThanOrEqual(1);
      const lines = queriesOf(panel);
      const looks = lines.flatMap(({ refId }) => (lookOf(panel, refId)['color'] as object | undefined) ?? []);
      const colours = looks.map((look) => (look as { fixedColor: string }).fixedColor);
      // The others of each of two measures, of which one is drawn, have one colour.
      const ofMeaning = colours.filter((colour) => colour !== 'text');
      expect(new Set(ofMeaning).size, name).toBe(ofMeaning.length);
      const asked = lines.flatMap(({ expr }) => /state="(\w+)"/.exec(expr)?.[1] ?? []);
      if (new Set(asked).size > 1) expect(asked, name).toEqual(states);
    }
  });
});

/** Pixels of a title of a column, or a few more: its letters are bold and 14 pixels high. */
function widthOf(title: string): number {
  const count = (letters: RegExp) => title.match(letters)?.length ?? 0;
  const wider = 2.1 * count(/[A-Z+]/g) + 2.5 * count(/[MW]/g) + 4.6 * count(/[mw]/g);
  return 8.4 * title.length + wider - 3.4 * count(/[fijlrt ,.]/g);
}

/** Heights and widths of the parts of a table; a header of one line, and what is beside its words. */
const pixels = { title: 32, header: 34, row: 36, scrollBar: 8, cell: 14, icon: 22 };

/** A table on a window of 1280 pixels, as Grafana lays it out. */
function layOutTable(panel: Panel) {
  const filter = panel.transformations!.find(({ id }) => id === 'filterFieldsByName')!;
  const { names } = (filter.options as { include: { names: string[] } }).include;
  const { w, h } = panel.gridPos!;
  const room = (w / 24) * 1256 - 8 - 2 - pixels.scrollBar;
  const looks = names.map((title) => lookOf(panel, title) as Record<`custom.${string}`, number | undefined>);
  const set = looks.flatMap((look) => look['custom.width'] ?? []);
  const share = (room - sum(set)) / (names.length - set.length);
  const columns = names.map((title, index) => {
    const icon = 'custom.filterable' in looks[index]! ? pixels.icon : 0;
    const { 'custom.width': own, 'custom.minWidth': least = 70 } = looks[index]!;
    const width = own ?? Math.max(least, share);
    return { title, width, spare: width - widthOf(title) - pixels.cell - icon };
  });
  const isWider = sum(columns.map(({ width }) => width)) > room + 1;
  const height = h * 38 - 8 - 2 - pixels.title - pixels.header - (isWider ? pixels.scrollBar : 0);
  return { columns, cutRow: height % pixels.row };
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

describe('every table', () => {
  const tables = panels
    .filter(({ panel: { type } }) => type === 'table')
    .map(({ name, panel }) => ({ name, panel, ...layOutTable(panel) }));

  it.each(tables)('$name has headers of one line, whole rows, and the region on the screen', (table) => {
    for (const { title, spare } of table.columns) expect(spare, title).toBeGreaterThanOrEqual(0);
    // Letters begin in the middle third of a row: what is above them is no row that is cut.
    expect(table.cutRow).toBeLessThanOrEqual(12);
    const titles = table.columns.map(({ title }) => title);
    if (/Server|Host|Zone|Project/.test(titles.join())) expect(titles).toContain('Cloud');
    // The last one may be behind the edge.
    const shown = table.columns.filter(({ title }) => title !== 'Id').map(({ width }) => width);
    if (titles.includes('Region')) expect(sum(shown)).toBeLessThanOrEqual(1248);
  });

  it('is in the order of its first query, and sorts nothing itself, so that the others stand last', () => {
    expect(tables.length).toBeGreaterThan(15);
    for (const { name, panel } of tables) {
      const [first, ...columns] = queriesOf(panel);
      expect(first, name).toMatchObject({ name: 'order' });
      expect(first!.expr, name).toMatch(/^sort_desc\(topk\(29, /);
      expect(
        columns.map((column) => column.name),
        name,
      ).not.toContain('order');
      expect(panel.options, name).not.toHaveProperty('sortBy');
    }
  });
});
