import { Icon, PanelChrome, useTheme2 } from '@grafana/ui';
import { Drawing } from './panels.jsx';

const gap = 8;
const cell = 30;
const margin = 16;
const headerHeight = 128;
const footerHeight = 34;

export function heightOf({ panels }) {
  const rows = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  return headerHeight + rows * (cell + gap) + footerHeight;
}

/** The board's own grid: 24 columns, rows of 30 pixels, as in Grafana. */
function placeOf({ x, y, w, h }, width) {
  const column = (width - 2 * margin + gap) / 24;
  return {
    left: margin + x * column,
    top: headerHeight + y * (cell + gap),
    width: w * column - gap,
    height: h * (cell + gap) - gap,
  };
}

export function Board({ board, panels, width, timeRange, marks }) {
  const { background, text } = useTheme2().colors;
  const footer = { position: 'absolute', bottom: 10, left: margin, fontSize: 12, color: text.secondary };
  return (
    <div
      style={{
        position: 'relative',
        width: width + 2 * margin,
        height: heightOf(board),
        background: background.canvas,
      }}
    >
      <Header {...{ board, timeRange }} />
      {panels.map(({ panel, frames }) => {
        const { id, type, title, description, collapsed } = panel;
        const place = placeOf(panel.gridPos, width + 2 * margin);
        const chrome = { title, description, width: place.width, height: place.height };
        return (
          <div key={id} style={{ position: 'absolute', ...place }} data-panel={title}>
            {type === 'row' ? (
              <RowTitle title={title} isClosed={collapsed} />
            ) : (
              <PanelChrome {...chrome} padding={type === 'table' ? 'none' : 'md'}>
                {(width, height) => <Drawing {...{ panel, frames, width, height, timeRange, marks }} />}
              </PanelChrome>
            )}
          </div>
        );
      })}
      <div style={footer}>
        Drawn with Grafana’s own UI components from the real exporter of three simulated clouds; not a
        screenshot of Grafana.
      </div>
    </div>
  );
}

function RowTitle({ title, isClosed }) {
  const { h6 } = useTheme2().typography;
  return (
    <div style={{ display: 'flex', alignItems: 'center', gap: 6, height: cell, ...h6 }}>
      <Icon name={isClosed ? 'angle-right' : 'angle-down'} />
      {title}
    </div>
  );
}

/** As wide as Grafana's own: controls and time above, the other choices and then the links below. */
function Header({ board, timeRange }) {
  const line = { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center' };
  const time = `${clockOf(timeRange.from)} to ${clockOf(timeRange.to)}`;
  return (
    <div
      style={{ padding: `12px ${margin}px`, display: 'flex', flexDirection: 'column', gap: 8 }}
      data-header
    >
      <div style={{ ...line, justifyContent: 'space-between' }}>
        <span style={useTheme2().typography.h5}>{board.title}</span>
        <Pill text={time} />
      </div>
      <div style={line} data-choices>
        {board.variables
          .filter(({ isHidden }) => !isHidden)
          .map(({ name, label, text }) => (
            <Pill key={name} text={label ?? name} value={text} />
          ))}
      </div>
      <div style={line}>
        {board.links.map(({ title }) => (
          <Pill key={title} text={title} />
        ))}
      </div>
    </div>
  );
}

function clockOf(time) {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

/** A choice with what Grafana has beside its words: two icons, and two more for what can be cleared. */
function Pill({ text, value }) {
  const { border } = useTheme2().colors;
  const box = { padding: '4px 8px', border: `1px solid ${border.medium}`, borderRadius: 2, fontSize: 12 };
  if (value === undefined) return <span style={box}>{text}</span>;
  return (
    <span style={box}>
      {text}
      <span style={{ marginLeft: 34, marginRight: value === 'All' ? 62 : 20 }}>{value}</span>
    </span>
  );
}
