import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, type Config } from '../../src/config/load.ts';
import { createLog } from '../../src/log.ts';
import { createFleet, type Fleet } from '../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud, type CloudPlan, type SimulatedCloud } from '../simulator/cloud.ts';
import { startHere, type StartOptions } from './exporter-here.ts';

/** A simulated cloud that ends with the test. */
export async function simulate(
  plan: Partial<CloudPlan> & { servers?: number } = {},
): Promise<SimulatedCloud & { fleet: Fleet }> {
  const { servers = 120, ...rest } = plan;
  const fleet = plan.fleet ?? createFleet({ servers, ...(plan.now && { now: plan.now }) });
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
export async function configOf(clouds: Record<string, object>): Promise<Config & { file: string }> {
  const file = join(await temporaryFolder(), 'clouds.yml');
  await writeFile(file, stringify({ clouds }));
  return { ...(await loadConfig({ file, environment: {} })), file };
}

export type RunningExporter = Awaited<ReturnType<typeof runExporter>>;

/** The whole exporter on a free port, for these clouds; it stops when the test ends. */
export async function runExporter(clouds: Record<string, object>, options: Omit<StartOptions, 'log'> = {}) {
  const lines: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLog({ level: 'debug', format: 'json', output });
  const exporter = await startHere(await temporaryFolder(), clouds, { ...options, log });
  onTestFinished(() => exporter.stop());
  /** Everything that was logged so far. */
  const logged = () => lines.join('');
  return { ...exporter, logged };
}
