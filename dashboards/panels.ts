import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  MappingType,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type DashboardLink,
  type DynamicConfigValue,
  type Panel,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { noExporter, orWhy, whyNoLine, words, type Need } from './absence.ts';
import {
  grey,
  inTiles,
  problemKinds,
  stateColours,
  states,
  units,
  type Format,
  type Steps,
  type Unit,
  type Words,
} from './look.ts';
import type { Query } from './promql.ts';
import { datasource } from './variables.ts';

/** What every panel has. Widths are of 24, heights in Grafana's steps of 30 pixels and a gap. */
export interface Frame {
  readonly title: string;
  readonly description: string;
  /** A count, unless said. */
  readonly unit?: Unit;
  readonly width?: number;
  readonly height?: number;
  readonly steps?: Steps;
  readonly link?: { readonly title: string; readonly url: string };
  /** What it is made of beside the servers. */
  readonly uses?: readonly Need[];
  /** What to say where somebody was read and there is nothing. */
  readonly nothing?: string;
}

/** Given its place on the board, a panel. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly draw: (place: { id: number; x: number; y: number }) => Panel;
}

export function target(expr: string, position: number): DataqueryBuilder {
  return new DataqueryBuilder().datasource(datasource).expr(expr).refId(refIdOf(position));
}

export const refIdOf = (position: number) => String.fromCharCode(65 + position);

export function property(id: string, value: unknown): DynamicConfigValue {
  return { id, value };
}

/** How a number is written, for one query or column. */
export function written(unit: Unit): DynamicConfigValue[] {
  return Object.entries(units[unit]).map(([id, value]) => property(id, value));
}

export function thresholds({ base, from }: Steps): ThresholdsConfigBuilder {
  const steps = [{ value: null, color: base }, ...from.map(([value, color]) => ({ value, color }))];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

/** With the size of its kind, unless the frame has its own. */
function framed(
  builder: Stat | StateTimeline | TimeSeries,
  frame: Frame,
  [usualWidth, usualHeight]: readonly [number, number],
): Drawing {
  const { width = usualWidth, height = usualHeight, link, nothing = 'none' } = frame;
  const { unit, decimals }: Format = units[frame.unit ?? 'count'];
  builder
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(unit)
    .noValue(nothing)
    .thresholds(thresholds(frame.steps ?? inTiles));
  if (decimals !== undefined) builder.decimals(decimals);
  if (link) builder.dataLinks([{ build: () => link as DashboardLink }]);
  return {
    width,
    height,
    draw: ({ id, x, y }) => builder.id(id).gridPos({ x, y, w: width, h: height }).build(),
  };
}

const latest = new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false);

export interface Tile {
  readonly name: string;
  readonly expr: string;
  readonly steps?: Steps;
  readonly unit?: Unit;
  readonly uses?: readonly Need[];
  /** Words for numbers of a tile that says by itself why it has none. */
  readonly mappings?: readonly ValueMapping[];
}

/** Some numbers side by side, each with its name and in its colour; all letters of one size, however many there are. */
export function stats(frame: Omit<Frame, 'unit' | 'steps'> & { readonly tiles: readonly Tile[] }): Drawing {
  const { tiles } = frame;
  const builder = new Stat()
    .targets(
      tiles.map(({ expr, name, mappings, uses = frame.uses ?? [] }, position) =>
        target(mappings ? expr : orWhy(expr, ...uses), position)
          .instant()
          .legendFormat(name),
      ),
    )
    .reduceOptions(latest)
    .textMode(common.BigValueTextMode.ValueAndName)
    .text(new common.VizTextDisplayOptionsBuilder().titleSize(12).valueSize(18))
    .orientation(common.VizOrientation.Vertical)
    .colorMode(common.BigValueColorMode.BackgroundSolid)
    .graphMode(common.BigValueGraphMode.None);
  for (const [position, { unit, steps, mappings }] of tiles.entries()) {
    builder.overrideByQuery(refIdOf(position), [
      ...written(unit ?? 'count'),
      property('thresholds', thresholds(steps ?? inTiles).build()),
      property('mappings', mappings ?? [{ type: MappingType.ValueToText, options: words }]),
    ]);
  }
  return framed(builder, { nothing: noExporter.tile, ...frame }, [24, 3]);
}

