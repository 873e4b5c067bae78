import { simulate, runExporter, temporaryFolder, type RunningExporter } from '../support/simulated.ts';
import { settingsFor } from '../support/settings.ts';
import { createTroubledFleet, gpuModel } from './troubled-fleet.ts';
import type { Values } from './boards.ts';

export interface Scene {
  readonly folder: string;
  readonly exporter: RunningExporter;
  /** Host and port, as a scrape configuration wants it. */
  readonly target: string;
  /** Values of every variable under which every panel has something to show. */
  readonly chosen: Values;
  /** Resolves when the cloud has been collected so many times more. */
  collections(count: number): Promise<void>;
}

/** A cloud with every case, another beside it, and the exporter that watches both. */
export async function setScene(): Promise<Scene> {
  const folder = await temporaryFolder();
  const { fleet, place } = createTroubledFleet();
  const north = await simulate({ fleet });
  const south = await simulate({ servers: 60 });
  const exporter = await runExporter({
    north: settingsFor(north),
    south: settingsFor(south, { per_server: true }),
  });
  const target = new URL(exporter.url).host;
  const { region, zone, hypervisor, project_domain, project } = place;

  return {
    folder,
    exporter,
    target,
    chosen: {
      job: 'cloud-platform-exporter',
      cloud: 'north',
      instance: target,
      region,
      zone,
      hypervisor,
      project_domain,
      project,
      model: gpuModel,
      problem: ['failed', 'stuck'],
      top: '5',
    },
    collections(count) {
      let left = count;
      return new Promise((resolve) => {
        north.hooks.beforePage = ({ offset }) => {
          if (offset === 0 && --left <= 0) resolve();
        };
      });
    },
  };
}

const dayMs = 86_400_000;
const minutesAround = [-3, -2, -1, 0, 1, 2, 3, 4, 5];

/** What a scrape of a day ago would have brought, with one server more in each place; timestamps in milliseconds. */
export async function yesterday({
  exporter,
  target,
}: Scene): Promise<{ series: string; value: number; atMs: number }[]> {
  const text = await exporter.text('/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('cloud_servers{'));
  const now = Date.now();
  return lines.flatMap((line) => {
    const [, series, value] = /^(.*)\} (\d+)$/.exec(line)!;
    const labelled = `${series},job="cloud-platform-exporter",instance="${target}"}`;
    return minutesAround.map((minutes) => ({
      series: labelled,
      value: Number(value) + 1,
      atMs: now - dayMs + minutes * 60_000,
    }));
  });
}
