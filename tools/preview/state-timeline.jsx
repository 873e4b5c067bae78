import { FieldType, getFieldDisplayName } from '@grafana/data';
import { useTheme2 } from '@grafana/ui';

const nameWidth = 80;

/** Grafana's own timeline is not on npm: a strip for each series, in the colours that the board's mappings give. */
export function StateTimeline({ frames, width, height, timeRange }) {
  const from = timeRange.from.valueOf();
  const to = timeRange.to.valueOf();
  const stripWidth = width - nameWidth;
  const placeOf = (time) => ((time - from) / (to - from)) * stripWidth;
  const stripHeight = (height - 24) / frames.length;
  const step = (to - from) / 6;
  const ticks = [1, 2, 3, 4, 5]
    .map((part) => Math.ceil(from / step + part - 1) * step)
    .filter((time) => time < to);
  return (
    <svg {...{ width, height }} style={{ fontSize: 12, fill: useTheme2().colors.text.primary }}>
      {frames.map((frame, row) => {
        const times = frame.fields.find(({ type }) => type === FieldType.time).values;
        const field = frame.fields.find(({ type }) => type === FieldType.number);
        const name = getFieldDisplayName(field, frame, frames);
        return (
          <g key={name} transform={`translate(0, ${row * stripHeight})`}>
            <text x={nameWidth - 10} y={stripHeight / 2} textAnchor="end" dominantBaseline="middle">
              {name}
            </text>
            {times.map((time, index) => (
              <rect
                key={time}
                x={nameWidth + placeOf(time)}
                y={stripHeight * 0.05}
                width={placeOf(times[index + 1] ?? to) - placeOf(time)}
                height={stripHeight * 0.9}
                fill={field.display(field.values[index]).color}
                fillOpacity={field.config.custom.fillOpacity / 100}
                shapeRendering="crispEdges"
              />
            ))}
          </g>
        );
      })}
      {ticks.map((time) => (
        <text key={time} x={nameWidth + placeOf(time)} y={height - 6} textAnchor="middle">
          {new Date(time).toISOString().slice(11, 16)}
        </text>
      ))}
    </svg>
  );
}
