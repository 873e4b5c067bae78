import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { describe, expect, it } from 'vitest';
import { problemKinds, stateColours, states, urgencies } from '../../dashboards/look.ts';
import { boards, overridesOf, panelsOf, queriesOf } from './boards.ts';
import { tiles } from './tiles.ts';

const panels = boards.flatMap((board) =>
  panelsOf(board).map((panel) => ({ name: `${board.title}: ${panel.title}`, panel })),
);

/** Of a laptop's 1366 pixels Grafana leaves a board about 900, and a panel loses some to its gap. */
const columnPixels = 900 / 24;
const gapPixels = 8;
/** What stands beside a title: margins, the sign of the description, room for the menu. */
const besideTitlePixels = 96;
const characterPixels = 7.2;
const besideHeaderPixels = 18;
const filterPixels = 20;

const healthy = new Set(['green', 'light-green', 'dark-green', 'semi-dark-green', 'super-light-green']);

interface Thresholds {
  readonly steps: readonly { readonly value: number | null; readonly color: string }[];
}

/** Every list of steps of a panel: its own, and those of its columns. */
function thresholdsOf(panel: Panel): Thresholds[] {
  const ofColumns = overridesOf(panel).flatMap(({ properties }) =>
    properties.filter(({ id }) => id === 'thresholds').map(({ value }) => value as Thresholds),
  );
  return [panel.fieldConfig!.defaults.thresholds as Thresholds, ...ofColumns];
}

function widthOf(panel: Panel): number {
  return panel.gridPos!.w * columnPixels - gapPixels;
}

describe('nothing', () => {
  it('is never the colour of health, on no panel and in no column', () => {
    const steps = panels.flatMap(({ name, panel }) =>
      thresholdsOf(panel).map(({ steps: [base] }) => ({ name, base: base! })),
    );
    expect(steps.length).toBeGreaterThan(100);
    for (const { base } of steps) expect(base.value).toBeNull();
    expect(steps.filter(({ base }) => healthy.has(base.color))).toEqual([]);
  });

  it('is told in words', () => {
    for (const { name, panel } of panels) {
      expect(panel.fieldConfig!.defaults.noValue, name).toMatch(/^[a-zA-Z]{2,}/);
    }
  });

  it('is a zero only where a cloud was read', () => {
    const expressions = panels.flatMap(({ panel }) => queriesOf(panel).map(({ expr }) => expr));
    expect(expressions.filter((expr) => expr.includes('vector(0)'))).toEqual([]);
  });
});

describe('on a laptop', () => {
  it('no title is cut off', () => {
    const cut = panels.filter(
      ({ panel }) => panel.title!.length * characterPixels > widthOf(panel) - besideTitlePixels,
    );
    expect(cut.map(({ name }) => name)).toEqual([]);
  });

  it('no word of a header is cut off, and headers wrap between words', () => {
    const cut = panels.flatMap(({ name, panel }) => {
      if (panel.type !== 'table') return [];
      expect(panel.fieldConfig!.defaults.custom, name).toMatchObject({ wrapHeaderText: true });
      return columnsOf(panel)
        .filter(({ title, width, isFilterable }) => longestWord(title, isFilterable) > width)
        .map(({ title, width }) => `${name}: ${title} in ${Math.round(width)} pixels`);
    });
    expect(cut).toEqual([]);
  });

  it('servers, hosts and regions have room for their names', () => {
    for (const { panel } of panels) {
      for (const { title, width } of panel.type === 'table' ? columnsOf(panel) : []) {
        if (['Server', 'Host', 'Region'].includes(title)) expect(width, panel.title).toBeGreaterThan(170);
      }
    }
  });
});

function longestWord(title: string, isFilterable: boolean): number {
  const letters = Math.max(...title.split(' ').map((word) => word.length));
  return letters * characterPixels + besideHeaderPixels + (isFilterable ? filterPixels : 0);
}

/** Columns in the widths that they have on a laptop: as given, and the others share what is left. */
function columnsOf(panel: Panel) {
  const transformation = panel.transformations!.find(({ id }) => id === 'filterFieldsByName')!;
  const { names } = (transformation.options as { include: { names: string[] } }).include;
  const valueOf = (title: string, id: string) =>
    overridesOf(panel)
      .filter(({ matcher }) => matcher.options === title)
      .flatMap(({ properties }) => properties)
      .find((property) => property.id === id)?.value;
  const given = names.map((title) => valueOf(title, 'custom.width') as number | undefined);
  const fixed = given.reduce<number>((sum, width) => sum + (width ?? 0), 0);
  const sharing = given.filter((width) => width === undefined).length;
  const { minWidth } = panel.fieldConfig!.defaults.custom as { minWidth: number };
  const share = Math.max(minWidth, (widthOf(panel) - fixed) / sharing);
  return names.map((title, index) => ({
    title,
    width: given[index] ?? share,
    isFilterable: valueOf(title, 'custom.filterable') === true,
  }));
}

