import {
  ThemeContext,
  createTheme,
  dateTime,
  setTimeZoneResolver,
  standardTransformers,
  standardTransformersRegistry,
} from '@grafana/data';
import { GlobalStyles } from '@grafana/ui';
import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { Board, heightOf } from './board.jsx';
import { framesOf } from './frames.js';
import { measure } from './measure.js';

setTimeZoneResolver(() => 'utc');
const byId = new Map(Object.values(standardTransformers).map((each) => [each.id, each]));
standardTransformersRegistry.setInit(() =>
  [...byId].map(([id, transformation]) => ({
    id,
    name: transformation.name,
    transformation: () => Promise.resolve(transformation),
    editor: () => null,
  })),
);

window.measureBoard = measure;

/** Draws one answered board and tells how high it has become. */
window.drawBoard = async (board, { width, theme: mode }) => {
  const theme = createTheme({ colors: { mode } });
  const from = dateTime(board.fromSeconds * 1000);
  const to = dateTime(board.toSeconds * 1000);
  const timeRange = { from, to, raw: { from, to } };
  const panels = await Promise.all(
    board.panels.map(async (panel) => ({
      panel,
      // A row has no queries.
      frames: panel.fieldConfig ? await framesOf(panel, theme) : [],
    })),
  );
  const root = createRoot(document.body);
  const render = (content) =>
    flushSync(() =>
      root.render(
        <ThemeContext.Provider value={theme}>
          <GlobalStyles />
          {content}
        </ThemeContext.Provider>,
      ),
    );
  render(null);
  // The axes measure their labels once: with the font that is drawn, or labels are cut off.
  await Promise.all(['400 12px Inter', '500 14px Inter'].map((font) => document.fonts.load(font)));
  render(<Board {...{ board, panels, width, timeRange, marks: board.marks }} />);
  return heightOf(board);
};
