import { PanelBuilder as BarGauge } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BarGaugeNamePlacement,
  BarGaugeSizing,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import {
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type DashboardLink,
  type DynamicConfigValue,
  type Panel,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import type { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import type { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Colour } from './colours.ts';
import { neutral, plain, type Steps } from './thresholds.ts';
import { decimalsOf, units, type Unit } from './units.ts';
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

export interface Query {
  readonly expr: string;
  readonly legend: string;
  readonly colour?: Colour;
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

export function property(id: string, value: unknown): DynamicConfigValue {
  return { id, value };
}

export const fixed = (colour: Colour) => property('color', { mode: 'fixed', fixedColor: colour });

export function thresholds({ base, from }: Steps): ThresholdsConfigBuilder {
  const steps = [{ value: null, color: base }, ...from.map(([value, color]) => ({ value, color }))];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

export function framed(builder: Builder, frame: Frame): Drawing {
  const { width, height, link, nothing = 'not known' } = frame;
  builder
    .title(frame.title)
    .description(frame.description)
    .datasource(datasource)
    .unit(units[frame.unit].unit)
    .noValue(nothing)
    .thresholds(thresholds(frame.steps ?? plain));
  const decimals = decimalsOf(frame.unit);
  if (decimals !== undefined) builder.decimals(decimals);
  if (link) builder.dataLinks([{ build: () => link as DashboardLink }]);
  return {
    width,
    height,
    draw: ({ id, x, y }) => builder.id(id).gridPos({ x, y, w: width, h: height }).build(),
  };
}

const latest = new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false);

/** One number, to be read from afar; or names, with the numbers behind them only for the colour. */
export function stat(
  frame: Frame & {
    readonly expr: string;
    readonly legend?: string;
    readonly mappings?: readonly ValueMapping[];
  },
): Drawing {
  const { legend, mappings } = frame;
  const query = target(frame.expr, 'A').instant();
  const builder = new Stat()
    .withTarget(legend ? query.legendFormat(legend) : query)
    .reduceOptions(latest)
    .textMode(legend ? BigValueTextMode.Name : BigValueTextMode.Auto)
    // A plain number in the text's colour is not plain on a light background.
    .colorMode(frame.steps ? BigValueColorMode.Background : BigValueColorMode.None)
    .graphMode(BigValueGraphMode.None);
  if (mappings) builder.mappings([...mappings]);
  return framed(builder, frame);
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
      frame.queries.map(({ expr }, position) =>
        target(expr, refIdOf(position)).instant().legendFormat(frame.name),
      ),
    )
    // Without a name set here, Grafana hides the name of a bar that is alone.
    .displayName(fieldName(frame.name))
    .reduceOptions(latest)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .namePlacement(BarGaugeNamePlacement.Left)
    .sizing(BarGaugeSizing.Manual)
    .maxVizHeight(32)
    .valueMode(BarGaugeValueMode.Text)
    .min(0);
  for (const [position, { colour }] of frame.queries.entries()) {
    if (colour) builder.overrideByQuery(refIdOf(position), [fixed(colour)]);
  }
  return framed(builder, { steps: neutral, nothing: 'none known', ...frame });
}

/** A legend such as `{{cloud}} {{zone}}`, as a name of a field. */
function fieldName(legend: string): string {
  return legend.replaceAll(/\{\{(\w+)\}\}/g, '$${__field.labels.$1}');
}
