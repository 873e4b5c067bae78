import { TableCellHeight } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { toHost, toProject, toRunbook } from './links.ts';
import { noExporter, whyNoRow } from './absence.ts';
import { inCells, units, type Steps, type Unit, type Words } from './look.ts';
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
  /** Rows of 42 pixels, of which more heights hold whole ones. */
  readonly isTall?: boolean;
  /** Labels that become columns, from left to right, and their titles. The first one names the row of the others. */
  readonly labels: Readonly<Record<string, string>>;
  /** The labels by which rows differ, if these are not the columns. */
  readonly by?: readonly string[];
  /** The largest by this come first, and are shown. */
  readonly largestBy: string;
  readonly columns: readonly Column[];
  /** Titles of labels that have what width is left, if not the first one and regions. */
  readonly wide?: readonly string[];
  /** Titles of labels that only links use. */
  readonly forLinks?: readonly string[];
  /** Titles in another order than labels first and numbers then. */
  readonly order?: readonly string[];
  /** Colours of words, by the title of a label's column. */
  readonly colours?: Readonly<Record<string, readonly ValueMapping[]>>;
}

/** Pixels of a column of names. The first one of a table, and regions, have what is left, and at least as much. */
const widths: Readonly<Record<string, number>> = {
  Server: 180,
  Host: 120,
  Region: 80,
  Zone: 90,
  Cloud: 78,
  Project: 110,
  Domain: 80,
  Hypervisor: 120,
  Model: 150,
  Storage: 200,
  Network: 150,
  VPC: 90,
  Type: 90,
  Problems: 134,
  Alert: 210,
  Exporter: 160,
  List: 140,
  Reason: 120,
  Status: 100,
  State: 100,
  Runbook: 90,
  Version: 90,
  'Node.js': 90,
  Account: 140,
  Subscription: 130,
  Resource: 90,
};
/** Of a column of numbers, by what they are; more where the title needs it, because a header of two lines cuts rows. */
const numberWidths: Partial<Record<Unit, number>> = { bytes: 82, age: 82, ago: 134, date: 165, count: 60 };

export const zoneLabels = { zone: 'Zone', cloud: 'Cloud', region: 'Region' };
export const hostLabels = { host: 'Host', zone: 'Zone', cloud: 'Cloud' };
export const projectLabels = { project: 'Project', cloud: 'Cloud', project_domain: 'Domain' };

/** With the row of the others, as many as a panel may draw. */
const mostRows = 29;
/** What the others have in a column of a list. */
const ofOthers = -1;

/** Of the row that says why there is no other. */
const note = { note: 'Note' };
/** Where these say the same in every row, they are not shown, but links still use them. */
const oftenTheSame = new Set(['Cloud', 'Region', 'Domain']);

/** Rows by labels, columns by query. */
export function table(frame: Table): Drawing {
  const { width = 24, height, columns, labels, uses = [], nothing = 'None.' } = frame;
  const rows = rowsOf(frame);
  const names = { ...labels, ...note, ...titlesOf(columns) };
  const builder = new PanelBuilder()
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(units.count.unit)
    .thresholds(thresholds({ base: 'transparent', from: [] }))
    // The usual 150 would push columns out of a laptop's half-width table.
    .minWidth(70)
    .cellHeight(frame.isTall ? TableCellHeight.Md : TableCellHeight.Sm)
    .noValue(noExporter.table)
    .targets(
      [rows.order, ...columns.map(rows.column), whyNoRow(frame.largestBy, nothing, ...uses)].map(
        (expr, position) => target(expr, position).instant().format(PromQueryFormat.Table),
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
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names: Object.values(names) } } })
    // What says the same in every row, and then the numbers of which there is none.
    .withOverride(ifValue('distinctCount', 'lte', false))
    .withOverride({ matcher: { id: 'byType', options: 'number' }, properties: shown(false) })
    .withOverride(ifValue('nonNullCount', 'gte', true));
  for (const [title, properties] of overridesOf(frame)) builder.overrideByName(title, properties);
  return {
    width,
    height,
    draw({ id, x, y }) {
      const panel = builder.id(id).gridPos({ x, y, w: width, h: height }).build();
      // The builder does not know this option yet. Without it, long titles are cut off in narrow columns.
      Object.assign(panel.fieldConfig!.defaults.custom as object, { wrapHeaderText: true });
      return panel;
    },
  };
}

/** Grafana calls it `hidden` before version 12.2 and `hideFrom` since. */
function shown(isShown: boolean): DynamicConfigValue[] {
  const hideFrom = { viz: !isShown, legend: !isShown, tooltip: !isShown };
  return [property('custom.hidden', !isShown), property('custom.hideFrom', hideFrom)];
}

