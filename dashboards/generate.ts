import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildBoard } from './board.ts';
import { exporter } from './boards/exporter.ts';
import { fleet } from './boards/fleet.ts';
import { gpu } from './boards/gpu.ts';
import { growth } from './boards/growth.ts';
import { host } from './boards/host.ts';
import { lifecycle } from './boards/lifecycle.ts';
import { project } from './boards/project.ts';

const boards = { fleet, project, gpu, lifecycle, host, growth, exporter };

/** Each board as Grafana's JSON, by the name of its file. */
export function renderDashboards(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(boards).map(([name, board]) => [
      `${name}.json`,
      `${JSON.stringify(buildBoard(name, board), undefined, 2)}\n`,
    ]),
  );
}

export async function writeDashboards(folder: string): Promise<void> {
  await Promise.all([...renderDashboards()].map(([name, text]) => writeFile(join(folder, name), text)));
}
