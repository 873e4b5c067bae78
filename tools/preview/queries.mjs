const minute = 60;
const day = 86_400;

/** The hours of the board itself, in steps of which the history has samples. */
function rangeOf({ time: { from } }, atSeconds) {
  const [, count, unit] = /^now-(\d+)([hd])$/.exec(from);
  const span = count * (unit === 'd' ? day : 60 * minute);
  return { start: atSeconds - span, end: atSeconds, step: span > 2 * day ? 3 * day : 10 * minute };
}

/** A board with the answer of Prometheus beside each of its queries, for a page that draws it. */
export async function answerBoard(board, prometheus, atSeconds, chosen) {
  const range = rangeOf(board, atSeconds);
  const ask = createAsk(prometheus, range);
  const variables = await chooseValues(board, ask, range, chosen);
  const panels = [];
  const marks = [];
  for (const { expr } of board.annotations.list)
    for (const { values } of await ask.overTime(substitute(expr, variables, range)))
      marks.push(...values.map(([, value]) => Number(value)));
  for (const panel of board.panels) {
    const answers = [];
    for (const target of panel.targets ?? []) {
      const expr = substitute(target.expr, variables, range);
      const legendFormat = target.legendFormat && substitute(target.legendFormat, variables, range);
      answers.push({
        target: { ...target, legendFormat },
        series: target.instant ? await ask.now(expr) : await ask.overTime(expr),
      });
    }
    panels.push({ ...panel, title: titleOf(panel, variables), answers });
  }
  const { title, links } = board;
  return {
    title,
    links,
    variables,
    panels,
    marks: [...new Set(marks)],
    fromSeconds: range.start,
    toSeconds: range.end,
  };
}

function createAsk(prometheus, range) {
  async function get(path, parameters) {
    const response = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const body = await response.json();
    if (body.status !== 'success') throw new Error(`${parameters.query}: ${body.error}`);
    return body.data;
  }
  return {
    async now(query) {
      const { result } = await get('query', { query, time: range.end });
      return result.map(({ metric, value }) => ({ metric, values: [value] }));
    },
    overTime: async (query) => (await get('query_range', { query, ...range })).result,
    labelValues: (selector, label) =>
      get(`label/${label}/values`, { 'match[]': selector, start: range.start, end: range.end }),
  };
}

/** A title may have the words of a choice in it. */
function titleOf({ title }, variables) {
  const textOf = (name) => variables.find((variable) => variable.name === name)?.text;
  return title.replaceAll(/\$\{?(\w+)(?::text)?\}?/g, (text, name) => textOf(name) ?? text);
}

/** "All" wherever a board has it; where it wants one project, that of the servers in trouble. */
async function chooseValues(board, ask, range, chosen) {
  const variables = [];
  for (const { name, label, type, includeAll, allValue, current, query, regex, hide } of board.templating
    .list) {
    const add = (text, value = text) => variables.push({ name, label, text, value, isHidden: hide === 2 });
    const isAsked = query?.startsWith?.('query_result');
    if (chosen[name]) add(chosen[name]);
    else if (isAsked) {
      const [label] = /\w+(?==)/.exec(regex);
      const found = await ask.now(substitute(query.slice('query_result('.length, -1), variables, range));
      add(found.map(({ metric }) => metric[label]).join('|'));
    } else if (type === 'datasource') add('default');
    else if (type === 'custom') add(current.text, current.value);
    else if (!includeAll) add('web');
    else if (allValue) add('All', allValue);
    else {
      const [, selector, of] = /^label_values\((.*), (\w+)\)$/.exec(query);
      add('All', (await ask.labelValues(substitute(selector, variables, range), of)).join('|'));
    }
  }
  return variables;
}

function substitute(expr, variables, { start, end }) {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  values
    .set('__rate_interval', '40m')
    .set('__interval', '10m')
    .set('__range', `${end - start}s`);
  return expr.replaceAll(
    /\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g,
    (text, braced, name = braced) => values.get(name) ?? text,
  );
}
