import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stringify } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startExporter, type Exporter } from '../../src/exporter.ts';
import { createLog } from '../../src/log.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../src/simulator/api.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { settingsFor } from '../support/settings.ts';

/** A simulated cloud and an exporter of it, with everything short: tokens live for seconds. */
export interface Station {
  readonly cloud: SimulatedCloud;
  readonly exporter: Exporter;
  readonly url: string;
  /** Loads the configuration again, changed in something that gives the cloud a new start, or as it is. */
  reload(isChanged: boolean): Promise<void>;
  close(): Promise<void>;
}

/** How the servers are listed. */
export type Mode = 'detailed' | 'light';

const modes = {
  detailed: { dialect: 'document', settings: {} },
  light: {
    dialect: 'platform',
    settings: { query: 'scope=system&pending_delete=all', details_max_age: '10s' },
  },
} as const;

export async function openStation(seed: number, mode: Mode): Promise<Station> {
  const fleet = createFleet({ servers: 60, seed });
  const cloud = await startSimulatedCloud({ fleet, tokenLifetimeSeconds: 5, dialect: modes[mode].dialect });
  const folder = await mkdtemp(join(tmpdir(), 'exporter-soak-'));
  const file = join(folder, 'clouds.yml');
  let isDetailed = false;
  await writeConfig();
  const load = () => loadConfig({ file, environment: {} });
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    build: { version: 'soak', revision: '', nodeVersion: process.version },
    clock: systemClock,
    log: createLog({ level: 'debug', format: 'json', output }),
  });

  async function writeConfig(): Promise<void> {
    const settings = settingsFor(cloud, {
      page_size: 15,
      per_server: isDetailed,
      response_limit_bytes: 1_000_000,
      request_timeout: 0.25,
      collection_timeout: 3,
      max_stale: '1h',
      ...modes[mode].settings,
    });
    await writeFile(file, stringify({ clouds: { one: settings } }));
  }

  return {
    cloud,
    exporter,
    url: exporter.urls[0]!,
    async reload(isChanged) {
      if (isChanged) isDetailed = !isDetailed;
      await writeConfig();
      const problems = await exporter.reload();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async close() {
      await exporter.stop();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
