import {
  VariableType,
  type Dashboard,
  type Panel,
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

export function panelsOf(board: Dashboard): Panel[] {
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

/** As Grafana's Prometheus data source does it: values of choices are escaped, "All" with a value of its own is not. */
export function substitute(text: string, board: Dashboard, values: Values): string {
  const choices = new Map(variablesOf(board).map((variable) => [variable.name, variable]));
  return text.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => {
    if (name === '__rate_interval') return '30s';
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
