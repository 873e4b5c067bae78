import { simulate, runExporter, temporaryFolder, type RunningExporter } from '../support/simulated.ts';
import { settingsFor } from '../support/settings.ts';
import { createTroubledFleet, downHost, gpuModel } from './troubled-fleet.ts';
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
  const north = await simulate({ fleet, passwordExpiresAt: Date.now() + 30 * dayMs });
  const south = await simulate({ servers: 60 });
  const exporter = await runExporter({
    north: settingsFor(north, { per_server: true }),
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
      exporter_job: 'cloud-platform-exporter',
      cloud: 'north',
      instance: target,
      region,
      zone,
      hypervisor,
      project_domain,
      project,
      model: gpuModel,
      problem: ['failed', 'stuck', 'expired'],
      host: downHost,
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
/** As long as a test may take on a busy machine, and a little before. */
const minutesAround = Array.from({ length: 20 }, (_, index) => index - 3);

export interface Past {
  readonly series: string;
  readonly value: number;
  readonly atMs: number;
}

/** By what recorded sums of servers the boards look a day back. */
const sums = {
  'cloud:cloud_servers:sum': ['cloud'],
  'cloud_state:cloud_servers:sum': ['cloud', 'state'],
  'cloud_project:cloud_servers:sum': ['cloud', 'project_domain', 'project'],
};

/** What would have been recorded a day ago, had every other sum been one less, and the others one more. */
export async function yesterday({ exporter }: Scene): Promise<Past[]> {
  const text = await exporter.text('/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith('cloud_servers{'));
  const now = Date.now();
  return Object.entries(sums).flatMap(([name, labels]) => {
    const totals = new Map<string, number>();
    for (const line of lines) {
      const wanted = labels.map((label) => new RegExp(`[{,](${label}="(?:[^"\\\\]|\\\\.)*")`).exec(line)![1]);
      const series = `${name}{${wanted.join(',')}}`;
      totals.set(series, (totals.get(series) ?? 0) + Number(/ (\d+)$/.exec(line)![1]));
    }
    return [...totals].flatMap(([series, total], index) =>
      minutesAround.map((minutes) => ({
        series,
        value: total + (index % 2 === 0 ? 1 : -1),
        atMs: now - dayMs + minutes * 60_000,
      })),
    );
  });
}
