import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeSizing,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
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
  type Steps,
  type Unit,
  type Words,
} from './look.ts';
import type { Query } from './promql.ts';
import { datasource } from './variables.ts';

/** What every panel has. Widths are of 24, heights in Grafana's steps of 30 pixels. */
export interface Frame {
  readonly title: string;
  readonly description: string;
  readonly unit: Unit;
  readonly width: number;
  readonly height: number;
  readonly steps?: Steps;
  readonly link?: { readonly title: string; readonly url: string };
  /** Words for no value. */
  readonly nothing?: string;
}

/** Given its place on the board, a panel. */
export interface Drawing extends Pick<Frame, 'width' | 'height'> {
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
  const { unit: name, decimals } = units[unit];
  return [property('unit', name), ...(decimals === undefined ? [] : [property('decimals', decimals)])];
}

export function thresholds({ base, from }: Steps): ThresholdsConfigBuilder {
  const steps = [{ value: null, color: base }, ...from.map(([value, color]) => ({ value, color }))];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

function framed(builder: BarGauge | Stat | StateTimeline | TimeSeries, frame: Frame): Drawing {
  const { width, height, link, nothing = 'not known' } = frame;
  const { unit, decimals } = units[frame.unit];
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

const latest = new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false);

/** One number, to be read from afar. */
export function stat(frame: Frame & { readonly expr: string }): Drawing {
  const builder = new Stat()
    .withTarget(target(frame.expr, 0).instant())
    .reduceOptions(latest)
    .textMode(BigValueTextMode.Value)
    // A plain number in the text's colour is not plain on a light background.
    .colorMode(frame.steps ? BigValueColorMode.Background : BigValueColorMode.None)
    .graphMode(BigValueGraphMode.None);
  return framed(builder, frame);
}

export interface Tile {
  readonly name: string;
  readonly expr: string;
  readonly steps: Steps;
  readonly unit?: Unit;
  readonly mappings?: readonly ValueMapping[];
}

/** Some numbers side by side, each with its name and in its colour. */
export function stats(frame: Omit<Frame, 'steps'> & { readonly tiles: readonly Tile[] }): Drawing {
  const { tiles } = frame;
  const builder = new Stat()
    .targets(tiles.map(({ expr, name }, position) => target(expr, position).instant().legendFormat(name)))
    .reduceOptions(latest)
    .textMode(BigValueTextMode.ValueAndName)
    .orientation(VizOrientation.Vertical)
    .colorMode(BigValueColorMode.Background)
    .graphMode(BigValueGraphMode.None);
  for (const [position, { unit, steps, mappings }] of tiles.entries()) {
    builder.overrideByQuery(refIdOf(position), [
      ...written(unit ?? frame.unit),
      property('thresholds', thresholds(steps).build()),
      ...(mappings ? [property('mappings', mappings)] : []),
    ]);
  }
  return framed(builder, { ...frame, steps: neutral });
}

/** The largest of a kind, now. */
export function bars(
  frame: Frame & {
    readonly queries: readonly Pick<Query, 'expr' | 'colour'>[];
    /** Of a bar, by labels of the answers: `{{cloud}} {{zone}}`. */
    readonly name: string;
  },
): Drawing {
  const builder = new BarGauge()
    .targets(
      frame.queries.map(({ expr }, position) => target(expr, position).instant().legendFormat(frame.name)),
    )
    // Without a name set here, Grafana hides the name of a bar that is alone.
    .displayName(frame.name.replaceAll(/\{\{(\w+)\}\}/g, '$${__field.labels.$1}'))
    .reduceOptions(latest)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .namePlacement(BarGaugeNamePlacement.Left)
    .sizing(BarGaugeSizing.Manual)
    .maxVizHeight(32)
    .valueMode(BarGaugeValueMode.Text)
    .min(0);
  colourQueries(builder, frame.queries);
  return framed(builder, { steps: neutral, nothing: 'none known', ...frame });
}

/** Lines that mean something have the colour that says it. */
function colourQueries(builder: BarGauge | TimeSeries, queries: readonly Pick<Query, 'colour'>[]): void {
  for (const [position, { colour }] of queries.entries()) {
    if (colour)
      builder.overrideByQuery(refIdOf(position), [property('color', { mode: 'fixed', fixedColor: colour })]);
  }
}

/** Few short names stand below; names of places and projects beside, one a line, so that none is cut. */
function legend(placement: 'below' | 'beside' | 'none') {
  const builder = new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(placement === 'beside' ? LegendPlacement.Right : LegendPlacement.Bottom)
    .showLegend(placement !== 'none');
  return placement === 'beside' ? builder.width(300) : builder;
}

export interface Lines extends Frame {
  /** In the order of the legend: worst first. */
  readonly queries: readonly (Query & { readonly unit?: Unit })[];
  readonly stacked?: boolean;
  readonly legend?: 'below' | 'beside';
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
    .axisSoftMax(unit === 'share' ? 0.1 : 1)
    .lineWidth(1)
    .fillOpacity(stacked ? 60 : 0)
    .gradientMode(GraphGradientMode.None)
    .lineInterpolation(LineInterpolation.Linear)
    .showPoints(VisibilityMode.Never)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None).group('A'))
    .legend(legend(frame.legend ?? 'below'))
    .tooltip({ build: () => ({ mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }) })
    // A legend of zeros hides what is not zero.
    .withOverride({
      matcher: { id: 'byValue', options: { reducer: 'allIsZero', op: 'gte', value: 0 } },
      properties: [property('custom.hideFrom', { legend: true, tooltip: true, viz: false })],
    });
  colourQueries(builder, frame.queries);
  for (const [position, query] of frame.queries.entries()) {
    if (query.unit) builder.overrideByQuery(refIdOf(position), written(query.unit));
  }
  return framed(builder, { nothing: 'No data', ...frame });
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
    .showValue(VisibilityMode.Never)
    .lineWidth(0)
    .fillOpacity(80)
    .legend(legend('none'))
    .mappings([{ type: MappingType.ValueToText, options: frame.texts }]);
  const { draw, ...size } = framed(builder, frame);
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
export function alertList(frame: Omit<Frame, 'unit' | 'steps' | 'link' | 'nothing'>): Drawing {
  const { title, description, width, height } = frame;
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
