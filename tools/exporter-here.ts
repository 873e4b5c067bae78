import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Clock } from '../src/clock.ts';
import { loadConfig } from '../src/config/load.ts';
import { startExporter } from '../src/exporter.ts';
import { createManualClock, type ManualClock } from '../test/support/manual-clock.ts';
import { silentLog } from '../test/support/silent-log.ts';

export const minuteMs = 60_000;

/** Time that stands still until it is moved on, but for pauses of a collection, which are over at once. */
export function createShortPauses(): ManualClock {
  const clock = createManualClock();
  return { ...clock, wait: (ms, signal) => (ms <= 1000 ? clock.advance(ms) : clock.wait(ms, signal)) };
}

/** The whole exporter in this process, with one cloud; `settings` is asked again at each reload. */
export async function exporterHere(settings: () => object, clock: Clock, name = 'one') {
  const folder = await mkdtemp(join(tmpdir(), 'exporter-here-'));
  const file = join(folder, 'clouds.yml');
  async function load() {
    await writeFile(file, stringify({ clouds: { [name]: settings() } }));
    return loadConfig({ file, environment: {} });
  }
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    disableExporterMetrics: true,
    build: { version: '0.0.0', revision: '', nodeVersion: process.version },
    clock,
    log: silentLog,
  });
  const url = exporter.urls[0]!;
  return {
    async scrape(path = '/metrics', headers: Record<string, string> = {}) {
      const answer = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'identity', ...headers } });
      return answer.text();
    },
    async reload() {
      const problems = await exporter.reload();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async stop() {
      await exporter.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
