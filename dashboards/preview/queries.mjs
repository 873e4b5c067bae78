import { scrapeSeconds } from './live.mjs';

/** The demo is minutes old: with a minute for a day, what the panels compare with yesterday has an answer. */
const dayBefore = 'offset 1d';
const minuteBefore = 'offset 1m';

/** A board with the answer of Prometheus beside each of its queries, for a page that draws it. */
export async function answerBoard(board, prometheus, { fromSeconds, toSeconds }) {
  const ask = createAsk(prometheus, { fromSeconds, toSeconds });
  const variables = await chooseValues(board, ask);
  const panels = [];
  for (const panel of board.panels) {
    const answers = [];
    for (const target of panel.targets ?? []) {
      const expr = substitute(target.expr, variables);
      answers.push({ target, series: target.instant ? await ask.now(expr) : await ask.overTime(expr) });
    }
    panels.push({ ...panel, answers });
  }
  const comparesDays = JSON.stringify(board.panels).includes(dayBefore);
  return { title: board.title, links: board.links, variables, panels, comparesDays, fromSeconds, toSeconds };
}

function createAsk(prometheus, { fromSeconds, toSeconds }) {
  async function get(path, parameters) {
    const response = await fetch(`${prometheus}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const body = await response.json();
    if (body.status !== 'success') throw new Error(`${parameters.query}: ${body.error}`);
    return body.data;
  }
  return {
    async now(query) {
      const { result } = await get('query', { query, time: toSeconds });
      return result.map(({ metric, value }) => ({ metric, values: [value] }));
    },
    async overTime(query) {
      const range = { start: fromSeconds, end: toSeconds, step: scrapeSeconds };
      return (await get('query_range', { query, ...range })).result;
    },
    labelValues: (selector, label) => get(`label/${label}/values`, { 'match[]': selector }),
  };
}

/** "All" wherever a board has it; where it wants one, the project of which there is most to see. */
async function chooseValues(board, ask) {
  const variables = [];
  for (const variable of board.templating.list) {
    const { name, label, type, includeAll, allValue } = variable;
    if (type === 'datasource') variables.push({ name, label, text: 'Prometheus', value: 'prometheus' });
    else if (type === 'custom')
      variables.push({ name, label, text: variable.current.text, value: variable.current.value });
    else if (includeAll)
      variables.push({
        name,
        label,
        text: 'All',
        value: allValue ?? (await allValues(variable, variables, ask)),
      });
    else {
      const value = await fullestProject(ask);
      variables.push({ name, label, text: value, value });
    }
  }
  return variables;
}

async function allValues(variable, variables, ask) {
  const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(variable.query);
  return (await ask.labelValues(substitute(selector, variables), label)).join('|');
}

async function fullestProject(ask) {
  const devices = 'sum by (project) (cloud_isolated_devices)';
  const problems = 'count by (project) (cloud_server_problem)';
  const [fullest] = await ask.now(`topk(1, ${devices} * ${problems})`);
  return fullest.metric.project;
}

function substitute(expr, variables) {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  values.set('__rate_interval', '30s').set('__interval', `${scrapeSeconds}s`).set('__range', '2m');
  return expr
    .replaceAll(/\$\{?(\w+)\}?/g, (text, name) => values.get(name) ?? text)
    .replaceAll(dayBefore, minuteBefore);
}
