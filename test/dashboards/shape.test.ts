import { readFileSync } from 'node:fs';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { describe, expect, it } from 'vitest';
import { boardLinks } from '../../dashboards/board.ts';
import { renderDashboards } from '../../dashboards/generate.ts';
import { problemKinds, stateColours, states } from '../../dashboards/look.ts';
import { gpuTypes } from '../../dashboards/promql.ts';
import {
  boards,
  choicesOf,
  openPanelsOf,
  overridesOf,
  panelsOf,
  queriesOf,
  substitute,
  variablesOf,
} from './boards.ts';
import { readCatalogue, readRules, unknownNames } from './catalogue.ts';
import { readExpression, type Selector } from './promql.ts';

const catalogue = await readCatalogue();
const datasource = { type: 'prometheus', uid: '${datasource}' };
const panels = boards.flatMap((board) =>
  panelsOf(board).map((panel) => ({ board, name: `${board.title}: ${panel.title}`, panel })),
);
const asking = panels.filter(({ panel: { type } }) => type !== 'alertlist');

const someValues = { job: 'some', exporter_job: 'some', project: 'web' };
const queries = asking.flatMap(({ board, panel }) =>
  queriesOf(panel).map(({ title, expr, legend }) => {
    const substituted = substitute(expr, board, someValues);
    return {
      name: `${board.title}: ${title}`,
      isOfExporter: board.uid === 'cloud-exporter' && panel.title !== 'Can these numbers be trusted?',
      legend,
      expr,
      substituted,
      read: readExpression(substituted),
      // With the names of variables in place of their values.
      selectors: readExpression(
        expr
          .replaceAll('${measure}', 'cloud_servers')
          .replaceAll(/\$__(rate_)?(interval|range)/g, '5m')
          .replaceAll(/\$(vcpus|gibibytes)/g, '1'),
      ).selectors,
    };
  }),
);

/** The queries about which there is something to say, and what. */
function complaints(find: (query: (typeof queries)[number]) => readonly string[]): string[] {
  return queries.flatMap((query) => find(query).map((complaint) => `${query.name}: ${complaint}`));
}

/** Metrics that a selector should have asked for by this variable. */
function without(variable: string, selectors: readonly Selector[]): string[] {
  const asks = ({ matchers }: Selector) =>
    matchers.some(({ label, value }) => label === variable && value === `$${variable}`);
  return selectors.filter((selector) => !asks(selector)).map(({ metric }) => `${metric} without ${variable}`);
}

describe('the boards together', () => {
  it.each([...renderDashboards().keys()])('%s is what the code writes (npm run docs)', (name) => {
    expect(readFileSync(`dashboards/${name}`, 'utf8')).toBe(renderDashboards().get(name));
  });

  it('are seven, in one order, with at most a hundred panels', () => {
    expect(boards.map(({ uid }) => uid)).toEqual(boardLinks.map(({ uid }) => uid));
    expect(boards).toHaveLength(7);
    expect(panels.length).toBeLessThanOrEqual(100);
  });

  it('mean the same by a GPU as the alerts', () => {
    expect(readRules('alerts').some(({ expr }) => expr.includes(gpuTypes))).toBe(true);
  });
});

