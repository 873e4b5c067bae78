import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { buildBoard } from './board.ts';
import { exporter } from './boards/exporter.ts';
import { fleet } from './boards/fleet.ts';
import { gpu } from './boards/gpu.ts';
import { growth } from './boards/growth.ts';
import { host } from './boards/host.ts';
import { lifecycle } from './boards/lifecycle.ts';
import { project } from './boards/project.ts';

const boards = { fleet, project, gpu, lifecycle, host, growth, exporter };

/** A line for each panel and each choice: indented, a board would not fit where kubectl keeps what was applied. */
function textOf(board: Dashboard): string {
  const lines = (list: readonly unknown[] = []) =>
    `[\n${list.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
  const { panels, templating, ...rest } = board;
  const templates = `"templating":{"list":${lines(templating.list)}}`;
  return `{"panels":${lines(panels)},\n${templates},\n${JSON.stringify(rest).slice(1)}\n`;
}

/** Each board as Grafana's JSON, by the name of its file. */
export function renderDashboards(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(boards).map(([name, board]) => [`${name}.json`, textOf(buildBoard(name, board))]),
  );
}

export async function writeDashboards(folder: string): Promise<void> {
  await Promise.all([...renderDashboards()].map(([name, text]) => writeFile(join(folder, name), text)));
}
