import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { boards, panelsOf, queriesOf, substitute, type Values } from './boards.ts';

/** A panel of one number, or of one name, that is coloured by its value. */
export interface Tile {
  readonly board: Dashboard;
  readonly title: string;
  readonly panel: Panel;
  readonly expr: string;
}

export const tiles: readonly Tile[] = boards.flatMap((board) =>
  panelsOf(board)
    .filter(({ type }) => type === 'stat')
    .map((panel) => ({ board, title: panel.title!, panel, expr: queriesOf(panel)[0]!.expr })),
);

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a Prometheus answered at that moment. */
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

export interface Shown {
  readonly tile: Tile;
  readonly series: readonly Series[];
  /** The colours that Grafana would show; those of a tile without colours are left out. */
  readonly colours: readonly string[];
}

export async function showTiles(url: string, atMs: number, values: Values): Promise<Shown[]> {
  return Promise.all(
    tiles.map(async (tile) => {
      const series = await askAt(url, substitute(tile.expr, tile.board, values), atMs);
      return { tile, series, colours: coloursOf(tile.panel, series) };
    }),
  );
}

function coloursOf({ options, fieldConfig }: Panel, series: readonly Series[]): string[] {
  if ((options as { colorMode: string }).colorMode === 'none') return [];
  const steps = fieldConfig!.defaults.thresholds!.steps;
  const colourOf = (value: number) =>
    steps.findLast((step) => step.value === null || step.value <= value)!.color;
  return series.length === 0 ? [steps[0]!.color] : series.map(({ value }) => colourOf(value));
}
