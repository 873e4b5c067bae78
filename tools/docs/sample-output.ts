import { systemClock } from '../../src/clock.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { exporterHere } from '../exporter-here.ts';

const shown: readonly [pattern: RegExp, count: number][] = [
  [/^cloud_up\{/, 1],
  [/^cloud_servers\{.*zone="beijing-a".*hypervisor="kvm".*project="web".*state="running"/, 1],
  [/^cloud_servers\{.*zone="beijing-a".*hypervisor="kvm".*project="web".*state="stopped"/, 1],
  [/^cloud_servers_vcpus\{.*zone="beijing-a".*hypervisor="kvm".*project="web".*state="running"/, 1],
  [/^cloud_servers_memory_bytes\{.*zone="beijing-a".*hypervisor="kvm".*project="web".*state="running"/, 1],
  [/^cloud_servers_devices\{.*state="stopped"/, 1],
  [/^cloud_servers_expiring\{.*within="7d"/, 1],
  [/^cloud_server_problem\{.*problem="failed"/, 1],
  [/^cloud_server_problem\{.*problem="host_down"/, 1],
  [/^cloud_list_(reported|received)\{/, 2],
];

/**
 * Ten telling lines of what a scrape of the demo's fleet says, held still at one moment so that it is the same each
 * time.
 */
export async function sampleOutput(): Promise<string> {
  const now = () => Date.parse('2026-11-15T12:00:00Z');
  const { scrape, stop } = await exporterHere({
    fleet: createFleet({ servers: 400, now }),
    clock: { ...systemClock, now, monotonic: now },
    name: 'demo',
    settings: () => ({ query: undefined }),
  });
  const lines = (await scrape()).split('\n');
  await stop();
  const picked = shown.flatMap(([pattern, count]) =>
    lines.filter((line) => pattern.test(line)).slice(0, count),
  );
  return ['```', ...picked, '```'].join('\n');
}
