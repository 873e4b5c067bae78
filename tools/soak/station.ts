import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { hashSync } from 'bcryptjs';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { openWebSource } from '../../src/config/web/source.ts';
import { startExporter } from '../../src/exporter.ts';
import { createLog } from '../../src/log.ts';
import { exporterAccount } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { settingsFor } from '../../test/support/settings.ts';
import { createMount, type Mount } from './mount.ts';
import type { Login } from './scraper.ts';
import { createUnsteadyClock, type UnsteadyClock } from './unsteady-clock.ts';

/** A simulated cloud and an exporter of it, with everything short: tokens live for seconds. */
export interface Station {
  readonly cloud: SimulatedCloud;
  readonly url: string;
  /** Who may scrape. */
  readonly login: Login;
  readonly clock: UnsteadyClock;
  /** Where the exporter's password is. */
  readonly mount: Mount;
  /** Loads the configuration again, changed in something that gives the cloud a new start, or as it is. */
  reload(isChanged: boolean): Promise<void>;
  close(): Promise<void>;
}

const withBin = 'scope=system&pending_delete=all';

/** How the servers are listed. */
export const modes = {
  detailed: { settings: { query: withBin } },
  light: { settings: { query: withBin, details_max_age: '10s' } },
  changes: {
    settings: { query: withBin, details_max_age: '10s', list_max_age: '3s' },
  },
} as const;

export type Mode = keyof typeof modes;

const login: Login = { user: 'prometheus', password: 's3cret' };
/** Each guess costs a thread some milliseconds; a real hash costs a hundred. */
const hashCost = 7;

export async function openStation(seed: number, mode: Mode): Promise<Station> {
  const { settings } = modes[mode];
  const fleet = createFleet({ servers: 60, seed });
  // The fleet remembers so many that were deleted. Full from the start, that memory does not look like a leak.
  fleet.remove(fleet.create(1200).map(({ id }) => id));
  const cloud = await startSimulatedCloud({ fleet, tokenLifetimeSeconds: 5 });
  const folder = await mkdtemp(join(tmpdir(), 'exporter-soak-'));
  const [file, webFile, mounted] = ['clouds.yml', 'web.yml', 'mounted'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const passwordFile = join(mounted, 'password');
  await mkdir(mounted);
  await writeFile(passwordFile, exporterAccount.password);
  await writeFile(
    webFile,
    stringify({ basic_auth_users: { [login.user]: hashSync(login.password, hashCost) } }),
  );
  const mount = createMount(mounted);
  const { files } = mount;
  const clock = createUnsteadyClock();
  let isDetailed = false;
  await writeConfig();
  const load = () => loadConfig({ file, environment: {}, files });
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog({ level: 'debug', format: 'json', output });
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    web: await openWebSource(webFile, { log, clock, files }),
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    build: { version: 'soak', revision: '', nodeVersion: process.version },
    clock,
    log,
  });

  async function writeConfig(): Promise<void> {
    const one = settingsFor(cloud, {
      password: undefined,
      password_file: passwordFile,
      page_size: 15,
      per_server: isDetailed,
      response_limit_bytes: 1_000_000,
      request_timeout: 0.25,
      collection_timeout: 3,
      max_stale: '1h',
      ...settings,
    });
    await writeFile(file, stringify({ clouds: { one } }));
  }

  return {
    cloud,
    url: exporter.urls[0]!,
    login,
    clock,
    mount,
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
