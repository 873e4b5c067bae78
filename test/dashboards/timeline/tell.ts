import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { startExporter } from '../../../src/exporter.ts';
import { exporterAccount } from '../../../src/simulator/accounts.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../simulator/cloud.ts';
import { createFleet, type Fleet } from '../../../src/simulator/fleet/fleet.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { settingsFor } from '../../support/settings.ts';
import { silentLog } from '../../support/silent-log.ts';
import { createTroubledFleet } from '../troubled-fleet.ts';
import { samplesOf, type Sample } from './samples.ts';
import { minuteMs, type Step } from './plan.ts';

export const clouds = ['demo', 'lab', 'paris'] as const;
export const exporters = ['exporter-1:10700', 'exporter-2:10700'] as const;
export const job = 'cloud-platform-exporter';

/** So many servers each of the clouds has in the end; the first has every kind of trouble. */
export type Sizes = Readonly<Record<(typeof clouds)[number], number>>;

/**
 * What a Prometheus would have stored, had it scraped the real exporter of three simulated clouds at these moments.
 * Nothing of it is written by hand but what Prometheus itself adds.
 */
export async function tellTimeline(
  steps: readonly Step[],
  sizes: Sizes,
  patienceMs = 60_000,
): Promise<Sample[]> {
  const clock = createManualClock(steps[0]!.atMs - minuteMs);
  const endMs = steps.at(-1)!.atMs;
  const fleets: Record<string, Fleet> = {
    demo: createTroubledFleet(sizes.demo, endMs, clock.now).fleet,
    lab: createFleet({ servers: sizes.lab, seed: 2, now: clock.now }),
    paris: createFleet({ servers: sizes.paris, seed: 3, now: clock.now }),
  };
  const platforms = new Map<string, SimulatedCloud>();
  for (const name of clouds) {
    platforms.set(name, await startSimulatedCloud({ fleet: fleets[name]!, now: clock.now }));
  }
  const settings = Object.fromEntries(
    [...platforms].map(([name, platform]) => [
      name,
      settingsFor(platform, {
        query: { scope: 'system', pending_delete: 'all' },
        per_server: name === 'demo',
      }),
    ]),
  );
  const folder = await mkdtemp(join(tmpdir(), 'timeline-'));
  const file = join(folder, 'clouds.yml');
  await writeFile(file, stringify({ clouds: settings }));
  const load = () => loadConfig({ file, environment: {} });
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    build: { version: '1.0.0', revision: '', nodeVersion: 'v24.0.0' },
    clock,
    log: silentLog,
  });
  try {
    const samples: Sample[] = [];
    const texts: string[] = [];
    for (const step of steps) {
      await clock.advance(step.atMs - clock.now());
      step.live?.(fleets);
      for (const name of clouds) setDown(platforms.get(name)!, step.down?.includes(name) ?? false);
      const isGone = step.exporters === 0;
      const text = isGone ? '' : await scrape(`${exporter.urls[0]}/metrics`, clock, patienceMs);
      const instances = exporters.slice(0, Math.max(1, step.exporters ?? 1));
      for (const [index, instance] of instances.entries()) {
        const told = index > 0 ? (step.lag ? texts.at(-step.lag)! : text) : text;
        samples.push(...samplesOf(told, { job, instance }, step.atMs));
      }
      texts.push(text);
    }
    return samples;
  } finally {
    await exporter.stop();
    await Promise.all([...platforms.values()].map((platform) => platform.close()));
    await rm(folder, { recursive: true });
  }
}

/** Of a lively fleet a collection reads something again, and waits for the clock, which nobody else moves. */
async function scrape(url: string, clock: ManualClock, patienceMs: number): Promise<string> {
  const text = fetch(url).then((response) => response.text());
  const isLate = Symbol('late');
  while ((await Promise.race([text, setTimeout(patienceMs, isLate, { ref: false })])) === isLate)
    await clock.advance(500);
  return text;
}

/** A changed password makes a cloud fail at once, without attempts that wait. */
function setDown(platform: SimulatedCloud, isDown: boolean): void {
  platform.setPassword(isDown ? 'changed' : exporterAccount.password);
  if (isDown) platform.revokeTokens();
}
