import { VizOrientation, getDisplayValueAlignmentFactors, getFieldDisplayValues } from '@grafana/data';
import { BarGauge, BigValue, TimeSeries, VizRepeater, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { fieldConfigOf } from './field-options.js';
import { interpolate } from './interpolate.js';
import { StateTimeline } from './state-timeline.jsx';

const drawings = {
  stat: Stats,
  bargauge: Bars,
  timeseries: Lines,
  'state-timeline': StateTimeline,
};

/** The inside of a panel; a type that is not known here is drawn as a table. */
export function Drawing(properties) {
  const Kind = drawings[properties.panel.type] ?? Table;
  // A tile and a bar show no value in words of their own, and in a colour.
  const hasOwnWords = Kind === Stats || Kind === Bars;
  if (!hasOwnWords && properties.frames.every(({ length }) => length === 0))
    return <NoData {...properties} />;
  return <Kind {...properties} />;
}

function NoData({ panel, width, height }) {
  const theme = useTheme2();
  const centred = { display: 'flex', alignItems: 'center', justifyContent: 'center' };
  return (
    <div style={{ ...centred, width, height, color: theme.colors.text.secondary }}>
      {panel.fieldConfig?.defaults.noValue ?? 'No alerts matching filters'}
    </div>
  );
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

/** Grafana reads a panel's sizes only if they were set by hand. */
const automaticSizes = { minVizHeight: 16, maxVizHeight: 300 };

function Bars(properties) {
  const theme = useTheme2();
  const { displayMode, valueMode, namePlacement, showUnfilled } = properties.panel.options;
  const { sizing, minVizHeight, maxVizHeight } = properties.panel.options;
  return (
    <VizRepeater
      {...(sizing === 'manual' ? { minVizHeight, maxVizHeight } : automaticSizes)}
      getValues={() => displaysOf(properties, theme)}
      getAlignmentFactors={getDisplayValueAlignmentFactors}
      source={properties.frames}
      renderCounter={0}
      itemSpacing={8}
      orientation={VizOrientation.Horizontal}
      width={properties.width}
      height={properties.height}
      renderValue={({ value, width, height, orientation, alignmentFactors, count }) => (
        <BarGauge
          {...{ width, height, orientation, alignmentFactors, theme }}
          {...{ displayMode, namePlacement, showUnfilled, valueDisplayMode: valueMode }}
          value={nameOf(properties.panel, value.display, count)}
          field={value.field}
          display={value.view?.getFieldDisplayProcessor(value.colIndex)}
          itemSpacing={8}
          lcdCellWidth={8}
        />
      )}
    />
  );
}

/** As Grafana does it: the name of a bar that is alone is hidden, unless the panel gives it. */
function nameOf(panel, display, count) {
  const isNamed = count > 1 || panel.fieldConfig.defaults.displayName;
  return isNamed ? display : { ...display, title: undefined };
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
      sortBy={panel.options.sortBy}
      cellHeight={panel.options.cellHeight}
      noValue={panel.fieldConfig.defaults.noValue}
      fieldConfig={panel.fieldConfig}
      enableVirtualization={false}
      resizable={false}
    />
  );
}
