import { TableCellHeight } from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table';
import { property, refIdOf, target, thresholds, type Drawing, type Frame, type Unit } from './panels.ts';
import { plain, type Steps } from './thresholds.ts';
import { datasource } from './variables.ts';

/** A column of numbers, one query each. */
export interface Column {
  readonly title: string;
  readonly expr: string;
  readonly unit?: Unit;
  readonly steps?: Steps;
  readonly texts?: Readonly<Record<string, { text: string; color: string }>>;
}

export interface Table extends Omit<Frame, 'unit' | 'link'> {
  /** Labels that become columns, from left to right, and their titles. */
  readonly labels: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
  /** The title of the column by which it is sorted, the largest first. */
  readonly sortBy?: string;
  /** A link on the cells of one label's column. */
  readonly links?: readonly { readonly on: string; readonly title: string; readonly url: string }[];
  /** Numbers that say nothing: a table of names. */
  readonly hideNumbers?: boolean;
}

/** Rows by labels, columns by query. */
export function table(frame: Table): Drawing {
  const { width, height, columns, labels, hideNumbers = false } = frame;
  const isSingle = columns.length === 1;
  const valueName = (position: number) => (isSingle ? 'Value' : `Value #${refIdOf(position)}`);
  const titles = Object.fromEntries(columns.map(({ title }, position) => [valueName(position), title]));
  const order = [...Object.keys(labels), ...Object.keys(titles)];
  const hidden = ['Time', ...(hideNumbers ? Object.keys(titles) : [])];

  const builder = new PanelBuilder()
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit('short')
    .thresholds(thresholds(plain))
    .filterable(true)
    // The usual 150 would push columns out of a laptop's half-width table.
    .minWidth(80)
    .cellHeight(TableCellHeight.Sm)
    .noValue('–')
    .targets(
      columns.map(({ expr }, position) =>
        target(expr, refIdOf(position)).instant().format(PromQueryFormat.Table),
      ),
    )
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(order.map((name, position) => [name, position])),
        renameByName: { ...labels, ...titles },
        excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
      },
    })
    // Labels that are neither asked for nor grouped away, such as those that a user added, would only be in the way.
    .withTransformation({
      id: 'filterFieldsByName',
      options: {
        include: { names: [...Object.values(labels), ...(hideNumbers ? [] : Object.values(titles))] },
      },
    });
  if (frame.sortBy) builder.sortBy([{ build: () => ({ displayName: frame.sortBy!, desc: true }) }]);
  for (const column of columns) {
    const properties = lookOf(column);
    if (properties.length > 0) builder.overrideByName(column.title, properties);
  }
  for (const { on, title, url } of frame.links ?? []) {
    builder.overrideByName(on, [property('links', [{ title, url }])]);
  }
  return {
    width,
    height,
    draw: ({ id, x, y }) => builder.id(id).gridPos({ x, y, w: width, h: height }).build(),
  };
}

function lookOf({ unit, steps, texts }: Column): DynamicConfigValue[] {
  const properties: DynamicConfigValue[] = [];
  if (unit) properties.push(property('unit', unit));
  if (texts) properties.push(property('mappings', [{ type: 'value', options: texts }]));
  if (steps) properties.push(property('thresholds', thresholds(steps).build()));
  if (steps || texts) properties.push(property('custom.cellOptions', { type: 'color-text' }));
  return properties;
}
