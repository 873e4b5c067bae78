import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boardLinks } from '../../dashboards/board.ts';
import { renderDashboards } from '../../dashboards/generate.ts';
import { gpuTypes } from '../../dashboards/promql.ts';
import { boards, choicesOf, panelsOf, substitute, variablesOf } from './boards.ts';
import { readCatalogue, readRules, unknownNames } from './catalogue.ts';
import { readExpression } from './promql.ts';

const catalogue = await readCatalogue();
const datasource = { type: 'prometheus', uid: '${datasource}' };

describe('the committed dashboards', () => {
  it.each([...renderDashboards().keys()])('%s is what the code writes (npm run docs)', (name) => {
    expect(readFileSync(`dashboards/${name}`, 'utf8')).toBe(renderDashboards().get(name));
  });
});

describe.each(boards)('$title', (board) => {
  it('can not be edited, and leads to the other boards in one order', () => {
    const others = boardLinks.filter(({ uid }) => uid !== board.uid);
    expect(others).toHaveLength(boardLinks.length - 1);
    expect(board.links?.map(({ url }) => url?.replace(/\?.*/, ''))).toEqual(
      others.map(({ uid }) => `/d/${uid}`),
    );
    expect(board).toMatchObject({ id: null, editable: false, tags: ['cloud-platform-exporter'] });
  });

  it('opens on the default data source, and finds the jobs by itself', () => {
    const [source, job, exporterJob] = variablesOf(board);
    const named = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
    expect(source).toMatchObject({ ...named, current: { text: 'default', value: 'default' } });
    expect(job).toMatchObject({
      name: 'job',
      type: 'query',
      multi: true,
      includeAll: true,
      allValue: '.+',
      hide: 2,
      datasource,
    });
    // Other jobs have up and process_* too, so that "all" of these must be no pattern.
    expect(exporterJob).toMatchObject({ name: 'exporter_job', includeAll: true, hide: 2 });
    expect(exporterJob).not.toHaveProperty('allValue');
  });

  it('offers in each choice what the choices before it leave, and "All" includes empty labels', () => {
    const choices = choicesOf(board);
    for (const [position, { variable, selector, label }] of choices.entries()) {
      expect(variable).toMatchObject({ multi: true, refresh: 2, datasource });
      if (['job', 'exporter_job'].includes(variable.name)) continue;
      if (variable.includeAll) expect(variable.allValue).toBe('.*');
      expect(label).toBe(variable.name);
      expect(unknownNames(selector, catalogue)).toEqual([]);
      const [{ metric, matchers } = { metric: '', matchers: [] }] = readExpression(selector).selectors;
      expect(catalogue.get(metric)).toContain(label);
      const before = choices
        .slice(0, position)
        .map((choice) => choice.variable.name)
        .filter((name) => name !== 'exporter_job');
      const known = before.filter((name) => catalogue.get(metric)?.has(name));
      expect(matchers).toEqual(known.map((name) => ({ label: name, operator: '=~', value: `$${name}` })));
    }
  });

  it('has panels that do not overlap, each with an id of its own', () => {
    const taken = new Map<string, string>();
    for (const { gridPos, title } of board.panels ?? []) {
      const { x, y, w, h } = gridPos!;
      expect(x + w, title).toBeLessThanOrEqual(24);
      for (let cell = 0; cell < w * h; cell += 1) {
        const place = `${x + (cell % w)} ${y + Math.floor(cell / w)}`;
        expect(taken.get(place), title).toBeUndefined();
        taken.set(place, title!);
      }
    }
    const ids = (board.panels ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(panelsOf(board))(
    '$title has a description, a unit, queries and the chosen data source',
    (panel) => {
      expect(['stat', 'timeseries', 'table', 'bargauge', 'state-timeline']).toContain(panel.type);
      expect(panel.title).toMatch(/^\w/);
      expect(panel.description).toMatch(/^[A-Z].*\.$/);
      expect(panel.fieldConfig?.defaults.unit).toMatch(/./);
      expect(panel.datasource).toEqual(datasource);
      const targets = (panel.targets ?? []) as unknown as { refId: string; datasource: unknown }[];
      expect(targets.length).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const target of targets) expect(target.datasource).toEqual(datasource);
    },
  );

  it('begins with the row that says whether its numbers can be trusted', () => {
    const titles = (board.panels ?? []).slice(0, 5).map(({ title }) => title);
    const tiles = ['Clouds down', 'Which are down', 'Exporters down', 'Oldest numbers'];
    expect(titles).toEqual(['Can these numbers be trusted?', ...tiles]);
  });

  it('marks firing alerts and restarts of the exporter over its lines', () => {
    const marks = (board.annotations?.list ?? []) as { name: string; expr: string; enable: boolean }[];
    expect(marks.map(({ name }) => name)).toEqual(['Firing alerts', 'Restarts of the exporter']);
    for (const { expr, enable } of marks) {
      const values = { job: 'some', exporter_job: 'some', cloud: 'demo' };
      expect(readExpression(substitute(expr, board, values)).errors).toEqual([]);
      expect(enable).toBe(true);
    }
  });
});

it('each board has a uid of its own, in the order of the links', () => {
  expect(boards.map(({ uid }) => uid)).toEqual(boardLinks.map(({ uid }) => uid));
});

it('boards and alerts mean the same by a GPU', () => {
  const alert = readRules('alerts').find((rule) => rule.alert === 'CloudGpuHeldByStopped');
  expect(alert?.expr).toContain(gpuTypes);
});
