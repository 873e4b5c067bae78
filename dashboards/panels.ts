import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
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
import {
  neutral,
  plain,
  problemKinds,
  stateColours,
  states,
  units,
  type Format,
  type Steps,
  type Unit,
  type Words,
} from './look.ts';
import { others, type Query } from './promql.ts';
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
  /** Words for no value. */
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
  builder: BarGauge | Stat | StateTimeline | TimeSeries,
  frame: Frame,
  [usualWidth, usualHeight]: readonly [number, number],
): Drawing {
  const { width = usualWidth, height = usualHeight, link, nothing = 'not known' } = frame;
  const { unit, decimals }: Format = units[frame.unit ?? 'count'];
  builder
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(unit)
    .noValue(nothing)
    .thresholds(thresholds(frame.steps ?? plain));
  if (decimals !== undefined) builder.decimals(decimals);
  if (link) builder.dataLinks([{ build: () => link as DashboardLink }]);
  return {
    width,
    height,
    draw: ({ id, x, y }) => builder.id(id).gridPos({ x, y, w: width, h: height }).build(),
  };
}

const latest = new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false);

/** One number, to be read from afar. */
export function stat(
  title: string,
  description: string,
  expr: string,
  look: Pick<Frame, 'unit' | 'steps'> = {},
): Drawing {
  const builder = new Stat()
    .withTarget(target(expr, 0).instant())
    .reduceOptions(latest)
    .textMode(common.BigValueTextMode.Value)
    // A plain number in the text's colour is not plain on a light background.
    .colorMode(look.steps ? common.BigValueColorMode.Background : common.BigValueColorMode.None)
    .graphMode(common.BigValueGraphMode.None);
  return framed(builder, { title, description, ...look }, [6, 3]);
}

export interface Tile {
  readonly name: string;
  readonly expr: string;
  readonly steps: Steps;
  readonly unit?: Unit;
  readonly mappings?: readonly ValueMapping[];
}

/** Some numbers side by side, each with its name and in its colour. */
export function stats(frame: Omit<Frame, 'unit' | 'steps'> & { readonly tiles: readonly Tile[] }): Drawing {
  const { tiles } = frame;
  const builder = new Stat()
    .targets(tiles.map(({ expr, name }, position) => target(expr, position).instant().legendFormat(name)))
    .reduceOptions(latest)
    .textMode(common.BigValueTextMode.ValueAndName)
    .orientation(common.VizOrientation.Vertical)
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None);
  for (const [position, { unit, steps, mappings }] of tiles.entries()) {
    builder.overrideByQuery(refIdOf(position), [
      ...written(unit ?? 'count'),
      property('thresholds', thresholds(steps).build()),
      ...(mappings ? [property('mappings', mappings)] : []),
    ]);
  }
  return framed(builder, { ...frame, steps: neutral }, [24, 3]);
}

/** The largest of a kind, now. */
export function bars(
  frame: Frame & {
    readonly queries: readonly Pick<Query, 'expr' | 'colour'>[];
    /** Of a bar, by labels of the answers: `{{cloud}} {{zone}}`. */
    readonly name: string;
  },
): Drawing {
  const { queries, name } = frame;
  const builder = new BarGauge()
    .targets(queries.map(({ expr }, position) => target(expr, position).instant().legendFormat(name)))
    // Without a name set here, Grafana hides the name of a bar that is alone. It gives all of them the room that the
    // name with most letters needs, which need not be the widest: spaces, which are not drawn, make it more.
    .displayName(`${name.replaceAll(/\{\{(\w+)\}\}/g, '$${__field.labels.$1}')}   `)
    .reduceOptions(latest)
    .orientation(common.VizOrientation.Horizontal)
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .namePlacement(common.BarGaugeNamePlacement.Left)
    .sizing(common.BarGaugeSizing.Manual)
    .maxVizHeight(32)
    .valueMode(common.BarGaugeValueMode.Text)
    .min(0);
  colourQueries(builder, queries);
  return framed(builder, { steps: neutral, nothing: 'none known', ...frame }, [12, 9]);
}