function ifValue(reducer: string, op: string, isShown: boolean) {
  return { matcher: { id: 'byValue', options: { reducer, op, value: 1 } }, properties: shown(isShown) };
}

/**
 * The queries. Rows stand in the order in which the answers name them, so the first has all but the others in their
 * order, and the others, of which only the next ones know, stand last.
 */
function rowsOf({ labels, by = Object.keys(labels), largestBy }: Table) {
  const inRow = othersIn(labels);
  const largest = `topk(${mostRows}, ${largestBy})`;
  const ofLargest = `on (${by.join(', ')}) ${largest}`;
  const more = `count(${largestBy}) - ${mostRows} > 0`;
  // With the name of the only cloud, its column says the same in every row.
  const ofOnlyCloud = (vector: string) =>
    'cloud' in labels ? `label_replace(${vector}, "cloud", "$only_cloud", "", "")` : vector;
  return {
    order: `sort_desc(${largest})`,
    column(column: Column): string {
      if ('each' in column) return `(${column.each}) and ${ofLargest}`;
      if ('sum' in column) {
        const sum = `label_replace(sum((${column.sum}) unless ${ofLargest}), "${inRow}", "others", "", "")`;
        return `(${column.sum}) and ${ofLargest} or ${ofOnlyCloud(sum)}`;
      }
      const count = `label_replace(count_values("${inRow}", ${more}), "${inRow}", "$1 others", "${inRow}", "(.+)")`;
      return `(${column.list}) and ${ofLargest} or ${ofOthers} + 0 * ${ofOnlyCloud(count)}`;
    },
  };
}

/** The others have no page of their own: their name stands where no link is. */
function othersIn(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels).find((label) => !['cloud', 'project', 'host'].includes(label)) ?? 'cloud';
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

function overridesOf({
  labels,
  columns,
  order,
  wide = (order ?? Object.values(labels)).slice(0, 1).concat('Region'),
  colours = {},
  forLinks = [],
}: Table): Map<string, DynamicConfigValue[]> {
  const links = new Map([toProject, toHost, toRunbook].map(({ on, ...link }) => [on, link]));
  const overrides = new Map<string, DynamicConfigValue[]>([['Note', shown(true)]]);
  for (const title of Object.values(labels)) {
    const link = links.get(title);
    overrides.set(title, [
      property('custom.filterable', true),
      // A dash would be a link too.
      property('noValue', link ? '' : '–'),
      property(wide.includes(title) ? 'custom.minWidth' : 'custom.width', widths[title]),
      ...(oftenTheSame.has(title) && !forLinks.includes(title) ? [] : shown(!forLinks.includes(title))),
      ...(link ? [property('links', [link])] : []),
      ...(colours[title] ? [property('mappings', colours[title]), inColour] : []),
    ]);
  }
  for (const column of columns) overrides.set(column.title, lookOf(column));
  return overrides;
}

const inColour = property('custom.cellOptions', { type: 'color-background', mode: 'basic' });

/** Of the title in one line, of the numbers, or of the words in their place. */
function widthOf({ title, texts = {} }: Column, unit: Unit): number {
  const count = (letters: RegExp) => title.match(letters)?.length ?? 0;
  const letters =
    8.4 * title.length + 2.5 * count(/[A-Z%]/g) + 4.6 * count(/[Mmw]/g) - 3.4 * count(/[fijlrt ,.]/g);
  const words = Object.values(texts).map(({ text }) => 7.2 * text.length + 16);
  return Math.round(Math.max(numberWidths[unit] ?? 50, letters + 15, ...words));
}

/** A dash says that there is no value. */
function lookOf(column: Column): DynamicConfigValue[] {
  const { unit = 'count', steps } = column;
  const texts = {
    ...column.texts,
    ...('list' in column && { [ofOthers]: { text: '…', color: 'transparent' } }),
  };
  const hasTexts = Object.keys(texts).length > 0;
  const calm = Object.entries(texts).map(([key, { text, color }]) => [key, { text, color: inCells(color) }]);
  const properties = [
    property('noValue', '–'),
    property('custom.width', widthOf(column, unit)),
    ...written(unit),
  ];
  if (hasTexts) properties.push(property('mappings', [{ type: 'value', options: Object.fromEntries(calm) }]));
  if (steps) {
    const from = steps.from.map(([number, colour]) => [number, inCells(colour)] as const);
    properties.push(property('thresholds', thresholds({ base: 'transparent', from }).build()));
  }
  if (steps || hasTexts) properties.push(inColour);
  return properties;
}
