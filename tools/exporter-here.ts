import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../src/clock.ts';
import { startHere } from '../test/support/exporter-here.ts';

/** The whole exporter in this process, with one cloud; `settings` is asked again at each reload. */
export async function exporterHere(settings: () => object, clock: Clock, name = 'one') {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-here-'));
  const options = { clock, enableDiscovery: false, disableExporterMetrics: true };
  const exporter = await startHere(folder, { [name]: settings() }, options);
  return {
    scrape: (path = '/metrics', headers: Record<string, string> = {}) =>
      exporter.text(path, { 'Accept-Encoding': 'identity', ...headers }),
    async reload() {
      await exporter.write({ [name]: settings() });
      const problems = await exporter.reload();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async stop() {
      await exporter.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
