import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../src/clock.ts';
import { startSimulatedCloud, type CloudPlan } from '../test/simulator/cloud.ts';
import { startHere } from '../test/support/exporter-here.ts';
import { settingsFor } from '../test/support/settings.ts';

type Plan = Omit<CloudPlan, 'now'> & {
  readonly clock: Clock;
  readonly name?: string;
  /** Asked again at each reload. */
  readonly settings: () => object;
};

/** A simulated cloud and the whole exporter of it, in this process. */
export async function exporterHere({ clock, name = 'one', settings, ...plan }: Plan) {
  const cloud = await startSimulatedCloud({ ...plan, now: clock.now });
  const clouds = () => ({ [name]: settingsFor(cloud, settings()) });
  const folder = await mkdtemp(join(tmpdir(), 'exporter-here-'));
  const options = { clock, enableDiscovery: false, disableExporterMetrics: true };
  const exporter = await startHere(folder, clouds(), options);
  return {
    cloud,
    scrape: (path = '/metrics', headers: Record<string, string> = {}) =>
      exporter.text(path, { 'Accept-Encoding': 'identity', ...headers }),
    async reload() {
      await exporter.write(clouds());
      const problems = await exporter.reload();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async stop() {
      await exporter.stop();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