/** Lines that mean something have the colour that says it. */
function colourQueries(builder: TimeSeries, queries: readonly Pick<Query, 'colour'>[]): void {
  for (const [position, { colour }] of queries.entries()) {
    if (colour)
      builder.overrideByQuery(refIdOf(position), [property('color', { mode: 'fixed', fixedColor: colour })]);
  }
}

export interface Lines extends Frame {
  /** In the order of the legend: worst first. */
  readonly queries: readonly (Query & { readonly unit?: Unit })[];
  readonly stacked?: boolean;
}

export function lines(frame: Lines): Drawing {
  const { stacked = false, unit, uses = [] } = frame;
  const queries = [...frame.queries, { expr: whyNoLine(...uses), legend: '{{note}}', colour: grey }];
  const builder = new TimeSeries()
    .targets(queries.map(({ expr, legend }, position) => target(expr, position).range().legendFormat(legend)))
    .min(0)
    // Otherwise an axis of zeros goes up to a hundred.
    .axisSoftMax(unit === 'share over time' ? 0.1 : 1)
    .lineWidth(1)
    .fillOpacity(stacked ? 60 : 0)
    .gradientMode(common.GraphGradientMode.None)
    .lineInterpolation(common.LineInterpolation.Linear)
    .showPoints(common.VisibilityMode.Never)
    .stacking(
      new common.StackingConfigBuilder()
        .mode(stacked ? common.StackingMode.Normal : common.StackingMode.None)
        .group('A'),
    )
    // Below: beside the plot, names would take most of it on a laptop.
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip({ build: () => ({ mode: common.TooltipDisplayMode.Multi, sort: common.SortOrder.Descending }) })
    // A legend of zeros hides what is not zero.
    .withOverride({
      matcher: { id: 'byValue', options: { reducer: 'allIsZero', op: 'gte', value: 0 } },
      properties: [property('custom.hideFrom', { legend: true, tooltip: true, viz: false })],
    });
  colourQueries(builder, queries);
  builder.overrideByQuery(refIdOf(queries.length - 1), [
    property('custom.hideFrom', { legend: false, tooltip: true, viz: false }),
    property('custom.stacking', { mode: 'none', group: 'A' }),
  ]);
  for (const [position, query] of frame.queries.entries()) {
    if (query.unit) builder.overrideByQuery(refIdOf(position), written(query.unit));
  }
  return framed(builder, frame, [12, 8]);
}

/** One query for each state, worst first, each in its colour. The legend is the state, or a label of the answer. */
export function byState(
  expressionOf: (matcher: string) => string,
  legendOf = (state: string) => state.replace('_', ' '),
): Query[] {
  return states.map((state) => ({
    expr: expressionOf(`state="${state}"`),
    legend: legendOf(state),
    colour: stateColours[state],
  }));
}

/** One query for each kind of problem, worst first, each in a shade of its urgency's colour. */
export function byProblem(expressionOf: (matcher: string) => string): Query[] {
  return problemKinds.map(({ kind, colour, words: legend }) => ({
    expr: expressionOf(`problem="${kind}"`),
    legend,
    colour,
  }));
}

/** Good and bad over time, one band for each of a kind. */
export function bands(frame: Frame & Query & { readonly texts: Words }): Drawing {
  const builder = new StateTimeline()
    .withTarget(target(frame.expr, 0).range().legendFormat(frame.legend))
    .mergeValues(true)
    .showValue(common.VisibilityMode.Never)
    .lineWidth(0)
    .fillOpacity(80)
    .legend(new common.VizLegendOptionsBuilder().showLegend(false))
    .mappings([{ type: MappingType.ValueToText, options: frame.texts }]);
  const { draw, ...size } = framed(builder, frame, [24, 5]);
  return {
    ...size,
    draw(place) {
      const panel = draw(place);
      // Zero is "no pages", which the builder does not know; otherwise there is a pager even for one page.
      return { ...panel, options: { ...(panel.options as object), perPage: 0 } };
    },
  };
}