/** Lines that mean something have the colour that says it. */
function colourQueries(builder: BarGauge | TimeSeries, queries: readonly Pick<Query, 'colour'>[]): void {
  for (const [position, { colour }] of queries.entries()) {
    if (colour)
      builder.overrideByQuery(refIdOf(position), [property('color', { mode: 'fixed', fixedColor: colour })]);
  }
}

/** Pixels of a legend for names of one and two parts, and of more, such as cloud, zone and region. */
const legendWidths = [180, 260];
const widestLegend = 300;

/** Few short names stand below; names beside which there are others stand beside, one a line, so that none is cut. */
function legendOf(queries: readonly Query[]) {
  const builder = new common.VizLegendOptionsBuilder()
    .displayMode(common.LegendDisplayMode.List)
    .showLegend(true);
  if (!queries.some(({ legend }) => legend === others))
    return builder.placement(common.LegendPlacement.Bottom);
  const parts = Math.max(...queries.map(({ legend }) => legend.match(/\{\{/g)?.length ?? 1));
  return builder.placement(common.LegendPlacement.Right).width(legendWidths[parts - 1] ?? widestLegend);
}

export interface Lines extends Frame {
  /** In the order of the legend: worst first. */
  readonly queries: readonly (Query & { readonly unit?: Unit })[];
  readonly stacked?: boolean;
}

export function lines(frame: Lines): Drawing {
  const { stacked = false, unit } = frame;
  const builder = new TimeSeries()
    .targets(
      frame.queries.map(({ expr, legend: name }, position) =>
        target(expr, position).range().legendFormat(name),
      ),
    )
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
    .legend(legendOf(frame.queries))
    .tooltip({ build: () => ({ mode: common.TooltipDisplayMode.Multi, sort: common.SortOrder.Descending }) })
    // A legend of zeros hides what is not zero.
    .withOverride({
      matcher: { id: 'byValue', options: { reducer: 'allIsZero', op: 'gte', value: 0 } },
      properties: [property('custom.hideFrom', { legend: true, tooltip: true, viz: false })],
    });
  colourQueries(builder, frame.queries);
  for (const [position, query] of frame.queries.entries()) {
    if (query.unit) builder.overrideByQuery(refIdOf(position), written(query.unit));
  }
  return framed(builder, { nothing: 'No data', ...frame }, [12, 9]);
}

/** One query for each state, worst first, each in its colour. The legend is the state, or a label of the answer. */
export function byState(
  expressionOf: (matcher: string) => string,
  legendOf = (state: string) => state,
): Query[] {
  return states.map((state) => ({
    expr: expressionOf(`state="${state}"`),
    legend: legendOf(state),
    colour: stateColours[state],
  }));
}

/** One query for each kind of problem, worst first, each in a shade of its urgency's colour. */
export function byProblem(expressionOf: (matcher: string) => string): Query[] {
  return problemKinds.map(({ kind, colour }) => ({
    expr: expressionOf(`problem="${kind}"`),
    legend: kind,
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

/** Grafana's own list of what fires, of this product's rules and the chosen clouds. There is no builder for it. */
export function alertList(title: string, description: string): Drawing {
  const [width, height] = [10, 9];
  return {
    width,
    height,
    draw: ({ id, x, y }) => ({
      type: 'alertlist',
      id,
      title,
      description,
      gridPos: { x, y, w: width, h: height },
      options: {
        alertInstanceLabelFilter: '{alertname=~"Cloud.+", cloud=~"${cloud:pipe}|"}',
        alertName: '',
        dashboardAlerts: false,
        groupBy: [],
        groupMode: 'default',
        maxItems: 20,
        showInactiveAlerts: false,
        sortOrder: 3,
        stateFilter: { error: true, firing: true, noData: false, normal: false, pending: false },
        viewMode: 'list',
      },
    }),
  };
}
