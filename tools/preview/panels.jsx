import { VizOrientation, getDisplayValueAlignmentFactors, getFieldDisplayValues } from '@grafana/data';
import { BarGauge, BigValue, TimeSeries, VizRepeater, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { fieldConfigOf } from './field-options.js';
import { interpolate } from './frames.js';
import { StateTimeline } from './state-timeline.jsx';

const drawings = { stat: Stats, bargauge: Bars, timeseries: Lines, 'state-timeline': StateTimeline };

/** The inside of a panel; a type that is not known here is drawn as a table. */
export function Drawing(properties) {
  const theme = useTheme2();
  const { panel, frames, width, height } = properties;
  const Kind = drawings[panel.type] ?? Table;
  // A tile and a bar show no value in words of their own, and in a colour.
  if (Kind === Stats || Kind === Bars || frames.some(({ length }) => length > 0))
    return <Kind {...properties} />;
  const centred = { display: 'grid', placeItems: 'center', color: theme.colors.text.secondary };
  const words = panel.fieldConfig?.defaults.noValue ?? 'No alerts matching filters';
  return <div style={{ ...centred, width, height }}>{words}</div>;
}

function displaysOf({ panel, frames }, theme) {
  return getFieldDisplayValues({
    fieldConfig: fieldConfigOf(panel),
    reduceOptions: panel.options.reduceOptions,
    replaceVariables: interpolate,
    theme,
    data: frames,
    timeZone: 'utc',
  });
}

function Stats(properties) {
  const theme = useTheme2();
  const { colorMode, graphMode, justifyMode, textMode } = properties.panel.options;
  return (
    <VizRepeater
      getValues={() => displaysOf(properties, theme)}
      source={properties.frames}
      renderCounter={0}
      autoGrid
      orientation={VizOrientation.Auto}
      width={properties.width}
      height={properties.height}
      renderValue={({ value, width, height, count }) => (
        <BigValue
          {...{ width, height, count, colorMode, graphMode, justifyMode, textMode, theme }}
          value={count > 1 || textMode === 'name' ? value.display : { ...value.display, title: undefined }}
        />
      )}
    />
  );
}

function Bars(properties) {
  const theme = useTheme2();
  const { displayMode, valueMode, namePlacement, showUnfilled, maxVizHeight } = properties.panel.options;
  return (
    <VizRepeater
      minVizHeight={16}
      maxVizHeight={maxVizHeight}
      getValues={() => displaysOf(properties, theme)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={properties.frames}
      renderCounter={0}
      itemSpacing={8}
      orientation={VizOrientation.Horizontal}
      width={properties.width}
      height={properties.height}
      renderValue={({ value, width, height, orientation, alignmentFactors }) => (
        <BarGauge
          {...{ width, height, orientation, alignmentFactors, theme }}
          {...{ displayMode, namePlacement, showUnfilled, valueDisplayMode: valueMode }}
          value={value.display}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex)}
          itemSpacing={8}
          lcdCellWidth={8}
        />
      )}
    />
  );
}

function Lines({ panel, frames, width, height, timeRange }) {
  return (
    <TimeSeries
      {...{ frames, width, height, timeRange }}
      timeZone="utc"
      legend={panel.options.legend}
      options={panel.options}
    />
  );
}

function Table({ panel, frames, width, height, timeRange }) {
  return (
    <TableNG
      {...{ width, height, timeRange }}
      data={frames[0]}
      cellHeight={panel.options.cellHeight}
      noValue={panel.fieldConfig.defaults.noValue}
      fieldConfig={panel.fieldConfig}
      enableVirtualization={false}
      resizable={false}
    />
  );
}
