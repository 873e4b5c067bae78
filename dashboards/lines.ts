import {
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { problemKinds, stateColours, states } from './colours.ts';
import { fixed, framed, property, refIdOf, target, type Drawing, type Frame, type Query } from './panels.ts';

export interface Lines extends Frame {
  /** In the order of the legend: worst first. */
  readonly queries: readonly Query[];
  readonly stacked?: boolean;
}

const legend = (isShown: boolean) =>
  new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(isShown);

export function lines(frame: Lines): Drawing {
  const { stacked = false } = frame;
  const builder = new TimeSeries()
    .targets(
      frame.queries.map(({ expr, legend: name }, position) =>
        target(expr, refIdOf(position)).range().legendFormat(name),
      ),
    )
    .min(0)
    .lineWidth(1)
    .fillOpacity(stacked ? 60 : 8)
    .gradientMode(GraphGradientMode.None)
    .lineInterpolation(LineInterpolation.Linear)
    .showPoints(VisibilityMode.Never)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None).group('A'))
    .legend(legend(true))
    .tooltip({ build: () => ({ mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }) })
    // A legend of zeros hides what is not zero.
    .withOverride({
      matcher: { id: 'byValue', options: { reducer: 'allIsZero', op: 'gte', value: 0 } },
      properties: [property('custom.hideFrom', { legend: true, tooltip: true, viz: false })],
    });
  for (const [position, { colour }] of frame.queries.entries()) {
    if (colour) builder.overrideByQuery(refIdOf(position), [fixed(colour)]);
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
    .legend(legend(false))
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
