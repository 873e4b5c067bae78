import { describe, expect, it } from 'vitest';
import { boards, panelsOf, queriesOf, substitute, variablesOf } from './boards.ts';
import { readCatalogue, unknownNames } from './catalogue.ts';
import { readExpression, type Selector } from './promql.ts';

const catalogue = await readCatalogue();
const jobs = 'cloud-platform-exporter';
const someValues = { job: jobs, exporter_job: jobs, project: 'web' };
const queries = boards.flatMap((board) =>
  panelsOf(board).flatMap((panel) =>
    queriesOf(panel).map(({ title, expr, legend }) => ({
      name: `${board.title}: ${title}`,
      legend,
      expr,
      substituted: substitute(expr, board, someValues),
      isExporterBoard: board.uid === 'cloud-exporter',
    })),
  ),
);

/** The queries about which there is something to say, and what. */
function complaints(find: (query: (typeof queries)[number]) => readonly string[]): string[] {
  expect(queries.length).toBeGreaterThan(100);
  return queries.flatMap((query) => find(query).map((complaint) => `${query.name}: ${complaint}`));
}

function selectorsOf(expr: string): readonly Selector[] {
  const numbers = expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(top|vcpus|gibibytes)/g, '10');
  return readExpression(numbers).selectors;
}

/** Metrics that a selector should have asked for by this variable. */
function without(variable: string, selectors: readonly Selector[]): string[] {
  const lacking = selectors.filter(
    ({ matchers }) => !matchers.some(({ label, value }) => label === variable && value === `$${variable}`),
  );
  return lacking.map(({ metric }) => `${metric} without ${variable}`);
}

const ofClouds = (expr: string) =>
  selectorsOf(expr).filter(({ metric }) => catalogue.get(metric)?.has('cloud'));

const isBareCounter = ({ metric, within }: Selector) =>
  /_total$|_bucket$/.test(metric) && !['rate', 'increase'].includes(within[0] ?? '');

const ratedOver = ({ expr }: { expr: string }) =>
  [...expr.matchAll(/\brate\([^[]*\[([^\]]*)\]/g)].map((match) => match[1]!);

const namedIn = (legend: string) => [...legend.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);

function labelsLeft(expr: string): string[] {
  const { groupingLabels, selectors } = readExpression(expr);
  if (groupingLabels.length > 0) return [...groupingLabels];
  return selectors.flatMap(({ metric }) => Array.from(catalogue.get(metric)!));
}

describe('every query of every board', () => {
  it('is PromQL', () => {
    expect(complaints(({ substituted }) => readExpression(substituted).errors)).toEqual([]);
  });

  it('uses only metrics and labels that exist', () => {
    expect(complaints(({ substituted }) => unknownNames(substituted, catalogue))).toEqual([]);
  });

  it('asks the chosen job, but for sums that are recorded over all of them', () => {
    const scraped = (expr: string) => selectorsOf(expr).filter(({ metric }) => !metric.includes(':'));
    expect(complaints(({ expr }) => without('job', scraped(expr)))).toEqual([]);
  });

  it('asks only the jobs of exporters for what every target has', () => {
    const ofEveryTarget = (expr: string) =>
      selectorsOf(expr).filter(({ metric }) => /^(up|scrape_\w+|process_\w+|nodejs_\w+)$/.test(metric));
    expect(queries.flatMap(({ expr }) => ofEveryTarget(expr)).length).toBeGreaterThan(5);
    const lacking = complaints(({ expr }) =>
      ofEveryTarget(expr)
        .filter(({ matchers }) => !matchers.some(({ value }) => value === '$exporter_job'))
        .map(({ metric }) => metric),
    );
    expect(lacking).toEqual([]);
  });

  // Grafana's linter wants the variable and its selector everywhere. But a cloud may be read by any exporter, and
  // what two of them tell counts once: sums are over exporters.
  it('asks the chosen exporter on its board only, and there not for the row that all boards have', () => {
    const found = complaints(({ expr, isExporterBoard }) =>
      isExporterBoard ? without('instance', selectorsOf(expr)) : [],
    );
    const trusted = /^Cloud: Exporter: (Clouds down|Which are down|Exporters down|Oldest numbers) A: /;
    expect(found.filter((complaint) => !trusted.test(complaint))).toEqual([]);
    const elsewhere = boards.filter(({ uid }) => uid !== 'cloud-exporter');
    expect(elsewhere.flatMap(variablesOf).filter(({ name }) => name === 'instance')).toEqual([]);
  });

  it('asks the chosen cloud, for whatever is of a cloud', () => {
    expect(complaints(({ expr }) => without('cloud', ofClouds(expr)))).toEqual([]);
  });

  it('never shows a counter bare', () => {
    expect(
      complaints(({ expr }) =>
        selectorsOf(expr)
          .filter(isBareCounter)
          .map(({ metric }) => metric),
      ),
    ).toEqual([]);
  });

  it('takes rates over the window that Grafana finds right for the scrape interval', () => {
    expect(queries.flatMap(ratedOver).length).toBeGreaterThan(5);
    expect(complaints((query) => ratedOver(query).filter((window) => window !== '$__rate_interval'))).toEqual(
      [],
    );
  });

  it('names in its legend only labels that its answer has', () => {
    expect(
      complaints(({ legend, substituted }) =>
        namedIn(legend).filter((label) => !labelsLeft(substituted).includes(label)),
      ),
    ).toEqual([]);
  });
});
