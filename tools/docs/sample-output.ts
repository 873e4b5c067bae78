import { Writable } from 'node:stream';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startExporter } from '../../src/exporter.ts';
import { createLog } from '../../src/log.ts';
import { exporterAccount, systemProject } from '../../src/simulator/accounts.ts';
import { startSimulatedCloud } from '../../test/simulator/cloud.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';

/** What a scrape of the demo's fleet says, held still at one moment so that it is the same each time. */
export async function sampleExposition(): Promise<string> {
  const now = () => Date.parse('2026-11-15T12:00:00Z');
  const cloud = await startSimulatedCloud({
    fleet: createFleet({ servers: 400, now }),
    now,
  });
  const environment = {
    OS_AUTH_URL: cloud.authUrl,
    OS_USER_ID: exporterAccount.id,
    OS_PASSWORD: exporterAccount.password,
    OS_PROJECT_NAME: systemProject.name,
    OS_PROJECT_DOMAIN_NAME: systemProject.domain.name,
    CLOUD_NAME: 'demo',
  };
  const load = () => loadConfig({ environment });
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const exporter = await startExporter({
    config: await load(),
    loadConfig: load,
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    telemetryPath: '/metrics',
    enableLifecycle: false,
    build: { version: '', revision: '', nodeVersion: '' },
    clock: { ...systemClock, now, monotonic: now },
    log: createLog({ level: 'error', format: 'json', output }),
  });
  try {
    return await (await fetch(`${exporter.urls[0]}/metrics`)).text();
  } finally {
    await exporter.stop();
    await cloud.close();
  }
}

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

/** Ten telling lines of it, for the first screen of the README. */
export async function sampleOutput(): Promise<string> {
  const lines = (await sampleExposition()).split('\n');
  const picked = shown.flatMap(([pattern, count]) =>
    lines.filter((line) => pattern.test(line)).slice(0, count),
  );
  return ['```', ...picked, '```'].join('\n');
}
