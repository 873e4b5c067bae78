import { TableCellHeight } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { plain, units, type Steps, type Unit, type Words } from './look.ts';
import { property, refIdOf, target, thresholds, written, type Drawing, type Frame } from './panels.ts';
import { datasource } from './variables.ts';

/** A column of numbers, one query each. */
export interface Column {
  readonly title: string;
  readonly expr: string;
  readonly unit?: Unit;
  readonly steps?: Steps;
  readonly texts?: Words;
}

export interface Table extends Omit<Frame, 'unit' | 'link' | 'steps'> {
  /** Labels that become columns, from left to right, and their titles. */
  readonly labels: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
  /** Titles in another order than labels first and numbers then. */
  readonly order?: readonly string[];
  /** Colours of words, by the title of a label's column. */
  readonly colours?: Readonly<Record<string, readonly ValueMapping[]>>;
  readonly sortBy?: readonly { readonly title: string; readonly descending: boolean }[];
  /** A link on the cells of one label's column. */
  readonly links?: readonly { readonly on: string; readonly title: string; readonly url: string }[];
  /** Numbers that say nothing: a table of names. */
  readonly hideNumbers?: boolean;
}

/** Pixels of columns that hold names, so that these can be read on a laptop; numbers share what is left. */
const nameWidths: Readonly<Record<string, number>> = {
  Server: 178,
  Host: 172,
  Region: 215,
  Zone: 115,
  Cloud: 76,
  Project: 95,
  Hypervisor: 112,
  Model: 160,
  Storage: 240,
  List: 120,
  Problems: 145,
  Look: 66,
  When: 100,
  Ends: 165,
  'Memory full': 115,
  'Memory lasts': 120,
  'N+1': 64,
  Fit: 60,
};

export const largestFirst = (title: string) => [{ title, descending: true }];

/** Rows by labels, columns by query. */
export function table(frame: Table): Drawing {
  const { width, height, columns, labels, hideNumbers = false, nothing = 'none known' } = frame;
  const titles = titlesOf(columns);
  const shown = { ...labels, ...(hideNumbers ? {} : titles) };
  const builder = new PanelBuilder()
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(units.count.unit)
    .thresholds(thresholds(plain))
    // The usual 150 would push columns out of a laptop's half-width table.
    .minWidth(70)
    .cellHeight(TableCellHeight.Sm)
    .noValue(nothing)
    .targets(
      columns.map(({ expr }, position) => target(expr, position).instant().format(PromQueryFormat.Table)),
    )
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: indexesOf({ ...labels, ...titles }, frame.order ?? []),
        renameByName: { ...labels, ...titles },
        excludeByName: Object.fromEntries(
          ['Time', ...(hideNumbers ? Object.keys(titles) : [])].map((name) => [name, true]),
        ),
      },
    })
    // Labels that are neither asked for nor grouped away, such as those that a user added, would only be in the way.
    .withTransformation({
      id: 'filterFieldsByName',
      options: { include: { names: Object.values(shown) } },
    });
  if (frame.sortBy) {
    builder.sortBy(
      frame.sortBy.map(({ title, descending }) => ({
        build: () => ({ displayName: title, desc: descending }),
      })),
    );
  }
  for (const [title, properties] of overridesOf(frame)) builder.overrideByName(title, properties);
  return {
    width,
    height,
    draw({ id, x, y }) {
      const panel = builder.id(id).gridPos({ x, y, w: width, h: height }).build();
      // The builder does not know this option yet. Without it, long titles of columns are cut off.
      Object.assign(panel.fieldConfig!.defaults.custom as object, { wrapHeaderText: true });
      return panel;
    },
  };
}

/** Grafana's name of each column of numbers, and ours. */
function titlesOf(columns: readonly Column[]): Record<string, string> {
  const nameOf = (position: number) => (columns.length === 1 ? 'Value' : `Value #${refIdOf(position)}`);
  return Object.fromEntries(columns.map(({ title }, position) => [nameOf(position), title]));
}

function indexesOf(titles: Readonly<Record<string, string>>, order: readonly string[]) {
  const place = (title: string) => (order.includes(title) ? order.indexOf(title) : order.length);
  const sorted = Object.entries(titles).toSorted(([, one], [, other]) => place(one) - place(other));
  return Object.fromEntries(sorted.map(([name], position) => [name, position]));
}

function overridesOf({ labels, columns, colours, links }: Table): Map<string, DynamicConfigValue[]> {
  const overrides = new Map<string, DynamicConfigValue[]>();
  const add = (title: string, ...properties: DynamicConfigValue[]) =>
    overrides.set(title, [...(overrides.get(title) ?? []), ...properties]);
  for (const title of Object.values(labels)) {
    add(title, property('custom.filterable', true), property('noValue', '–'));
  }
  for (const column of columns) add(column.title, ...lookOf(column));
  for (const title of overrides.keys()) {
    const pixels = nameWidths[title];
    if (pixels !== undefined) add(title, property('custom.width', pixels));
  }
  for (const [title, mappings] of Object.entries(colours ?? {})) {
    add(title, property('mappings', mappings), property('custom.cellOptions', { type: 'color-text' }));
  }
  for (const { on, title, url } of links ?? []) add(on, property('links', [{ title, url }]));
  return overrides;
}

/** A dash says that there is no value; the words of the table say that there is no row. */
function lookOf({ unit = 'count', steps, texts }: Column): DynamicConfigValue[] {
  const properties = [property('noValue', '–'), ...written(unit)];
  if (texts) properties.push(property('mappings', [{ type: 'value', options: texts }]));
  if (steps) properties.push(property('thresholds', thresholds(steps).build()));
  if (steps || texts) properties.push(property('custom.cellOptions', { type: 'color-text' }));
  return properties;
}
