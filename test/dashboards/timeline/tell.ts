import { setTimeout } from 'node:timers/promises';
import { exporterAccount } from '../../../src/simulator/accounts.ts';
import { createFleet } from '../../../src/simulator/fleet/fleet.ts';
import { startSimulatedCloud, type SimulatedCloud } from '../../simulator/cloud.ts';
import { startHere } from '../../support/exporter-here.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { settingsFor } from '../../support/settings.ts';
import { createTroubledFleet } from '../troubled-fleet.ts';
import { minuteMs, type Fleets, type Step } from './plan.ts';
import type { Sample } from './record.ts';

export const clouds = ['demo', 'lab', 'paris'] as const;
export const exporters = ['exporter-1:10700', 'exporter-2:10700'] as const;
export const job = 'cloud-platform-exporter';

/**
 * What a Prometheus would have stored, had it scraped the real exporter of three simulated clouds at these moments. The
 * clouds begin with so many servers; the first has every kind of trouble.
 * Nothing of it is written by hand but what Prometheus itself adds.
 */
export async function tellTimeline(
  folder: string,
  steps: readonly Step[],
  sizes: Readonly<Record<(typeof clouds)[number], number>>,
  patienceMs = 60_000,
): Promise<Sample[]> {
  const clock = createManualClock(steps[0]!.atMs - minuteMs);
  const fleets: Fleets = {
    demo: createTroubledFleet(sizes.demo, steps.at(-1)!.atMs, clock.now),
    lab: createFleet({ servers: sizes.lab, seed: 2, now: clock.now }),
    paris: createFleet({ servers: sizes.paris, seed: 3, now: clock.now }),
  };
  const platforms = new Map<string, SimulatedCloud>();
  const settings: Record<string, object> = {};
  for (const name of clouds) {
    const platform = await startSimulatedCloud({ fleet: fleets[name]!, now: clock.now });
    platforms.set(name, platform);
    settings[name] = settingsFor(platform, { per_server: name === 'demo' });
  }
  const exporter = await startHere(folder, settings, { clock, enableDiscovery: false });
  try {
    const samples: Sample[] = [];
    const texts: string[] = [];
    for (const { atMs, live, down = [], exporters: answering = 1, lag = 0 } of steps) {
      await clock.advance(atMs - clock.now());
      live?.(fleets);
      for (const fleet of Object.values(fleets)) fleet.synchronise(atMs - 5 * minuteMs);
      for (const name of clouds) setDown(platforms.get(name)!, down.includes(name));
      texts.push(answering === 0 ? '' : await scrape(`${exporter.url}/metrics`, clock, patienceMs));
      for (const [index, instance] of exporters.slice(0, Math.max(1, answering)).entries())
        samples.push(...samplesOf(texts.at(-1 - index * lag)!, `job="${job}",instance="${instance}"`, atMs));
    }
    return samples;
  } finally {
    await exporter.stop();
    await Promise.all([...platforms.values()].map((platform) => platform.close()));
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

/** What a scrape of this text stores; no text is a target that does not answer. */
function samplesOf(text: string, target: string, atMs: number): Sample[] {
  const own = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const added = [
    `up ${own.length > 0 ? 1 : 0}`,
    'scrape_duration_seconds 0.2',
    'scrape_timeout_seconds 30',
    `scrape_samples_scraped ${own.length}`,
  ];
  return [...own, ...added].map((line) => {
    const [, name, labels, value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    return { series: `${name}{${labels ? `${labels},` : ''}${target}}`, value: value!, atMs };
  });
}