describe.each(boards)('$title', (board) => {
  it('can not be edited, begins with one panel that says whether it can be trusted, and refreshes', () => {
    expect(board).toMatchObject({ id: null, editable: false, tags: ['cloud-platform-exporter'] });
    expect(board.panels![0]).toMatchObject({ type: 'stat', title: 'Can these numbers be trusted?' });
    expect(board.refresh).toBe(board.uid === 'cloud-growth' ? '15m' : '1m');
  });

  it('leads to the other boards in one order', () => {
    const others = boardLinks.filter(({ uid }) => uid !== board.uid).map(({ uid }) => `/d/${uid}`);
    expect(board.links?.map(({ url }) => url?.replace(/\?.*/, ''))).toEqual(others);
  });

  it('finds the jobs by itself, and offers in each choice what the choices before it leave', () => {
    const [source, job, exporterJob] = variablesOf(board);
    expect(source).toMatchObject({ name: 'datasource', current: { text: 'default', value: 'default' } });
    expect(job).toMatchObject({ name: 'job', allValue: '.+', hide: 2 });
    // Other jobs have up and process_* too, so that "all" of these must be no pattern.
    expect(exporterJob).toMatchObject({ name: 'exporter_job', includeAll: true, hide: 2 });
    expect(exporterJob).not.toHaveProperty('allValue');
    const before: string[] = ['job'];
    for (const { variable, selector, label } of choicesOf(board).slice(2)) {
      if (variable.includeAll) expect(variable.allValue).toBe('.*');
      expect(unknownNames(selector, catalogue)).toEqual([]);
      const [{ metric, matchers } = { metric: '', matchers: [] }] = readExpression(selector).selectors;
      expect(catalogue.get(metric)).toContain(label);
      const known = before.filter((name) => catalogue.get(metric)?.has(name));
      expect(matchers.map(({ value }) => value)).toEqual(known.map((name) => `$${name}`));
      before.push(variable.name);
    }
  });

  it('has panels that do not overlap, each with an id of its own', () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of openPanelsOf(board)) {
      const { x, y, w, h } = gridPos!;
      expect(x + w, title).toBeLessThanOrEqual(24);
      for (let cell = 0; cell < w * h; cell += 1) {
        const place = `${x + (cell % w)} ${y + Math.floor(cell / w)}`;
        expect(taken.has(place), title).toBe(false);
        taken.add(place);
      }
    }
    const ids = [...(board.panels ?? []), ...panelsOf(board)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(new Set([...(board.panels ?? []), ...panelsOf(board)]).size);
  });

  it('has names above the fold of a laptop', () => {
    // 1280 × 720, less Grafana's own lines and two of choices, in its steps of 38 pixels.
    const fold = (720 - 150) / 38;
    const named = openPanelsOf(board).find(({ type }) => type === 'table' || type === 'alertlist')!;
    // A title, a header and three rows.
    expect(named.gridPos!.y + 4, named.title).toBeLessThanOrEqual(fold);
  });

  it('marks firing alerts and restarts of the exporter over its lines', () => {
    const marks = (board.annotations?.list ?? []) as { name: string; expr: string; enable: boolean }[];
    expect(marks.map(({ name }) => name)).toEqual(['Firing alerts', 'Restarts of the exporter']);
    for (const { expr } of marks)
      expect(readExpression(substitute(expr, board, someValues)).errors).toEqual([]);
  });
});

describe('every link', () => {
  const urls = panels.flatMap(({ name, panel }) => {
    const own = (panel.fieldConfig?.defaults.links ?? []) as { url: string }[];
    const ofColumns = overridesOf(panel).flatMap(({ properties }) =>
      properties.filter(({ id }) => id === 'links').flatMap(({ value }) => value as { url: string }[]),
    );
    return [...own, ...ofColumns].map(({ url }) => ({ name, url }));
  });
  const ofBoards = boards.flatMap((board) => board.links ?? []);

  it('leads to a board that there is, with variables that it has', () => {
    expect(urls.length).toBeGreaterThan(10);
    for (const { url } of [...urls, ...ofBoards.map((link) => ({ url: link.url! }))]) {
      const goal = boards.find(({ uid }) => uid === /^\/d\/([\w-]+)/.exec(url)![1])!;
      const names = variablesOf(goal).map(({ name }) => name);
      for (const match of url.matchAll(/var-(\w+)=|\$\{(\w+):queryparam\}/g))
        expect(names, url).toContain(match[1] ?? match[2]);
    }
  });

  it('keeps data source, clouds and time, but hands no "all" to the board of one project', () => {
    for (const { name, url } of urls) {
      expect(url, name).toContain('${__url_time_range}');
      expect(url, name).toContain('var-datasource=${datasource}');
      expect(url, name).toMatch(/\$\{cloud:queryparam\}|var-cloud=\$\{__data\.fields\.Cloud:percentencode\}/);
    }
    for (const { url, includeVars, keepTime } of ofBoards) {
      expect(keepTime).toBe(true);
      if (!url!.startsWith('/d/cloud-project')) expect(includeVars).toBe(true);
      else expect([includeVars, /project=|project:queryparam/.test(url!)]).toEqual([false, false]);
    }
  });
});

