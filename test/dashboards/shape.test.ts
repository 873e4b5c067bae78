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

const someValues = { job: 'some', exporter_job: 'some', project: 'web' };
const queries = panels.flatMap(({ board, panel }) =>
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
    const text = renderDashboards().get(name)!;
    expect(readFileSync(`dashboards/${name}`, 'utf8')).toBe(text);
    // kubectl keeps what was applied in an annotation, which may have 256 KiB.
    expect(JSON.stringify(text).length).toBeLessThan(250_000);
  });

  it('are seven, in one order, with at most 85 panels, and mean the same by a GPU as the alerts', () => {
    expect(boards.map(({ uid }) => uid)).toEqual(boardLinks.map(({ uid }) => uid));
    expect(boards).toHaveLength(7);
    expect(panels.length).toBeLessThanOrEqual(85);
    expect(readRules('alerts').some(({ expr }) => expr.includes(gpuTypes))).toBe(true);
  });
});

describe.each(boards)('$title', (board) => {
  it('begins with one panel that says whether it can be trusted, and refreshes', () => {
    expect(board).toMatchObject({ id: null, editable: true, tags: ['cloud-platform-exporter'] });
    expect(board.panels![0]).toMatchObject({ type: 'stat', title: 'Can these numbers be trusted?' });
    expect(board.refresh).toBe(board.uid === 'cloud-growth' ? '15m' : '1m');
  });

  it('marks where alerts begin for which somebody is called, if it says whether all is well', () => {
    const marks = (board.annotations?.list ?? []) as { expr: string; useValueForTime: boolean }[];
    expect(marks).toHaveLength(/fleet|exporter/.test(board.uid!) ? 1 : 0);
    for (const { expr, useValueForTime } of marks) {
      expect(readExpression(substitute(expr, board, someValues)).errors).toEqual([]);
      expect(expr).toContain('severity=~"critical|warning"');
      // A sample at every moment would be a region over the lines.
      expect(useValueForTime).toBe(true);
    }
  });

  it('finds the jobs by itself, and offers in each choice what the choices before it leave', () => {
    const [source, job, exporterJob] = variablesOf(board);
    expect(source).toMatchObject({ name: 'datasource', current: { text: 'default', value: 'default' } });
    expect(job).toMatchObject({ name: 'job', allValue: '.+', hide: 2 });
    // Other jobs have up and process_* too, so that "all" of these must be no pattern.
    expect(exporterJob).toMatchObject({ name: 'exporter_job', includeAll: true, hide: 2 });
    expect(exporterJob).not.toHaveProperty('allValue');
    // In one line of a laptop, beside what Grafana has there.
    expect(variablesOf(board).filter(({ hide }) => hide !== 2).length).toBeLessThanOrEqual(6);
    const before: string[] = ['job'];
    for (const variable of variablesOf(board).slice(3)) {
      if (variable.type !== 'query' || variable.hide === 2) continue;
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
    const named = openPanelsOf(board).find(({ type }) => type === 'table')!;
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
  for (const url of urls.filter((each) => each.startsWith('/d/'))) {
    expect(url).toContain('${__url_time_range}');
    expect(url).toContain('var-datasource=${datasource}');
    expect(url).toMatch(/\$\{cloud:queryparam\}|var-cloud=\$\{__data\.fields\.Cloud:percentencode\}/);
  }
  for (const url of [...urls, ...boards.flatMap(({ links = [] }) => links.map((link) => link.url!))]) {
    const goal = boards.find(({ uid }) => uid === /^\/d\/([\w-]+)/.exec(url)?.[1]);
    // The way to the runbook is of the exporter itself.
    if (!goal) expect(url).toBe('${__data.fields.Runbook:raw}#${__data.fields.Alert}');
    const names = variablesOf(goal ?? boards[0]!).map(({ name }) => name);
    for (const match of url.matchAll(/var-(\w+)=|\$\{(\w+):queryparam\}/g))
      expect(names, url).toContain(match[1] ?? match[2]);
  }
});

describe('every query', () => {
  it('is PromQL of metrics and labels that exist, for at most thirty rows or lines', () => {
    expect(queries.length).toBeGreaterThan(150);
    expect(complaints(({ read }) => read.errors)).toEqual([]);
    expect(queries.flatMap(({ substituted }) => unknownNames(substituted, catalogue))).toEqual([]);
    for (const { name, expr } of queries)
      for (const [, most] of expr.matchAll(/(?:top|bottom)k\((\d+)/g))
        expect(Number(most), name).toBeLessThanOrEqual(30);
  });

  // On other boards a cloud may be read by any exporter, and what two of them tell counts once.
  it('asks for what is chosen, and only the jobs of exporters for what every target has', () => {
    const missing = complaints(({ isOfExporter, selectors }) =>
      selectors.flatMap(({ metric, matchers }) => {
        const isOfCloud = catalogue.get(metric)?.has('cloud') && !/^cloud:threshold|^ALERTS/.test(metric);
        const wanted = [
          metric !== '' && !/:|^ALERTS/.test(metric) && '$job',
          isOfCloud && '$cloud',
          /^(up|scrape_\w+|process_\w+|nodejs_\w+)$/.test(metric) && '$exporter_job',
          // What is said where there is nothing is about clouds.
          isOfExporter && !/^cloud_(list_)?up$/.test(metric) && '$instance',
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

  it('names in its legend only labels that its answer has, and the cloud, if there are several, beside what is of one', () => {
    const wrong = complaints(({ legend, read }) => {
      const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
      const isOfCloud = /region|zone|project|host/.test(named.join(' '));
      const made = read.groupingLabels.includes('cloud') ? ['of', 'note'] : ['note'];
      return [
        ...named.filter((label) => ![...read.groupingLabels, ...made].includes(label)),
        ...(isOfCloud && !named.includes('of') ? ['no cloud'] : []),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('of the fleet and of its growth is made of sums, so that it costs the same with a million servers', () => {
    const ofClouds =
      /^(cloud_(up|list_up|snapshot_timestamp_seconds|last_success_timestamp_seconds|server_problems|sync_\w+)|cloud_exporter_\w+_info|up|ALERTS\w*)$/;
    const dear = queries
      .filter(({ name }) => /Fleet|Growth/.test(name))
      .flatMap(({ read }) => read.selectors.map(({ metric }) => metric))
      .filter((metric) => metric !== '' && !metric.includes(':') && !ofClouds.test(metric));
    expect(new Set(dear)).toEqual(new Set());
  });
});

/** Of Grafana's letters on what is not bright. */
function contrastWithWhite(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.039 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.98 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05);
}

describe('every panel', () => {
  it.each(panels)('$name says what it is, in a title that a laptop shows whole', ({ panel }) => {
    expect(panel.description).toMatch(/^[A-Z].*\.$/);
    // Of 1366 pixels Grafana leaves a board about 900; beside a title stand margins and the sign of the description.
    const room = panel.gridPos!.w * (900 / 24) - 8 - 96;
    expect(panel.title!.length * 7.2).toBeLessThanOrEqual(room);
    expect(panel.fieldConfig!.defaults.noValue).toMatch(/^[a-zA-Z]{2,}/);
    expect(panel.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    // Behind words stands no colour of Grafana's own: its letters on them can not be read in both themes.
    const behind = panel.type === 'timeseries' ? '' : JSON.stringify(panel.fieldConfig);
    for (const [, colour] of behind.matchAll(/"color":"([^"]+)"/g))
      if (colour !== 'transparent') expect(contrastWithWhite(colour!), colour).toBeGreaterThanOrEqual(4.5);
  });

  it('of lines has its legend below, an axis that stays low for zeros, and states in the order of urgency', () => {
    const charts = panels.filter(({ panel: { type } }) => type === 'timeseries');
    expect(charts.length).toBeGreaterThan(20);
    for (const { name, panel } of charts) {
      const { axisSoftMax } = panel.fieldConfig!.defaults.custom as { axisSoftMax: number };
      expect(axisSoftMax, name).toBeLessThanOrEqual(1);
      expect(panel.options, name).toMatchObject({ legend: { placement: 'bottom' } });
      const lines = queriesOf(panel);
      const looks = lines.flatMap(({ refId }) => (lookOf(panel, refId)['color'] as object | undefined) ?? []);
      const colours = looks.map((look) => (look as { fixedColor: string }).fixedColor);
      expect(new Set(colours).size, name).toBe(colours.length);
      // Red and green mean failed and running.
      if (/zone/.test(name)) expect(colours.join(), name).not.toMatch(/red|green/);
      const asked = lines.flatMap(({ expr }) => /state="(\w+)"/.exec(expr)?.[1] ?? []);
      if (new Set(asked).size > 1) expect(asked, name).toEqual(states);
    }
  });
});

/** Heights of the parts of a table, and what is beside the words of a cell. */
const pixels = { title: 32, header: 34, scrollBar: 8, cell: 13 };

/** A table on a board of so many pixels, as Grafana lays it out. */
function layOutTable(panel: Panel, boardWidth: number) {
  const filter = panel.transformations!.find(({ id }) => id === 'filterFieldsByName')!;
  const { names } = (filter.options as { include: { names: string[] } }).include;
  const { w, h } = panel.gridPos!;
  const looks = names.map((title) => [title, lookOf(panel, title)] as const);
  // The note stands alone; what only links use is never shown, and what may say the same everywhere, not always.
  const columns = looks
    .filter(([title, look]) => title !== 'Note' && look['custom.hidden'] !== true)
    .map(([title, look]) => ({ title, width: (look['custom.width'] ?? look['custom.minWidth']) as number }));
  const row = (panel.options as { cellHeight: string }).cellHeight === 'md' ? 42 : 36;
  const height = h * 38 - 8 - 2 - pixels.title - pixels.header;
  const inner = (w / 24) * (boardWidth + 8) - 8 - 2 - pixels.scrollBar;
  return { columns, rows: Math.floor(height / row), cutRow: height % row, spare: inner - sum(columns) };
}

const sum = (columns: readonly { width: number }[]) => columns.reduce((all, { width }) => all + width, 0);

/** Of a word in a header, which wraps between words: bold, 14 pixels high. */
const widthOf = (word: string) => 8 * word.length + 4 * (word.match(/[A-Zmw]/g)?.length ?? 0);

describe('every table', () => {
  const tables = panels.filter(({ panel: { type } }) => type === 'table');

  it.each(tables)(
    '$name has titles that are not cut, at least five whole rows, and fits a laptop',
    ({ panel }) => {
      // 1366 pixels with the menu open leave 968; a cloud that is alone has no column.
      const { columns, rows, cutRow, spare } = layOutTable(panel, 968);
      const cloud = columns.find(({ title }) => title === 'Cloud')?.width ?? 0;
      expect(spare + cloud).toBeGreaterThanOrEqual(0);
      for (const { title, width } of columns)
        for (const word of title.split(' ')) expect(width, title).toBeGreaterThanOrEqual(widthOf(word) - 20);
      expect(rows).toBeGreaterThanOrEqual(5);
      // Letters begin in the middle third of a row: what is above them is no row that is cut.
      expect(cutRow).toBeLessThanOrEqual(12);
      const titles = columns.map(({ title }) => title);
      if (/Server|Host|Zone|Project/.test(titles.join())) expect(titles).toContain('Cloud');
    },
  );

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
