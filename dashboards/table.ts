import { TableCellHeight } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { toHost, toProject } from './links.ts';
import { plain, units, type Steps, type Unit, type Words } from './look.ts';
import { property, refIdOf, target, thresholds, written, type Drawing, type Frame } from './panels.ts';
import { datasource } from './variables.ts';

interface Look {
  readonly title: string;
  readonly unit?: Unit;
  readonly steps?: Steps;
  readonly texts?: Words;
}

/** A column of numbers: `each` has none in the row of the others, `sum` their sum, and `list` says how many they are. */
export type Column = Look &
  ({ readonly each: string } | { readonly sum: string } | { readonly list: string });

export interface Table extends Omit<Frame, 'unit' | 'link' | 'steps'> {
  readonly height: number;
  /** Labels that become columns, from left to right, and their titles. The first one names the row of the others. */
  readonly labels: Readonly<Record<string, string>>;
  /** The labels by which rows differ, if these are not the columns. */
  readonly by?: readonly string[];
  /** The largest by this come first, and are shown. */
  readonly largestBy: string;
  readonly columns: readonly Column[];
  /** Titles in another order than labels first and numbers then. */
  readonly order?: readonly string[];
  /** Colours of words, by the title of a label's column. */
  readonly colours?: Readonly<Record<string, readonly ValueMapping[]>>;
}

/** Pixels of columns that hold names, so that these can be read on a laptop; numbers share what is left. */
const widths: Readonly<Record<string, number>> = {
  Server: 172,
  Host: 150,
  Region: 215,
  Zone: 115,
  Cloud: 78,
  Project: 95,
  Hypervisor: 125,
  Model: 160,
  Storage: 260,
  Type: 90,
  List: 145,
  Problems: 160,
  Look: 66,
  When: 100,
  Ends: 165,
  Id: 300,
  'N+1': 64,
  Fit: 60,
};

/** The title of what may be the last column of names, which fills the table, has to fit. */
const leastWidths: Readonly<Record<string, number>> = { Domain: 90 };

export const zoneLabels = { zone: 'Zone', cloud: 'Cloud', region: 'Region' };
export const hostLabels = { host: 'Host', ...zoneLabels };
export const projectLabels = { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' };

/** With the row of the others, as many as a panel may draw. */
const mostRows = 29;
/** What the others have in a column of a list. */
const ofOthers = -1;

/** Rows by labels, columns by query. */
export function table(frame: Table): Drawing {
  const { width = 24, height, columns, labels } = frame;
  const rows = rowsOf(frame);
  const names = { ...labels, ...titlesOf(columns) };
  const builder = new PanelBuilder()
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(units.count.unit)
    .thresholds(thresholds(plain))
    // The usual 150 would push columns out of a laptop's half-width table.
    .minWidth(70)
    .cellHeight(TableCellHeight.Sm)
    .noValue(frame.nothing ?? 'none known')
    .targets(
      [rows.order, ...columns.map(rows.column)].map((expr, position) =>
        target(expr, position).instant().format(PromQueryFormat.Table),
      ),
    )
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: indexesOf(names, frame.order ?? []),
        renameByName: names,
        excludeByName: { Time: true },
      },
    })
    // What gives the order, and labels that a user added, would only be in the way.
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names: Object.values(names) } } });
  for (const [title, properties] of overridesOf(frame)) builder.overrideByName(title, properties);
  return {
    width,
    height,
    draw({ id, x, y }) {
      const panel = builder.id(id).gridPos({ x, y, w: width, h: height }).build();
      // The builder does not know this option yet. Without it, long titles are cut off where there is less room.
      Object.assign(panel.fieldConfig!.defaults.custom as object, { wrapHeaderText: true });
      return panel;
    },
  };
}

/**
 * The queries. Rows stand in the order in which the answers name them, so the first has all but the others in their
 * order, and the others, of which only the next ones know, stand last.
 */
function rowsOf({ labels, by = Object.keys(labels), largestBy }: Table) {
  const [first] = Object.keys(labels);
  const largest = `topk(${mostRows}, ${largestBy})`;
  const ofLargest = `on (${by.join(', ')}) ${largest}`;
  const more = `count(${largestBy}) - ${mostRows} > 0`;
  return {
    order: `sort_desc(${largest})`,
    column(column: Column): string {
      if ('each' in column) return `(${column.each}) and ${ofLargest}`;
      if ('sum' in column)
        return `(${column.sum}) and ${ofLargest} or label_replace(sum((${column.sum}) unless ${ofLargest}), "${first}", "others", "", "")`;
      return `(${column.list}) and ${ofLargest} or ${ofOthers} + 0 * label_replace(count_values("${first}", ${more}), "${first}", "$1 others", "${first}", "(.+)")`;
    },
  };
}

/** Grafana's name of each column of numbers, and ours. */
function titlesOf(columns: readonly Column[]): Record<string, string> {
  return Object.fromEntries(columns.map(({ title }, index) => [`Value #${refIdOf(index + 1)}`, title]));
}

function indexesOf(titles: Readonly<Record<string, string>>, order: readonly string[]) {
  const place = (title: string) => (order.includes(title) ? order.indexOf(title) : order.length);
  const sorted = Object.entries(titles).toSorted(([, one], [, other]) => place(one) - place(other));
  return Object.fromEntries(sorted.map(([name], position) => [name, position]));
}

function overridesOf({ labels, columns, colours = {} }: Table): Map<string, DynamicConfigValue[]> {
  const overrides = new Map<string, DynamicConfigValue[]>();
  const add = (title: string, ...properties: DynamicConfigValue[]) =>
    overrides.set(title, [...(overrides.get(title) ?? []), ...properties]);
  for (const title of Object.values(labels)) {
    add(title, property('custom.filterable', true), property('noValue', '–'));
  }
  for (const column of columns) add(column.title, ...lookOf(column));
  for (const title of overrides.keys()) {
    const pixels = widths[title];
    if (pixels !== undefined) add(title, property('custom.width', pixels));
    const least = leastWidths[title];
    if (least !== undefined) add(title, property('custom.minWidth', least));
  }
  for (const [title, mappings] of Object.entries(colours)) {
    add(title, property('mappings', mappings), property('custom.cellOptions', { type: 'color-text' }));
  }
  for (const { on, ...link } of [toProject, toHost])
    if (overrides.has(on)) add(on, property('links', [link]));
  return overrides;
}

/** A dash says that there is no value; the words of the table say that there is no row. */
function lookOf(column: Column): DynamicConfigValue[] {
  const { unit = 'count', steps } = column;
  const texts = { ...column.texts, ...('list' in column && { [ofOthers]: { text: '…', color: 'text' } }) };
  const hasTexts = Object.keys(texts).length > 0;
  const properties = [property('noValue', '–'), ...written(unit)];
  if (hasTexts) properties.push(property('mappings', [{ type: 'value', options: texts }]));
  if (steps) properties.push(property('thresholds', thresholds(steps).build()));
  if (steps || hasTexts) properties.push(property('custom.cellOptions', { type: 'color-text' }));
  return properties;
}