describe('every query', () => {
  it('is PromQL of metrics and labels that exist', () => {
    expect(queries.length).toBeGreaterThan(150);
    expect(complaints(({ read }) => read.errors)).toEqual([]);
    // Of what Fleet shows by region, one spelling of the chosen measure exists and the other does not.
    const known = queries.filter(({ expr }) => !expr.includes('${measure}_bytes'));
    expect(known.flatMap(({ substituted }) => unknownNames(substituted, catalogue))).toEqual([]);
  });

  it('asks the chosen job and cloud, and only jobs of exporters for what every target has', () => {
    const ofEveryTarget = /^(up|scrape_\w+|process_\w+|nodejs_\w+)$/;
    const isThreshold = /^cloud:threshold/;
    const asked = complaints(({ selectors }) => [
      ...without(
        'job',
        selectors.filter(({ metric }) => metric !== '' && !metric.includes(':')),
      ),
      ...without(
        'cloud',
        selectors.filter(({ metric }) => catalogue.get(metric)?.has('cloud') && !isThreshold.test(metric)),
      ),
      ...selectors
        .filter(({ metric }) => ofEveryTarget.test(metric))
        .filter(({ matchers }) => !matchers.some(({ value }) => value === '$exporter_job'))
        .map(({ metric }) => `${metric} of every job`),
    ]);
    expect(asked).toEqual([]);
  });

  // Elsewhere a cloud may be read by any exporter, and what two of them tell counts once.
  it('asks the chosen exporter on its board, and nowhere else', () => {
    expect(
      complaints(({ isOfExporter, selectors }) => (isOfExporter ? without('instance', selectors) : [])),
    ).toEqual([]);
    const elsewhere = queries.filter(({ name }) => !name.startsWith('Cloud: Exporter'));
    expect(elsewhere.filter(({ expr }) => expr.includes('$instance'))).toEqual([]);
  });

  it('takes counters as rates, over the window that Grafana finds right', () => {
    const isBare = ({ metric, within }: Selector) =>
      /_total$|_bucket$/.test(metric) && !['rate', 'increase'].includes(within[0] ?? '');
    expect(complaints(({ selectors }) => selectors.filter(isBare).map(({ metric }) => metric))).toEqual([]);
    expect(
      complaints(({ expr }) => expr.match(/\brate\([^[]*\[(?!\$__rate_interval)[^\]]*\]/g) ?? []),
    ).toEqual([]);
  });

  it('names in its legend only labels that its answer has, and the cloud beside what is of a cloud', () => {
    const namedIn = (legend: string) => [...legend.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
    expect(
      complaints(({ legend, read }) =>
        namedIn(legend).filter((label) => !read.groupingLabels.includes(label)),
      ),
    ).toEqual([]);
    expect(
      queries.filter(
        ({ legend }) => /\{\{(region|zone|project|host)\}\}/.test(legend) && !legend.includes('{{cloud}}'),
      ),
    ).toEqual([]);
  });

  it('draws at most thirty rows or lines', () => {
    for (const { name, expr } of queries)
      for (const [, most] of expr.matchAll(/(?:top|bottom)k\((\d+)/g))
        expect(Number(most), name).toBeLessThanOrEqual(30);
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

interface Thresholds {
  readonly steps: readonly { readonly value: number | null; readonly color: string }[];
}

/** Every list of steps of a panel: its own, and those of its columns and tiles. */
function thresholdsOf(panel: Panel): Thresholds[] {
  const more = overridesOf(panel).flatMap(({ properties }) =>
    properties.filter(({ id }) => id === 'thresholds').map(({ value }) => value as Thresholds),
  );
  return [panel.fieldConfig!.defaults.thresholds as Thresholds, ...more];
}

describe('every panel', () => {
  it.each(panels)('$name says what it is, in a title that a laptop shows whole', ({ panel }) => {
    expect(panel.description).toMatch(/^[A-Z].*\.$/);
    // Of 1366 pixels Grafana leaves a board about 900; beside a title stand margins and the sign of the description.
    const room = panel.gridPos!.w * (900 / 24) - 8 - 96;
    expect(panel.title!.length * 7.2).toBeLessThanOrEqual(room);
    if (panel.type === 'alertlist') return;
    expect(panel.fieldConfig!.defaults.noValue).toMatch(/^[a-zA-Z]{2,}/);
    expect(panel.datasource).toEqual(datasource);
  });

  it('never shows nothing in the colour of health, nor a zero where no cloud was read', () => {
    for (const { name, panel } of asking) {
      for (const { steps } of thresholdsOf(panel)) {
        expect(steps[0]!.value).toBeNull();
        expect(steps[0]!.color, name).not.toContain('green');
      }
    }
    expect(queries.filter(({ expr }) => expr.includes('vector(0)'))).toEqual([]);
  });

  it('has one colour for each state and each kind of problem, and none that can not be read on white', () => {
    for (const { name, panel } of asking) {
      for (const { expr, refId } of queriesOf(panel)) {
        const [, label, value] = /(state|problem)="(\w+)"/.exec(expr) ?? [];
        const given = overridesOf(panel)
          .filter(({ matcher }) => matcher.id === 'byFrameRefID' && matcher.options === refId)
          .flatMap(({ properties }) => properties)
          .find(({ id }) => id === 'color')?.value as { fixedColor: string } | undefined;
        if (!given || !label || given.fixedColor === 'text') continue;
        const colours = {
          ...stateColours,
          ...Object.fromEntries(problemKinds.map(({ kind, colour }) => [kind, colour])),
        };
        expect(given.fixedColor, name).toBe(colours[value as keyof typeof colours]);
      }
      expect(JSON.stringify(thresholdsOf(panel)), name).not.toContain('yellow');
    }
  });

  it('of lines has an axis that stays low for zeros, and states in the order of urgency', () => {
    const charts = asking.filter(({ panel: { type } }) => type === 'timeseries');
    expect(charts.length).toBeGreaterThan(20);
    for (const { name, panel } of charts) {
      const { axisSoftMax } = panel.fieldConfig!.defaults.custom as { axisSoftMax: number };
      expect(axisSoftMax, name).toBeLessThanOrEqual(1);
      const asked = queriesOf(panel).flatMap(({ expr }) => /state="(\w+)"/.exec(expr)?.[1] ?? []);
      if (new Set(asked).size > 1) expect(asked, name).toEqual(states);
    }
  });

  it('of a table fits 1280 pixels up to the region, and names the cloud beside what is of one', () => {
    for (const { name, panel } of asking.filter(({ panel: { type } }) => type === 'table')) {
      const filter = panel.transformations!.find(({ id }) => id === 'filterFieldsByName')!;
      const { names } = (filter.options as { include: { names: string[] } }).include;
      if (names.some((title) => ['Server', 'Host', 'Zone', 'Project'].includes(title)))
        expect(names, name).toContain('Cloud');
      if (!names.includes('Region')) continue;
      const widths = names.map((title) => {
        // It stands last, behind the edge.
        if (title === 'Id') return 0;
        const ofColumn = overridesOf(panel).filter(({ matcher }) => matcher.options === title);
        const width = ofColumn
          .flatMap(({ properties }) => properties)
          .find(({ id }) => id === 'custom.width');
        return (width?.value as number | undefined) ?? 70;
      });
      const sum = widths.reduce((one, other) => one + other, 0);
      expect(sum, name).toBeLessThanOrEqual((panel.gridPos!.w / 24) * 1248);
    }
  });
});
