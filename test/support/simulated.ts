import { onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { loadConfig, type CloudConfig, type Config } from '../../src/config/load.ts';
import { startExporter, type Exporter } from '../../src/exporter.ts';
import { createLog, type LogLevel } from '../../src/log.ts';
import { startSimulatedCloud, type CloudPlan, type SimulatedCloud } from '../simulator/cloud.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { stringify } from 'yaml';
import { ownAddress } from './loopback.ts';

/** A simulated cloud that ends with the test. */
export async function simulate(
  plan: Partial<CloudPlan> & { servers?: number } = {},
): Promise<SimulatedCloud & { fleet: Fleet }> {
  const { servers = 120, ...rest } = plan;
  const fleet = plan.fleet ?? createFleet({ servers });
  const cloud = await startSimulatedCloud({ ...rest, fleet });
  onTestFinished(() => cloud.close());
  return cloud;
}

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Clouds by name, read as a user's file would be. */
export async function configOf(
  clouds: Record<string, object>,
  environment = {},
): Promise<Config & { file: string }> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, stringify({ clouds }));
  return { ...(await loadConfig({ file, environment })), file };
}

export interface RunningExporter extends Exporter {
  readonly url: string;
  readonly configFile: string;
  /** Everything that was logged so far. */
  logged(): string;
  /** The text of an answer of the exporter. */
  text(path: string, headers?: Record<string, string>): Promise<string>;
}

/** The whole exporter on a free port, for these clouds; it stops when the test ends. */
export async function runExporter(
  clouds: Record<string, object>,
  options: {
    clock?: Clock;
    environment?: Record<string, string>;
    logLevel?: LogLevel;
    enableLifecycle?: boolean;
    enableDiscovery?: boolean;
    maxRequests?: number;
    runbook?: string;
    /** What a reload brings, if not what is in the file. */
    load?: () => Promise<Config>;
    /** Makes of a cloud what no file could say: a secret that hangs, or a mistake of ours. */
    alter?: (cloud: CloudConfig) => CloudConfig;
  } = {},
): Promise<RunningExporter> {
  const { file, ...loaded } = await configOf(clouds, options.environment);
  const config = { ...loaded, clouds: loaded.clouds.map(options.alter ?? ((cloud) => cloud)) };
  const lines: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const exporter = await startExporter({
    config,
    loadConfig: options.load ?? (() => loadConfig({ file, environment: options.environment ?? {} })),
    listenAddresses: [{ host: ownAddress, port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: options.enableLifecycle ?? false,
    enableDiscovery: options.enableDiscovery ?? true,
    maxRequests: options.maxRequests ?? 0,
    runbook: options.runbook,
    build: { version: '0.0.0-test', revision: '', nodeVersion: process.version },
    clock: options.clock ?? systemClock,
    log: createLog({ level: options.logLevel ?? 'debug', format: 'json', output }),
  });
  onTestFinished(() => exporter.stop());
  const url = exporter.urls[0]!;
  return {
    ...exporter,
    url,
    configFile: file,
    logged: () => lines.join(''),
    text: async (path, headers = {}) => (await fetch(`${url}${path}`, { headers })).text(),
  };
}
