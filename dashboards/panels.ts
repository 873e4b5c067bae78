import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeSizing,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
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
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type DashboardLink,
  type DynamicConfigValue,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { plain, type Steps } from './thresholds.ts';
import { datasource } from './variables.ts';

export type Unit = 'short' | 'bytes' | 's' | 'percentunit' | 'reqps' | 'cps' | 'none';

/** What every panel has. Widths are of 24, heights in Grafana's steps of 30 pixels. */
export interface Frame {
  readonly title: string;
  readonly description: string;
  readonly unit: Unit;
  readonly width: number;
  readonly height: number;
  readonly steps?: Steps;
  readonly link?: { readonly title: string; readonly url: string };
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** Given its place on the board, a panel. */
export type Draw = (place: { id: number; x: number; y: number }) => Panel;
export interface Drawing extends Pick<Frame, 'width' | 'height'> {
  readonly draw: Draw;
}

type Builder = BarGauge | Stat | StateTimeline | TimeSeries;

export function target(expr: string, refId: string): DataqueryBuilder {
  return new DataqueryBuilder().datasource(datasource).expr(expr).refId(refId);
}

export const refIdOf = (position: number) => String.fromCharCode(65 + position);

export function thresholds({ first, above }: Steps): ThresholdsConfigBuilder {
  const steps = [
    { value: null, color: first as string },
    ...above.map(([value, color]) => ({ value, color })),
  ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

function framed(builder: Builder, frame: Frame): Drawing {
  const { width, height } = frame;
  builder
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(frame.unit)
    .thresholds(thresholds(frame.steps ?? plain));
  const { link } = frame;
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
    .withTarget(target(frame.expr, 'A').instant())
    .reduceOptions(latest)
    .colorMode(frame.steps ? BigValueColorMode.Background : BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None);
  return framed(builder, frame);
}

/** The largest of a kind, now. */
export function bars(frame: Frame & Query): Drawing {
  const builder = new BarGauge()
    .withTarget(target(frame.expr, 'A').instant().legendFormat(frame.legend))
    .reduceOptions(latest)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .namePlacement(BarGaugeNamePlacement.Left)
    .sizing(BarGaugeSizing.Manual)
    .maxVizHeight(32)
    .valueMode(BarGaugeValueMode.Text)
    .min(0);
  if (!frame.steps)
    builder.colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Fixed).fixedColor('blue'));
  return framed(builder, frame);
}

export interface Lines extends Frame {
  readonly queries: readonly Query[];
  readonly stacked?: boolean;
  /** Fixed colours, by the name of the line. */
  readonly colours?: Readonly<Record<string, string>>;
}

export function lines(frame: Lines): Drawing {
  const { stacked = false } = frame;
  const builder = new TimeSeries()
    .targets(
      frame.queries.map(({ expr, legend }, position) =>
        target(expr, refIdOf(position)).range().legendFormat(legend),
      ),
    )
    .min(0)
    .lineWidth(1)
    .fillOpacity(stacked ? 60 : 8)
    .gradientMode(GraphGradientMode.None)
    .lineInterpolation(LineInterpolation.Linear)
    .showPoints(VisibilityMode.Never)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None).group('A'))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip({ build: () => ({ mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }) });
  for (const [name, colour] of Object.entries(frame.colours ?? {})) {
    builder.overrideByName(name, [property('color', { mode: 'fixed', fixedColor: colour })]);
  }
  return framed(builder, frame);
}

/** Good and bad over time, one band for each cloud. */
export function bands(
  frame: Frame & Query & { readonly texts: Readonly<Record<string, { text: string; color: string }>> },
): Drawing {
  const builder = new StateTimeline()
    .withTarget(target(frame.expr, 'A').range().legendFormat(frame.legend))
    .mergeValues(true)
    .showValue(VisibilityMode.Never)
    .lineWidth(0)
    .fillOpacity(80)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(false),
    );
  builder.mappings([{ type: MappingType.ValueToText, options: frame.texts }]);
  return framed(builder, frame);
}

export function property(id: string, value: unknown): DynamicConfigValue {
  return { id, value };
}
