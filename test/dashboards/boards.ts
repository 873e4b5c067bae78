import {
  VariableType,
  type Dashboard,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { renderDashboards } from '../../dashboards/generate.ts';

/** A query of a panel as Grafana would send it, but for its variables. */
export interface PanelQuery {
  readonly title: string;
  readonly expr: string;
  readonly legend: string;
  readonly instant: boolean;
  readonly refId: string;
}

export const boards: readonly Dashboard[] = [...renderDashboards().values()].map(
  (text) => JSON.parse(text) as Dashboard,
);

/** Those of closed rows too. */
export function panelsOf(board: Dashboard): Panel[] {
  return (board.panels ?? []).flatMap((panel) =>
    panel.type === 'row' ? ((panel as RowPanel).panels ?? []) : [panel as Panel],
  );
}

/** What a board asks as soon as it is opened. */
export function openPanelsOf(board: Dashboard): Panel[] {
  return (board.panels ?? []).filter((panel): panel is Panel => panel.type !== 'row');
}

export function variablesOf(board: Dashboard): VariableModel[] {
  return board.templating.list ?? [];
}

/** A variable whose values come from the store: those of one label in the series of a selector. */
export interface Choice {
  readonly variable: VariableModel;
  readonly selector: string;
  readonly label: string;
}

export function choicesOf(board: Dashboard): Choice[] {
  return variablesOf(board)
    .filter(({ type }) => type === VariableType.Query)
    .map((variable) => {
      const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(variable.query as string)!;
      return { variable, selector: selector!, label: label! };
    });
}

export function queriesOf(panel: Panel): PanelQuery[] {
  const targets = (panel.targets ?? []) as unknown as {
    expr: string;
    legendFormat?: string;
    instant?: boolean;
    refId: string;
  }[];
  return targets.map(({ expr, legendFormat = '', instant = false, refId }) => ({
    title: `${panel.title} ${refId}`,
    expr,
    legend: legendFormat,
    instant,
    refId,
  }));
}

export interface Override {
  readonly matcher: { readonly id: string; readonly options?: unknown };
  readonly properties: readonly { readonly id: string; readonly value?: unknown }[];
}

export function overridesOf(panel: Panel): readonly Override[] {
  return panel.fieldConfig?.overrides ?? [];
}

/** What Grafana's variables stand for; several values of one become an alternative. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** What Grafana knows of the chosen time. Histories have samples at whole minutes. */
const windows: Readonly<Record<string, string>> = {
  __rate_interval: '4m',
  __interval: '1m',
  __range: '10m',
};

/** As Grafana's Prometheus data source does it: values of choices are escaped, "All" with a value of its own is not. */
export function substitute(text: string, board: Dashboard, values: Values): string {
  const choices = new Map(variablesOf(board).map((variable) => [variable.name, variable]));
  return text.replaceAll(/\$(?:\{(\w+)\}|([a-z_]\w*))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare!;
    const window = windows[name];
    if (window) return window;
    const chosen = values[name];
    if (chosen !== undefined)
      return typeof chosen === 'string' ? escape(chosen) : `(${chosen.map(escape).join('|')})`;
    const variable = choices.get(name);
    if (variable?.includeAll && variable.allValue) return variable.allValue;
    if (typeof variable?.current?.value === 'string') return variable.current.value;
    throw new Error(`${board.title}: no value for $${name}`);
  });
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\\\\\').replaceAll(/[$^*{}[\]'+?.()|]/g, String.raw`\\$&`);
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a Prometheus, or what speaks like it, answered at that moment. */
export async function askAt(url: string, query: string, atMs: number): Promise<Series[]> {
  const response = await fetch(`${url}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query, time: String(atMs / 1000) }),
  });
  const { data, error } = (await response.json()) as {
    error?: string;
    data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  if (!data) throw new Error(`${query}: ${error}`);
  return data.result
    .map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }))
    .filter(({ value }) => !Number.isNaN(value));
}

type Steps = readonly { readonly value: number | null; readonly color: string }[];
type Texts = readonly { readonly options: Readonly<Record<string, { readonly color?: string }>> }[];

/** A number on a board that has a colour: a tile, or a cell of a column. */
export interface Coloured {
  readonly board: Dashboard;
  readonly name: string;
  readonly expr: string;
  colourOf(value: number): string | undefined;
  /** Of a tile without a value. */
  readonly base: string | undefined;
}

/** Each by its board, its panel and the name of the tile or the column. */
export const coloured: readonly Coloured[] = boards.flatMap((board) =>
  panelsOf(board)
    .filter(({ type, options }) => type === 'table' || (type === 'stat' && isColoured(options)))
    .flatMap((panel) =>
      queriesOf(panel).map(({ expr, legend, refId }) => {
        const column = panel.type === 'table' ? titleOf(panel, refId) : undefined;
        const look = overridesOf(panel)
          .filter(({ matcher }) => matcher.options === (column ?? refId))
          .flatMap(({ properties }) => properties);
        const value = (id: string) => look.find((property) => property.id === id)?.value;
        const own = (value('thresholds') as { steps: Steps } | undefined)?.steps;
        const steps = own ?? (column ? [] : (panel.fieldConfig!.defaults.thresholds?.steps ?? []));
        const [texts] = (value('mappings') as Texts | undefined) ?? [];
        return {
          board,
          name: [board.title, panel.title, column ?? legend].filter(Boolean).join(': '),
          expr,
          base: column ? undefined : steps[0]?.color,
          colourOf: (number: number) =>
            texts?.options[String(number)]?.color ??
            steps.findLast((step) => step.value === null || step.value <= number)?.color,
        };
      }),
    ),
);

function isColoured(options: unknown): boolean {
  return (options as { colorMode: string }).colorMode !== 'none';
}

/** What a column is called for the query that fills it. */
function titleOf(panel: Panel, refId: string): string {
  const organize = panel.transformations!.find(({ id }) => id === 'organize')!;
  const { renameByName: titles } = organize.options as { renameByName: Record<string, string> };
  return titles[`Value #${refId}`] ?? titles['Value']!;
}
