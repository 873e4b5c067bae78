import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startExporter } from '../../src/exporter.ts';
import { ownAddress } from './loopback.ts';
import { silentLog } from './silent-log.ts';

export type StartOptions = Partial<Parameters<typeof startExporter>[0]> & {
  readonly environment?: Record<string, string>;
};

/** The whole exporter in this process on a free port, for the clouds of a file in this folder. */
export async function startHere(
  folder: string,
  clouds: Record<string, object>,
  { environment = {}, ...options }: StartOptions = {},
) {
  const configFile = join(folder, 'clouds.yml');
  const write = (changed: Record<string, object>) => writeFile(configFile, stringify({ clouds: changed }));
  const load = () => loadConfig({ file: configFile, environment });
  await write(clouds);
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: [{ host: ownAddress, port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    enableDiscovery: true,
    runbook: '',
    build: { version: '0.0.0-test', revision: '', nodeVersion: process.version },
    clock: systemClock,
    log: silentLog,
    ...options,
  });
  const url = exporter.urls[0]!;
  return {
    ...exporter,
    url,
    configFile,
    /** What the next reload reads. */
    write,
    /** The text of an answer of the exporter. */
    text: async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${url}${path}`, { headers })).text(),
  };
}