describe('colours', () => {
  it('of a state and of a kind of problem are the same on every board', () => {
    let lines = 0;
    for (const { name, panel } of panels) {
      for (const { expr, refId } of queriesOf(panel)) {
        const [, label, value] = /(state|problem)="(\w+)"/.exec(expr) ?? [];
        const given = overridesOf(panel)
          .filter(({ matcher }) => matcher.id === 'byFrameRefID' && matcher.options === refId)
          .flatMap(({ properties }) => properties)
          .find(({ id }) => id === 'color')?.value as { fixedColor: string } | undefined;
        if (!given || !label) continue;
        lines += 1;
        const known =
          label === 'state' ? stateColours[value as keyof typeof stateColours] : kind(value!).colour;
        expect(given.fixedColor, `${name} ${value}`).toBe(known);
      }
    }
    expect(lines).toBeGreaterThan(50);
  });

  it('of tiles that count a problem are those of its urgency', () => {
    const counting = tiles.filter(({ expr }) => /problem="\w+"/.test(expr));
    expect(counting.length).toBeGreaterThan(8);
    for (const { expr, panel } of counting) {
      const [, value] = /problem="(\w+)"/.exec(expr)!;
      const { steps } = panel.fieldConfig!.defaults.thresholds as Thresholds;
      expect(steps.at(-1)!.color, panel.title).toBe(urgencies[kind(value!).urgency].color);
    }
  });

  it('of a problem that is a state are those of the state', () => {
    for (const { kind: name, colour } of problemKinds) {
      if (name in stateColours) expect(colour).toBe(stateColours[name as keyof typeof stateColours]);
    }
  });

  it('leave plain tiles plain', () => {
    for (const { panel, title } of tiles) {
      const { steps } = panel.fieldConfig!.defaults.thresholds as Thresholds;
      if (steps.length === 1) expect(panel.options, title).toMatchObject({ colorMode: 'none' });
    }
  });
});

function kind(name: string) {
  return problemKinds.find((each) => each.kind === name)!;
}

describe('numbers', () => {
  it('that count are whole', () => {
    for (const { name, panel } of panels) {
      const { unit, decimals } = panel.fieldConfig!.defaults;
      if (unit === 'locale' && panel.type !== 'table') expect(decimals, name).toBe(0);
      for (const { properties } of overridesOf(panel)) {
        const value = (id: string) => properties.find((property) => property.id === id)?.value;
        if (value('unit') === 'locale') expect(value('decimals'), name).toBe(0);
      }
    }
  });

  it('have legends that show what is not zero, worst first', () => {
    for (const { name, panel } of panels.filter(({ panel: { type } }) => type === 'timeseries')) {
      expect(overridesOf(panel), name).toContainEqual({
        matcher: { id: 'byValue', options: { reducer: 'allIsZero', op: 'gte', value: 0 } },
        properties: [{ id: 'custom.hideFrom', value: { legend: true, tooltip: true, viz: false } }],
      });
      const asked = queriesOf(panel).flatMap(({ expr }) => /state="(\w+)"/.exec(expr)?.[1] ?? []);
      if (asked.length > 1) expect(asked, name).toEqual(states);
    }
  });

  it('keep the name of a bar that is alone', () => {
    const gauges = panels.filter(({ panel: { type } }) => type === 'bargauge');
    expect(gauges.length).toBeGreaterThan(3);
    for (const { panel } of gauges) {
      expect(panel.fieldConfig!.defaults.displayName).toMatch(/\$\{__field\.labels\.\w+\}/);
    }
  });

  it('name the cloud beside every name that is of a cloud', () => {
    for (const { name, panel } of panels) {
      if (panel.type === 'table') {
        const titles = columnsOf(panel).map(({ title }) => title);
        if (titles.some((title) => ['Server', 'Host', 'Zone', 'Project'].includes(title)))
          expect(titles, name).toContain('Cloud');
      }
      for (const { legend } of queriesOf(panel)) {
        if (/\{\{(region|zone|project|host)\}\}/.test(legend)) expect(legend, name).toContain('{{cloud}}');
      }
    }
  });

  it('over time have no pager for one page', () => {
    const timelines = panels.filter(({ panel: { type } }) => type === 'state-timeline');
    expect(timelines).toHaveLength(1);
    for (const { panel } of timelines) expect(panel.options).toMatchObject({ perPage: 0 });
  });
});
