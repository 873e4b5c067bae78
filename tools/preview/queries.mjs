const minute = 60;
const day = 86_400;

/**
 * A board with the answer of Prometheus beside each of its queries, for a page that draws it. All is chosen but on the
 * board of one project; how variables are put into queries is what the tests of the boards have.
 */
export async function answerBoard(board, { url, ask, substitute, job }, end) {
  const [, count, unit] = /^now-(\d+)([hd])$/.exec(board.time.from);
  const span = count * (unit === 'd' ? day : 60 * minute);
  // In steps of which the history has samples.
  const range = { start: end - span, end, step: span > 2 * day ? 3 * day : 10 * minute };
  const windows = { __rate_interval: '40m', __interval: '10m', __range: `${span}s` };
  const chosen = board.uid === 'cloud-project' ? { project: 'web' } : {};
  const said = (text) => substitute(text, board, { ...windows, exporter_job: job, ...chosen });
  const overTime = (expr) => ask(url, 'query_range', { query: said(expr), ...range });
  const atTheEnd = async (expr) =>
    (await ask(url, 'query', { query: said(expr), time: end })).map(({ metric, value }) => ({
      metric,
      values: [value],
    }));

  const marks = new Set();
  for (const { expr } of board.annotations.list)
    for (const { values } of await overTime(expr)) for (const [, value] of values) marks.add(Number(value));
  const panels = [];
  for (const panel of board.panels) {
    const answers = [];
    for (const target of panel.targets ?? [])
      answers.push({ target, series: await (target.instant ? atTheEnd : overTime)(target.expr) });
    panels.push({ ...panel, title: said(panel.title), answers });
  }
  const choices = board.templating.list
    .filter(({ hide }) => hide !== 2)
    .map(({ name, label = name, includeAll, current }) => {
      return `${label} ${chosen[name] ?? (includeAll ? 'All' : current.text)}`;
    });
  const { title, links } = board;
  return { title, links, choices, panels, marks: [...marks], fromSeconds: range.start, toSeconds: end };
}
