import { VizOrientation, getFieldDisplayValues } from '@grafana/data';
import { BigValue, TimeSeries, VizRepeater, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { fieldConfigOf } from './field-options.js';
import { interpolate } from './frames.js';
import { StateTimeline } from './state-timeline.jsx';

const drawings = { stat: Stats, timeseries: Lines, 'state-timeline': StateTimeline };

/** The inside of a panel; a type that is not known here is drawn as a table. */
export function Drawing(properties) {
  const theme = useTheme2();
  const { panel, frames, width, height } = properties;
  const Kind = drawings[panel.type] ?? Table;
  // A tile shows no value in words of its own, and in a colour.
  if (Kind === Stats || frames.some(({ length }) => length > 0)) return <Kind {...properties} />;
  const centred = { display: 'grid', placeItems: 'center', color: theme.colors.text.secondary };
  const words = panel.fieldConfig.defaults.noValue;
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
  const { colorMode, graphMode, justifyMode, textMode, text } = properties.panel.options;
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
        <div data-tile>
          <BigValue
            {...{ width, height, count, colorMode, graphMode, justifyMode, textMode, text, theme }}
            value={count > 1 || textMode === 'name' ? value.display : { ...value.display, title: undefined }}
          />
        </div>
      )}
    />
  );
}

function Lines({ panel, frames, width, height, timeRange, marks }) {
  const draw = ({ ctx, bbox, valToPos }) => {
    ctx.strokeStyle = 'orange';
    ctx.setLineDash([4, 4]);
    for (const x of marks.map((mark) => valToPos(mark, 'x', true))) {
      if (x >= bbox.left) ctx.strokeRect(x, bbox.top, 0, bbox.height);
    }
  };
  return (
    <TimeSeries
      {...{ frames, width, height, timeRange }}
      timeZone="utc"
      legend={panel.options.legend}
      options={panel.options}
    >
      {(config) => config.addHook('draw', draw)}
    </TimeSeries>
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
