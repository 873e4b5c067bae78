import { systemClock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { exporterHere } from '../exporter-here.ts';

/** Off, for what runs side by side has no order. */
const beside = { per_host: false, list_storages: false, list_networks: false, list_syncs: false };

/** What `debug=true` says of the scrape after a token was revoked, held still but for the time of its requests. */
export async function scrapeExample(): Promise<string> {
  let now = Date.parse('2026-11-15T08:00:00Z');
  const clock = { ...systemClock, now: () => now, monotonic: () => now };
  const { cloud, scrape, stop } = await exporterHere({
    fleet: createFleet({ servers: 400, now: clock.now }),
    clock,
    name: 'prod',
    settings: () => ({ query: undefined, ...beside }),
  });
  const pass = (ms: number) => () => void (now += ms);
  Object.assign(cloud.hooks, { beforePage: pass(105), beforeLogin: pass(118) });
  for (const _ of [1, 2, 3]) {
    await scrape();
    now += 60_000;
  }
  cloud.revokeTokens();
  const text = await scrape('/probe?cloud=prod&debug=true');
  await stop();
  const [story = ''] = text
    .replaceAll(`http://127.0.0.1:${cloud.port}`, 'https://cloud.example.com')
    .split('\nThe metrics:');
  return ['```text', story.trimEnd(), '```'].join('\n');
}
