import type { Dashboard, Panel, RowPanel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import { renderDashboards } from '../../dashboards/generate.ts';

export const boards: readonly Dashboard[] = [...renderDashboards().values()].map(
  (text) => JSON.parse(text) as Dashboard,
);

/** Those of closed rows too. */
export function panelsOf({ panels = [] }: Dashboard): Panel[] {
  return panels.flatMap((panel) => (panel.type === 'row' ? (panel as RowPanel).panels : [panel as Panel]));
}

/** What a board asks as soon as it is opened. */
export function openPanelsOf({ panels = [] }: Dashboard): Panel[] {
  return panels.filter((panel): panel is Panel => panel.type !== 'row');
}

export function variablesOf(board: Dashboard): VariableModel[] {
  return board.templating.list ?? [];
}

/**
 * As Grafana would send them, but for variables. The name is the legend, or the title of the column that the query
 * fills; "order" is what says which row comes first.
 */
export function queriesOf(panel: Panel) {
  const organize = panel.transformations?.find(({ id }) => id === 'organize')?.options;
  const columns = (organize as { renameByName: Record<string, string> } | undefined)?.renameByName;
  const targets = (panel.targets ?? []) as unknown as {
    expr: string;
    legendFormat?: string;
    refId: string;
  }[];
  return targets.map(({ expr, legendFormat = '', refId }) => ({
    title: `${panel.title} ${refId}`,
    expr,
    name: columns ? (columns[`Value #${refId}`] ?? (refId === 'A' ? 'order' : 'note')) : legendFormat,
    refId,
  }));
}

/** What a panel says of one column, or of the answers of one query. */
export function lookOf(panel: Panel, matched: string): Readonly<Record<string, unknown>> {
  const own = panel.fieldConfig!.overrides.filter(({ matcher }) => matcher.options === matched);
  return Object.fromEntries(own.flatMap(({ properties }) => properties.map(({ id, value }) => [id, value])));
}

/** What Grafana's variables stand for; several values of one become an alternative. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** What Grafana knows of the chosen time. Histories have samples at whole minutes. */
const windows: Record<string, string> = { __rate_interval: '4m', __interval: '1m', __range: '10m' };

/** As Grafana's Prometheus data source does it: values of choices are escaped, "All" with a value of its own is not. */
export function substitute(text: string, board: Dashboard, values: Values): string {
  return text.replaceAll(/\$(?:\{(\w+)\}|([a-z_]\w*))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare!;
    const chosen = values[name];
    if (typeof chosen === 'string') return escape(chosen);
    if (chosen) return `(${chosen.map(escape).join('|')})`;
    const variable = variablesOf(board).find((each) => each.name === name);
    if (name === 'only_cloud') return '';
    const usual = variable?.includeAll && variable.allValue ? variable.allValue : variable?.current?.value;
    const value = windows[name] ?? usual;
    if (typeof value !== 'string') throw new Error(`${board.title}: no value for $${name}`);
    return value;
  });
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\\\\\').replaceAll(/[$^*{}[\]'+?.()|]/g, String.raw`\\$&`);
}

/** A query that can be read as PromQL with its variables still in it. */
export function withVariables(expr: string): string {
  return expr.replaceAll(/\$__(rate_)?(interval|range)/g, '5m').replaceAll(/\$(vcpus|gibibytes)/g, '1');
}
